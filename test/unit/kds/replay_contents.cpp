// What users wrote on the recorded side, what peers hold of it, and what is stored of peers.
#include <algorithm>

#include "model/document.h"
#include "model/hash.h"
#include "model/json.h"
#include "policy/core_name.h"

#include "replay.h"

namespace kdsd::kds::replay {
namespace {

// Types in whose spec a global writes the zone (kds-protocol.md 6.3, step 4).
bool has_zone_in_spec(const std::string& type) {
  return type == "ZoneIngress" || type == "ZoneEgress" || type == "Dataplane";
}

std::size_t lines_of(const std::string& text) {
  const auto all = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  return text.starts_with("user error\n") ? all - 1 : all;
}

}  // namespace

void Replay::learn(const Response& response, bool is_full) {
  std::set<ResourceKey> seen;
  for (const auto& received : response.resources) {
    const auto own = own_form(received.resource);
    if (!own) continue;
    own_[key_of(received.resource)] = own->key();
    seen.insert(own->key());
    write(*own);
  }
  std::vector<Key> gone;
  for (const auto& [key, own] : own_) {
    if (is_full && key.type == response.type && !seen.contains(own)) gone.push_back(key);
  }
  const auto* type = Catalogue::builtin().find(response.type);
  for (const auto& text : response.removed) {
    const auto removed = parse_removed(*type, text);
    const Key key{response.type, removed.mesh, removed.name};
    if (own_.contains(key) && !seen.contains(own_.at(key))) gone.push_back(key);
  }
  for (const auto& key : gone) {
    const auto own = own_.at(key);
    own_.erase(key);
    if (plane_.find(key.type, own.mesh, own.name) == nullptr) continue;  // went with its mesh
    EXPECT_TRUE(plane_.remove(key.type, own.mesh, own.name).ok());
  }
}

void Replay::write(const Resource& resource) {
  const auto existing = plane_.find(resource.type->name, resource.mesh, resource.name);
  if (existing && existing->labels == resource.labels && existing->spec == resource.spec &&
      existing->status == resource.status)
    return;
  EXPECT_TRUE(plane_
                  .write([&](Transaction& transaction) {
                    transaction.put(resource);
                    return Status();
                  })
                  .ok());
}

// As it was stored where it was written: the mappers of kds-protocol.md 5 turned back. Nothing for what the recorded
// side only passed on, and for what cannot be known.
std::optional<Resource> Replay::own_form(const Resource& sent) const {
  const auto& plane = options_.control_plane;
  Resource own = sent;
  own.name = display_name(sent.name, sent.labels);
  own.labels.erase(label::origin);
  if (is_global()) {
    if (sent.labels.has(label::zone)) return std::nullopt;
    // The private half is not on the wire (11.2).
    if (sent.name.starts_with("zone-token-signing-public-key")) return std::nullopt;
  } else {
    own.labels.erase(label::zone);
  }
  if (!plane.has_namespaces()) own.labels.erase(label::display_name);
  if (policy::has_namespace(plane, *sent.type)) {
    const auto& written = sent.labels.get(label::namespace_);
    own.name += "." + (written.empty() ? plane.system_namespace : written);
  }
  return own;
}

// A copy of a namespaced control plane stands in its system namespace; names of zones that do not hash get the zone in
// front (6.2, 6.3).
std::string Replay::stored_name(const Link& link, const ResourceType& type, const std::string& name) const {
  const auto& plane = options_.control_plane;
  auto out = name;
  if (is_global() && !Features(link.features).has(feature::hash_suffix)) out = link.zone + "." + out;
  if (policy::has_namespace(plane, type)) out += "." + plane.system_namespace;
  return out;
}

Held Replay::stored_form(const Link& link, const Resource& received) const {
  auto held = held_of(received);
  if (is_global()) {
    held.labels.set(label::zone, link.zone);
    held.labels.set(label::origin, "zone");
  }
  return held;
}

void Replay::expect_stored(Link& link, const Event& event, const Outcome& recorded) {
  auto response = decode_response(event.bytes, Catalogue::builtin());
  if (!response.ok() || !is_alive(link.in)) return;
  const auto& type = *Catalogue::builtin().find(response->type);
  auto& expected = expected_[link.zone];
  auto& unknown = unknown_[link.zone];
  const bool is_full = link.first_events.contains(event.index);
  if (is_full) {
    expected.clear(type.name);
    std::erase_if(unknown, [&](const Key& key) { return key.type == type.name; });
  }
  std::size_t stored = 0;
  for (const auto& received : response->resources) {
    const auto key = key_of(received.resource);
    const auto copy = plane_.find(type.name, key.mesh, stored_name(link, type, key.name));
    if (copy && copy->is_copy() && same_spec(type, copy->spec, received.resource.spec)) ++stored;
    expected.erase(key);
    unknown.erase(key);
    const auto& origin = received.resource.labels.get(label::origin);
    const bool in_scope = is_global() || !type.provided_by_zone || (!origin.empty() && origin != "zone");
    if (recorded.kind == Outcome::Kind::nack || recorded.kind == Outcome::Kind::ended) {
      unknown.insert(key);
    } else if (in_scope) {
      expected.put(key, stored_form(link, received.resource));
    }
  }
  for (const auto& text : response->removed) {
    const auto removed = parse_removed(type, text);
    const Key key{type.name, removed.mesh, removed.name};
    const bool is_update = std::any_of(response->resources.begin(), response->resources.end(),
                                       [&](const auto& received) { return key_of(received.resource) == key; });
    if (!is_update) expected.erase(key);
  }
  // A NACK names no resource, but has a line for each that was refused; the others are stored.
  if (recorded.kind == Outcome::Kind::nack && stored + lines_of(recorded.text) != response->resources.size()) {
    differ("event " + std::to_string(event.index),
           "stores " + std::to_string(stored) + " of " + std::to_string(response->resources.size()));
  }
  compare_stored(link, type);
}

void Replay::compare_stored(const Link& link, const ResourceType& type) {
  const auto source = is_global() ? link.zone : std::string(source_global);
  const auto& expected = expected_[link.zone];
  std::set<std::pair<std::string, std::string>> known;
  for (const auto& [key, held] : expected.held()) {
    if (key.type != type.name) continue;
    ++counts_.comparisons;
    const auto name = stored_name(link, type, key.name);
    known.emplace(key.mesh, name);
    const auto copy = plane_.find(type.name, key.mesh, name);
    const bool is_there = copy && copy->source == source;
    auto found = is_there ? held_of(*copy) : Held{};
    if (is_global() && has_zone_in_spec(type.name)) found.spec = held.spec;
    if (!is_global()) found.status = held.status;  // a zone keeps its own
    if (!same(&held, is_there ? &found : nullptr)) {
      differ("stored " + held.shown_name(key), text(is_there ? &found : nullptr) + "\n      instead of " + text(&held));
    }
  }
  for (const auto& key : unknown_[link.zone]) known.emplace(key.mesh, stored_name(link, type, key.name));
  plane_.core->index().each_of_source(type, source, [&](const ResourcePtr& copy) {
    if (!known.contains({copy->mesh, copy->name}))
      differ("stored " + held_of(*copy).shown_name(key_of(*copy)), "is stored and should not be");
  });
}

void Replay::compare_sent(bool is_last) {
  for (const auto& [number, link] : connections_) {
    if (is_alive(link->out)) compare_sent(*link, is_last);
  }
}

// A Kuma control plane sends a change up to two seconds after its cause, and the notes came faster: what it sent by the
// next note counts, too.
void Replay::compare_sent(Link& link, bool is_last) {
  std::set<Key> keys;
  for (const auto& [key, held] : link.recorded.held()) keys.insert(key);
  for (const auto& [key, held] : link.sent.held()) keys.insert(key);
  for (const auto& [key, held] : link.late) keys.insert(key);
  const auto late = std::exchange(link.late, {});
  for (const auto& key : keys) {
    ++counts_.comparisons;
    const auto* recorded = link.recorded.find(key);
    const auto* sent = link.sent.find(key);
    const auto report = [&](const Held* found) {
      const auto* shown = recorded != nullptr ? recorded : found;
      if (shown == nullptr) return;
      differ(link.zone + ": " + shown->shown_name(key), text(found) + "\n      instead of " + text(recorded), key.name);
    };
    if (auto before = late.find(key); before != late.end()) {
      const auto* earlier = before->second ? &*before->second : nullptr;
      if (!same(recorded, earlier) && !same(recorded, sent)) report(earlier);
    }
    if (same(recorded, sent)) continue;
    if (is_last) {
      report(sent);
    } else {
      link.late[key] = sent != nullptr ? std::optional<Held>(*sent) : std::nullopt;
    }
  }
  if (is_last && is_scripted() && link.recorded_types != link.sent_types)
    differ(link.zone + ": types", "other types are answered");
}

}  // namespace kdsd::kds::replay
