#include "checker_leak.h"

#include "workload.h"

namespace kdsd::sim {

void LeakChecker::on_response(const ControlPlane& from, const Handle& handle, const std::string& zone,
                              const kds::Response& response) {
  const auto& type = world_.type(response.type);
  const auto& peer = world_.party(zone);
  const auto& to = from.is_global() ? peer : world_.global();
  const auto wanted = from.is_global() ? wanted_by_zone(from.resources(), from.place(), peer.place(), &type)
                                       : wanted_by_global(from.resources(), from.place(), to.place(), &type);
  auto& ever = sent_ever_[{handle.flow, zone}];
  for (const auto& text : response.removed) {
    auto removed = kds::parse_removed(type, text);
    if (!ever.contains({&type, removed.mesh, removed.name})) {
      world_.violation("leak", from.name() + " tells " + to.name() + " about the removal of " + type.name + " " + text +
                                   ", which it never had");
    }
  }
  for (const auto& item : response.resources) {
    check_sent(from, to, wanted, item.resource);
    ever.insert(item.resource.key());
  }
}

// Zone objects changed and the relayed resources are looked at again in batches: until that is done the former audience
// is in effect (design.md, step 4).
bool LeakChecker::is_being_withdrawn(const ControlPlane& from, const ControlPlane& to, const ResourceKey& key) const {
  if (!from.is_global() || !from.is_busy()) return false;
  for (const auto& [other, resource] : from.resources()) {
    if (other.type != key.type) continue;
    auto wanted = reaches_zone(*resource, from.resources(), from.place(), to.place(), true);
    if (wanted && wanted->key == key && wanted->only_if_enabled) return true;
  }
  return false;
}

void LeakChecker::check_sent(const ControlPlane& from, const ControlPlane& to, const WantedMap& wanted,
                             const Resource& resource) {
  auto key = resource.key();
  key.name = kept_as(*key.type, key.name, to.place());
  auto it = wanted.find(key);
  if (it == wanted.end()) {
    if (is_being_withdrawn(from, to, key)) return;
    return world_.violation("leak", from.name() + " sends " + to.name() + " " + key.text() + ", which is not for it");
  }
  const auto& expected = it->second;
  if (resource.labels != expected.labels) {
    return world_.violation("leak", from.name() + " sends " + to.name() + " " + key.text() + " with labels " +
                                        Content{true, resource.labels, ""}.text() + "instead of " +
                                        Content{true, expected.labels, ""}.text());
  }
  if (!same_meaning(*key.type, resource.spec, expected.spec)) {
    world_.violation("leak", from.name() + " sends " + to.name() + " " + key.text() + " with spec " + resource.spec +
                                 " instead of " + expected.spec);
  }
}

void LeakChecker::after_commit(const ControlPlane& at, const kds::CommitBatch& batch) {
  for (const auto& entry : batch.upserts) {
    if (!entry->resource || !entry->resource->is_copy()) continue;
    const auto& resource = *entry->resource;
    if (at.is_global()) {
      if (resource.labels.get("kuma.io/zone") != resource.source || resource.labels.get("kuma.io/origin") != "zone") {
        world_.violation("leak", "the global keeps " + entry->key.text() + " of " + resource.source +
                                     " without saying so in its labels");
      }
    } else if (resource.labels.get("kuma.io/zone") == at.place().zone && resource.source == source_global) {
      world_.violation("leak", at.name() + " keeps a copy of its own " + entry->key.text());
    }
  }
}

}  // namespace kdsd::sim
