#include "api/log_follower.h"

#include <algorithm>
#include <set>

namespace kdsd::api {

LogFollower::Changes LogFollower::changes_since(const kds::Index& index,
                                                const std::optional<Position>& position) const {
  Changes out;
  out.position = index.position();
  for (const auto* type : types_) {
    auto changes = position ? index.changes_since(*type, *position) : std::nullopt;
    if (!changes) {
      auto& whole = out.whole[type];
      whole.reserve(index.count(*type));
      index.each(*type, [&](const ResourcePtr& resource) { whole.push_back(resource); });
      continue;
    }
    out.entries.insert(out.entries.end(), changes->entries.begin(), changes->entries.end());
    out.erased.insert(out.erased.end(), changes->erased.begin(), changes->erased.end());
  }
  std::sort(out.entries.begin(), out.entries.end(),
            [](const EntryPtr& a, const EntryPtr& b) { return a->revision < b->revision; });
  return out;
}

// Another thread may have taken over the same changes, or newer ones, meanwhile. Where it took over a part of them,
// taking that part again changes nothing: they say what is there at their position, not how it came to that.
void LogFollower::apply(const Changes& changes, const Receiver& receiver) {
  if (position_ && changes.position <= *position_) return;
  position_ = changes.position;
  for (const auto* type : types_) {
    const auto whole = changes.whole.find(type);
    if (whole != changes.whole.end()) take_whole(*type, whole->second, receiver);
  }
  for (const auto& key : changes.erased) remove(*key.type, {key.mesh, key.name}, receiver);
  for (const auto& entry : changes.entries) {
    if (!entry->resource) {
      remove(*entry->key.type, {entry->key.mesh, entry->key.name}, receiver);
    } else if (is_new(entry->resource)) {
      put(entry->resource, receiver);
    }
  }
}

bool LogFollower::is_new(const ResourcePtr& resource) const {
  const auto of_type = known_.find(resource->type);
  if (of_type == known_.end()) return true;
  const auto known = of_type->second.find({resource->mesh, resource->name});
  return known == of_type->second.end() || known->second != resource;
}

void LogFollower::put(const ResourcePtr& resource, const Receiver& receiver) {
  known_[resource->type][{resource->mesh, resource->name}] = resource;
  receiver.put(resource);
}

void LogFollower::remove(const ResourceType& type, const Name& name, const Receiver& receiver) {
  if (known_[&type].erase(name) > 0) receiver.remove(type, name.first, name.second);
}

void LogFollower::take_whole(const ResourceType& type, const std::vector<ResourcePtr>& resources,
                             const Receiver& receiver) {
  std::set<Name> there;
  for (const auto& resource : resources) there.emplace(resource->mesh, resource->name);
  std::vector<Name> gone;
  for (const auto& [name, resource] : known_[&type]) {
    if (!there.contains(name)) gone.push_back(name);
  }
  for (const auto& name : gone) remove(type, name, receiver);
  for (const auto& resource : resources) {
    if (is_new(resource)) put(resource, receiver);
  }
}

}  // namespace kdsd::api
