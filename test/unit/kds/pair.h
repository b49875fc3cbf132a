// A global and zones joined in memory, with a store that succeeds at once: enough to watch what crosses.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kds/core.h"
#include "model/document.h"
#include "model/json.h"

namespace kdsd::kds {

class TestPlane {
 public:
  explicit TestPlane(std::string zone, CoreOptions options = {}) : zone_(std::move(zone)) {
    if (!zone_.empty()) {
      options.control_plane.mode = policy::Mode::zone;
      options.control_plane.federated = true;
      options.control_plane.zone = zone_;
    }
    options.node.instance_id = (zone_.empty() ? "global" : zone_) + "-1";
    options_ = options;
    restart();
  }

  // A new process on what was committed.
  void restart() {
    core = std::make_unique<Core>(options_, Catalogue::builtin());
    core->set_now(Timestamp{++clock_});
    CoreState state{store_id, ++epoch, revision, {}, facts};
    for (const auto& [key, entry] : entries) state.entries.push_back(entry);
    std::sort(state.entries.begin(), state.entries.end(),
              [](const auto& a, const auto& b) { return a->revision < b->revision; });
    core->load(std::move(state));
    step();  // notes the start
  }

  Status put(const std::string& type, const std::string& mesh, const std::string& name, const std::string& spec,
             Labels labels = {}) {
    Resource resource;
    resource.type = Catalogue::builtin().find(type);
    resource.mesh = mesh;
    resource.name = name;
    resource.labels = std::move(labels);
    auto encoded = encode_spec(*resource.type, *parse_json(spec));
    if (!encoded.ok()) return encoded.status();
    resource.spec = *encoded;
    return write([resource](Transaction& transaction) {
      transaction.put(resource);
      return Status();
    });
  }

  Status remove(const std::string& type, const std::string& mesh, const std::string& name) {
    return write([&](Transaction& transaction) {
      auto found = transaction.find(*Catalogue::builtin().find(type), mesh, name);
      if (!found) return Status(Code::not_found, name);
      remove_with_dependents(transaction, *found);
      return Status();
    });
  }

  Status write(std::function<Status(Transaction&)> decide) {
    Status outcome;
    clock_ = std::max(clock_, core->now().nanos) + 1;
    core->set_now(Timestamp{clock_});
    (void)core->submit({std::move(decide), [&](const Status& status) { outcome = status; }});
    step();
    return outcome;
  }

  // What a peer is answered that sends this one resource, whatever streams there are.
  Applied take(const Resource& resource, const Receiving& receiving, bool is_full = false) {
    Incoming incoming;
    incoming.type = resource.type;
    incoming.is_full = is_full;
    incoming.response.resources.push_back({resource, "", {}});
    Applied applied;
    EXPECT_TRUE(write([&](Transaction& transaction) {
                  applied = apply_incoming(transaction, incoming, receiving);
                  return Status();
                }).ok());
    return applied;
  }

  // Carries out all effects that need no peer; those for streams are kept in `outgoing`.
  void step() {
    for (auto effects = core->take_effects(); !effects.empty(); effects = core->take_effects()) {
      for (auto& effect : effects) {
        if (auto* commit = std::get_if<CommitEffect>(&effect)) {
          ++commits;
          if (commit_outcome.ok()) apply(commit->batch);
          core->committed(commit_outcome);
        } else if (auto* send = std::get_if<SendEffect>(&effect)) {
          outgoing.push_back({send->stream, send->message.joined()});
          if (peers_take) core->written(send->stream);
        } else if (auto* close = std::get_if<CloseEffect>(&effect)) {
          ended[close->stream] = close->text;
        } else if (auto* log = std::get_if<LogEffect>(&effect)) {
          logged.push_back(log->text);
        }
      }
    }
  }

  void pass(std::int64_t seconds) {
    core->set_now(Timestamp{core->now().nanos + seconds * 1'000'000'000});
    core->tick();
    step();
  }

  std::vector<std::string> names(const std::string& type) const {
    std::vector<std::string> out;
    core->index().each(*Catalogue::builtin().find(type),
                       [&](const ResourcePtr& resource) { out.push_back(resource->name); });
    return out;
  }
  ResourcePtr find(const std::string& type, const std::string& mesh, const std::string& name) const {
    return core->index().find(*Catalogue::builtin().find(type), mesh, name);
  }

  struct Sent {
    StreamId stream;
    std::string bytes;
  };
  std::unique_ptr<Core> core;
  std::vector<Sent> outgoing;
  std::map<StreamId, std::string> ended;
  std::vector<std::string> logged;
  std::map<ResourceKey, EntryPtr> entries;
  std::map<std::string, std::string> facts;
  Revision revision;
  std::string store_id = "store";
  std::uint64_t epoch = 0;
  int commits = 0;
  Status commit_outcome;   // of every commit from now on
  bool peers_take = true;  // what is sent; otherwise it stays on its way

 private:
  void apply(const CommitBatch& batch) {
    for (const auto& key : batch.purges) entries.erase(key);
    for (const auto& entry : batch.upserts) entries[entry->key] = entry;
    for (const auto& [name, text] : batch.facts) facts[name] = text;
    if (batch.revision > revision) revision = batch.revision;
  }

  std::string zone_;
  CoreOptions options_;
  std::int64_t clock_ = 1'000'000;
};

// Both streams between a zone and its global.
class TestLink {
 public:
  TestLink(TestPlane& global, TestPlane& zone, std::string name, std::string connection)
      : global_(global), zone_(zone) {
    const std::vector<std::string> features = {"zone-ping-health", "hash-suffix"};
    for (auto kind : {StreamKind::global_to_zone, StreamKind::zone_to_global}) {
      auto at_global = global.core->opened({kind, name, connection, features, false});
      auto at_zone = zone.core->opened({kind, "", "upstream", {}, false});
      if (!at_global.ok() || !at_zone.ok()) continue;
      to_zone_[*at_global] = *at_zone;
      to_global_[*at_zone] = *at_global;
    }
    settle();
  }

  // Delivers until nothing moves.
  void settle() {
    for (bool moved = true; moved;) {
      moved = deliver(global_, zone_, to_zone_);
      moved = deliver(zone_, global_, to_global_) || moved;
    }
  }

  void cut() {
    for (const auto& [at_global, at_zone] : to_zone_) {
      global_.core->closed(at_global, "cut");
      zone_.core->closed(at_zone, "cut");
    }
    global_.step();
    zone_.step();
    global_.outgoing.clear();
    zone_.outgoing.clear();
  }

  std::size_t resources_down = 0;  // in responses to the zone
  std::size_t removals_down = 0;

 private:
  bool deliver(TestPlane& from, TestPlane& to, const std::map<StreamId, StreamId>& streams) {
    from.step();
    auto messages = std::exchange(from.outgoing, {});
    for (const auto& sent : messages) {
      auto it = streams.find(sent.stream);
      if (it == streams.end()) {
        from.outgoing.push_back(sent);  // another link's
        continue;
      }
      count(sent.bytes, &from == &global_ && sent.stream == to_zone_.begin()->first);
      to.core->received(it->second, sent.bytes);
      to.step();
    }
    return messages.size() > from.outgoing.size();
  }

  void count(const std::string& bytes, bool is_response_down) {
    if (!is_response_down) return;
    auto response = decode_response(bytes, Catalogue::builtin());
    if (!response.ok()) return;
    resources_down += response->resources.size();
    removals_down += response->removed.size();
  }

  TestPlane& global_;
  TestPlane& zone_;
  std::map<StreamId, StreamId> to_zone_;
  std::map<StreamId, StreamId> to_global_;
};

inline constexpr char timeout_spec[] =
    R"({"targetRef":{"kind":"Mesh"},"to":[{"targetRef":{"kind":"Mesh"},"default":{"http":{"requestTimeout":"5s"}}}]})";
inline constexpr char slower_timeout_spec[] =
    R"({"targetRef":{"kind":"Mesh"},"to":[{"targetRef":{"kind":"Mesh"},"default":{"http":{"requestTimeout":"9s"}}}]})";
inline constexpr char producer_spec[] =
    R"({"to":[{"targetRef":{"kind":"MeshService","name":"catalog"},"default":{"http":{"requestTimeout":"5s"}}}]})";
inline constexpr char service_spec[] =
    R"({"selector":{"dataplaneTags":{"app":"a"}},"ports":[{"port":80,"targetPort":80,"appProtocol":"http"}]})";

// Of a control plane with namespaces.
inline CoreOptions namespaced(const std::string& system_namespace) {
  CoreOptions options;
  options.control_plane.environment = policy::Environment::kubernetes;
  options.control_plane.system_namespace = system_namespace;
  return options;
}

}  // namespace kdsd::kds
