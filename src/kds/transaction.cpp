#include "kds/transaction.h"

#include <algorithm>

namespace kdsd::kds {

void Staged::set(const ResourceKey& key, Item item) {
  auto [it, is_new] = items.try_emplace(key);
  if (is_new) order.push_back(key);
  if (item.audience_only && !is_new) return;  // the change that is staged already gets a fresh look anyway
  it->second = std::move(item);
}

void Staged::merge(const Staged& other) {
  for (const auto& key : other.order) set(key, other.items.at(key));
  for (const auto& [name, text] : other.facts) facts[name] = text;
  for (const auto& [wire, name] : other.relayed) relayed[wire] = name;
  deleted_zones.insert(other.deleted_zones.begin(), other.deleted_zones.end());
}

const Staged::Item* Transaction::staged_item(const ResourceKey& key) const {
  for (const Staged* staged : {&own_, &earlier_}) {
    auto it = staged->items.find(key);
    if (it != staged->items.end()) return &it->second;
  }
  return nullptr;
}

ResourcePtr Transaction::find(const ResourceType& type, std::string_view mesh, std::string_view name) const {
  if (own_.items.empty() && earlier_.items.empty()) return index_.find(type, mesh, name);
  const auto* item = staged_item({&type, std::string(mesh), std::string(name)});
  if (item != nullptr) return item->resource;
  return index_.find(type, mesh, name);
}

ResourcePtr Transaction::find_by_wire_name(const ResourceType& type, std::string_view mesh,
                                           std::string_view wire_name) const {
  auto found = index_.find_by_wire_name(type, mesh, wire_name);
  if (!found) return nullptr;
  const auto* item = staged_item(found->key());
  return item != nullptr ? item->resource : found;
}

std::string Transaction::written_under(const ResourceType& type, const std::string& mesh,
                                       const std::string& wire_name) const {
  for (const Staged* staged : {&own_, &earlier_}) {
    const auto found = staged->relayed.find({&type, mesh, wire_name});
    if (found != staged->relayed.end() && find(type, mesh, found->second)) return found->second;
  }
  return {};
}

void Transaction::each_staged(const ResourceType& type, const std::string& mesh, const Index::Visit& visit) const {
  for (const Staged* staged : {&own_, &earlier_}) {
    for (auto it = staged->items.lower_bound({&type, mesh, ""}); it != staged->items.end(); ++it) {
      if (it->first.type != &type || it->first.mesh != mesh) break;
      if (!it->second.resource || (staged == &earlier_ && own_.items.contains(it->first))) continue;
      visit(it->second.resource);
    }
  }
}

std::vector<ResourcePtr> Transaction::merge_list(const ResourceType& type,
                                                 const std::function<void(const Index::Visit&)>& stored,
                                                 const std::function<bool(const Resource&)>& wanted) const {
  std::vector<ResourcePtr> out;
  const bool plain = own_.items.empty() && earlier_.items.empty();
  stored([&](const ResourcePtr& resource) {
    if (plain || staged_item(resource->key()) == nullptr) out.push_back(resource);
  });
  if (plain) return out;
  for (const Staged* staged : {&own_, &earlier_}) {
    for (const auto& [key, item] : staged->items) {
      if (key.type != &type || !item.resource || !wanted(*item.resource)) continue;
      if (staged == &earlier_ && own_.items.contains(key)) continue;
      out.push_back(item.resource);
    }
  }
  std::sort(out.begin(), out.end(), [](const ResourcePtr& a, const ResourcePtr& b) {
    if (int order = a->mesh.compare(b->mesh); order != 0) return order < 0;
    return a->name < b->name;
  });
  return out;
}

std::vector<ResourcePtr> Transaction::list(const ResourceType& type) const {
  return merge_list(
      type, [&](const Index::Visit& visit) { index_.each(type, visit); }, [](const Resource&) { return true; });
}

std::vector<ResourcePtr> Transaction::list_in_mesh(const ResourceType& type, std::string_view mesh) const {
  return merge_list(
      type, [&](const Index::Visit& visit) { index_.each_in_mesh(type, mesh, visit); },
      [&](const Resource& resource) { return resource.mesh == mesh; });
}

std::vector<ResourcePtr> Transaction::list_of_source(const ResourceType& type, std::string_view source) const {
  return merge_list(
      type, [&](const Index::Visit& visit) { index_.each_of_source(type, source, visit); },
      [&](const Resource& resource) { return resource.source == source; });
}

bool Transaction::put(Resource resource) {
  auto before = find(*resource.type, resource.mesh, resource.name);
  resource.modified = now_;
  if (before) {
    resource.created = before->created;
    // Clocks may stand still or step back; a change is always later than what it replaces.
    if (resource.modified <= before->modified) resource.modified = Timestamp{before->modified.nanos + 1};
  } else {
    resource.created = now_;
  }
  auto key = resource.key();
  own_.set(key, {std::make_shared<const Resource>(std::move(resource)), false, std::nullopt, false});
  return before == nullptr;
}

void Transaction::remove(const ResourceKey& key) { own_.set(key, {nullptr, false, std::nullopt, false}); }

void Transaction::move(const ResourceKey& from, Resource resource) {
  const auto to = resource.key();
  own_.set(from, {nullptr, false, std::nullopt, true});
  own_.set(to, {std::make_shared<const Resource>(std::move(resource)), false, from, false});
}

std::string Transaction::fact(const std::string& name) const {
  if (facts_ == nullptr) return {};
  auto it = facts_->find(name);
  return it == facts_->end() ? std::string() : it->second;
}

void Transaction::touch(const ResourceKey& key) {
  auto resource = find(*key.type, key.mesh, key.name);
  if (resource) own_.set(key, {resource, true, std::nullopt, false});
}

void Transaction::set_fact(const std::string& name, const std::string& text) { own_.facts[name] = text; }

std::vector<ResourceKey> remove_with_dependents(Transaction& transaction, const Resource& resource) {
  std::vector<ResourceKey> gone;
  const auto& catalogue = transaction.catalogue();
  const auto key = resource.key();
  if (key.type->name == "Mesh") {
    for (const auto* type : catalogue.types()) {
      if (!type->mesh_scoped) continue;
      for (const auto& dependent : transaction.list_in_mesh(*type, key.name)) {
        if (dependent->is_copy()) continue;
        transaction.remove(dependent->key());
        gone.push_back(dependent->key());
      }
    }
    if (const auto* insight = catalogue.find("MeshInsight")) transaction.remove({insight, "", key.name});
  } else if (key.type->name == "Zone") {
    for (const auto* type : catalogue.types()) {
      for (const auto& sent : transaction.list_of_source(*type, key.name)) transaction.remove(sent->key());
      // Where the zone stood no longer holds: it has to send everything when it returns.
      if (type->zone_to_global()) transaction.set_fact("resume." + key.name + "." + type->name, "");
    }
    transaction.set_fact("delivered." + key.name, "");
    transaction.note_deleted_zone(key.name);
    if (const auto* insight = catalogue.find("ZoneInsight")) transaction.remove({insight, "", key.name});
  }
  transaction.remove(key);
  return gone;
}

}  // namespace kdsd::kds
