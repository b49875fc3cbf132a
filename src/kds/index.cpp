#include "kds/index.h"

#include <algorithm>

namespace kdsd::kds {

Index::Index(const Catalogue& catalogue) : catalogue_(catalogue) {
  for (const auto* type : catalogue.types()) types_[type];
}

std::string Index::wire_key(std::string_view mesh, std::string_view wire_name) {
  std::string key(mesh);
  key += '\n';  // in no name
  key += wire_name;
  return key;
}

Index::TypeState& Index::state(const ResourceType& type) { return types_[&type]; }

const Index::TypeState* Index::state_if(const ResourceType& type) const {
  auto it = types_.find(&type);
  return it == types_.end() ? nullptr : &it->second;
}

void Index::forget(TypeState& state, const EntryPtr& entry) {
  state.entries.erase(entry);
  state.log.erase(entry->revision.value);
  if (!entry->resource) {
    state.tombstones.erase(entry->revision.value);
    return;
  }
  --state.live;
  auto in_mesh = state.live_by_mesh.find(entry->key.mesh);
  if (in_mesh != state.live_by_mesh.end() && --in_mesh->second == 0) state.live_by_mesh.erase(in_mesh);
  auto named = state.by_wire_name.find(wire_key(entry->key.mesh, entry->current().wire_name));
  if (named != state.by_wire_name.end() && named->second == entry) state.by_wire_name.erase(named);
  state.for_own_stores.erase(entry);
  if (entry->resource->is_copy()) {
    auto sent = state.by_source.find(entry->resource->source);
    if (sent != state.by_source.end()) {
      sent->second.erase(entry);
      if (sent->second.empty()) state.by_source.erase(sent);
    }
  }
}

void Index::apply(const EntryPtr& entry) {
  auto& types = state(*entry->key.type);
  auto known = types.entries.find(KeyView{entry->key.mesh, entry->key.name});
  if (known != types.entries.end()) {
    EntryPtr old = *known;
    forget(types, old);
  }
  types.entries.insert(entry);
  types.log[entry->revision.value] = entry;
  if (entry->resource) {
    ++types.live;
    ++types.live_by_mesh[entry->key.mesh];
    types.by_wire_name[wire_key(entry->key.mesh, entry->current().wire_name)] = entry;
    if (entry->resource->is_copy()) types.by_source[entry->resource->source].insert(entry);
    if ((entry->current().needs & feature_bit::own_store) != 0) types.for_own_stores.insert(entry);
  } else {
    types.tombstones[entry->revision.value] = entry;
  }
  head_ = std::max(head_, entry->revision);
}

void Index::purge(const ResourceKey& key) {
  auto& types = state(*key.type);
  auto known = types.entries.find(KeyView{key.mesh, key.name});
  if (known == types.entries.end() || (*known)->resource) return;
  EntryPtr old = *known;
  types.floor = std::max(types.floor, old->revision);
  forget(types, old);
}

void Index::erase(const ResourceKey& key) {
  auto& types = state(*key.type);
  auto known = types.entries.find(KeyView{key.mesh, key.name});
  if (known == types.entries.end()) return;
  EntryPtr old = *known;
  forget(types, old);
  types.erasures.push_back({++erasures_, old->key});
  if (types.erasures.size() <= limits::erasures_kept) return;
  types.forgotten = types.erasures.front().number;
  types.erasures.pop_front();
}

void Index::set_floor(const ResourceType& type, Revision floor) { state(type).floor = floor; }
void Index::set_head(Revision head) { head_ = std::max(head_, head); }

EntryPtr Index::find_entry(const ResourceKey& key) const {
  const auto* types = state_if(*key.type);
  if (types == nullptr) return nullptr;
  auto it = types->entries.find(KeyView{key.mesh, key.name});
  return it == types->entries.end() ? nullptr : *it;
}

ResourcePtr Index::find(const ResourceType& type, std::string_view mesh, std::string_view name) const {
  const auto* types = state_if(type);
  if (types == nullptr) return nullptr;
  auto it = types->entries.find(KeyView{mesh, name});
  return it == types->entries.end() ? nullptr : (*it)->resource;
}

ResourcePtr Index::find_by_wire_name(const ResourceType& type, std::string_view mesh,
                                     std::string_view wire_name) const {
  const auto* types = state_if(type);
  if (types == nullptr) return nullptr;
  auto it = types->by_wire_name.find(wire_key(mesh, wire_name));
  return it == types->by_wire_name.end() ? nullptr : it->second->resource;
}

void Index::each(const ResourceType& type, const Visit& visit) const {
  const auto* types = state_if(type);
  if (types == nullptr) return;
  for (const auto& entry : types->entries) {
    if (entry->resource) visit(entry->resource);
  }
}

void Index::each_in_mesh(const ResourceType& type, std::string_view mesh, const Visit& visit) const {
  const auto* types = state_if(type);
  if (types == nullptr) return;
  for (auto it = types->entries.lower_bound(KeyView{mesh, {}}); it != types->entries.end() && (*it)->key.mesh == mesh;
       ++it) {
    if ((*it)->resource) visit((*it)->resource);
  }
}

void Index::each_of_source(const ResourceType& type, std::string_view source, const Visit& visit) const {
  const auto* types = state_if(type);
  if (types == nullptr) return;
  auto it = types->by_source.find(source);
  if (it == types->by_source.end()) return;
  for (const auto& entry : it->second) visit(entry->resource);
}

void Index::each_for_own_stores(const ResourceType& type, const std::function<void(const Entry&)>& visit) const {
  const auto* types = state_if(type);
  if (types == nullptr) return;
  for (const auto& entry : types->for_own_stores) visit(*entry);
}

EntryPtr Index::next_after(const ResourceType& type, Revision after) const {
  const auto* types = state_if(type);
  if (types == nullptr) return nullptr;
  auto it = types->log.upper_bound(after.value);
  return it == types->log.end() ? nullptr : it->second;
}

std::optional<Index::Changes> Index::changes_since(const ResourceType& type, const Position& seen) const {
  Changes out;
  const auto* types = state_if(type);
  if (types == nullptr) return out;
  if (seen.head < types->floor || seen.erasures < types->forgotten) return std::nullopt;
  for (auto it = types->log.upper_bound(seen.head.value); it != types->log.end(); ++it)
    out.entries.push_back(it->second);
  const auto missed = std::upper_bound(types->erasures.begin(), types->erasures.end(), seen.erasures,
                                       [](auto number, const auto& erasure) { return number < erasure.number; });
  for (auto it = missed; it != types->erasures.end(); ++it) {
    // What was made again under the same key has its entry above.
    if (!types->entries.contains(KeyView{it->key.mesh, it->key.name})) out.erased.push_back(it->key);
  }
  return out;
}

std::size_t Index::count(const ResourceType& type) const {
  const auto* types = state_if(type);
  return types ? types->live : 0;
}

std::size_t Index::count(const ResourceType& type, std::string_view mesh) const {
  const auto* types = state_if(type);
  if (types == nullptr) return 0;
  auto it = types->live_by_mesh.find(mesh);
  return it == types->live_by_mesh.end() ? 0 : it->second;
}

std::size_t Index::tombstones(const ResourceType& type) const {
  const auto* types = state_if(type);
  return types ? types->tombstones.size() : 0;
}

std::vector<EntryPtr> Index::oldest_tombstones(const ResourceType& type, std::size_t limit) const {
  std::vector<EntryPtr> out;
  const auto* types = state_if(type);
  if (types == nullptr) return out;
  for (const auto& [revision, entry] : types->tombstones) {
    if (out.size() >= limit) break;
    out.push_back(entry);
  }
  return out;
}

Revision Index::head(const ResourceType& type) const {
  const auto* types = state_if(type);
  return types == nullptr || types->log.empty() ? Revision{} : Revision{types->log.rbegin()->first};
}

Revision Index::floor(const ResourceType& type) const {
  const auto* types = state_if(type);
  return types ? types->floor : Revision{};
}

}  // namespace kdsd::kds
