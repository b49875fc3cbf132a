#include "policy/engine/to_rules.h"

#include <algorithm>

#include "model/json.h"
#include "policy/engine/merge_budget.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

// Positions of items that name one object, by its section; empty: the whole object. Rising.
using ItemsBySection = std::map<std::string, std::vector<std::size_t>>;

struct Target {
  ResolvedObject object;  // of any of its sections
  ItemsBySection items;
};

std::vector<ResolvedObject> targets_of(const ToItem& item, const Catalogue& catalogue, const ObjectLookup& objects) {
  const auto* ref = find(item.policy->items("to")[item.index], {"targetRef"});
  if (ref == nullptr || !ref->is_object()) return {};
  return resolve(ref->get_object(), {&catalogue, item.policy->mesh, &item.policy->labels}, objects, Resolver::kdsd);
}

class Merger {
 public:
  Merger(std::vector<ToItem> items, const ResourceType& type, bool with_fields)
      : items_(std::move(items)), type_(type), with_fields_(with_fields) {
    for (const auto& item : items_) confs_.push_back(to_item_conf(type_, item.policy->items("to")[item.index]));
  }

  // False: there are too many, and nothing more needs to be added.
  bool add(std::size_t position, const ResolvedObject& target) {
    if (!targets_.take(1)) return false;
    const bool is_mesh = target.type->name == "Mesh";
    auto& known = is_mesh ? mesh_ : by_object_[object_kri(target)];
    if (known.items.empty()) known.object = target;
    auto& items = known.items[target.section];
    if (items.empty() || items.back() != position) items.push_back(position);
    return true;
  }

  ToRules run() {
    std::vector<ToRule> out;
    const auto on_mesh = mesh_items();
    if (!mesh_.items.empty()) out.push_back(rule(mesh_.object, on_mesh));
    for (const auto& [kri, target] : by_object_) {
      const auto whole = target.items.find("");
      for (const auto& [section, items] : target.items) {
        auto relevant = on_mesh;
        if (whole != target.items.end()) relevant.insert(relevant.end(), whole->second.begin(), whole->second.end());
        if (!section.empty()) relevant.insert(relevant.end(), items.begin(), items.end());
        std::sort(relevant.begin(), relevant.end());
        auto object = target.object;
        object.section = section;
        object.kri = kri + section;
        out.push_back(rule(std::move(object), relevant));
        if (budget_.is_spent()) return ToRules::too_many();
      }
    }
    if (budget_.is_spent()) return ToRules::too_many();
    std::sort(out.begin(), out.end(), [](const ToRule& a, const ToRule& b) { return a.target.kri < b.target.kri; });
    return ToRules(std::move(out));
  }

 private:
  std::vector<std::size_t> mesh_items() const {
    const auto it = mesh_.items.find("");
    return it == mesh_.items.end() ? std::vector<std::size_t>() : it->second;
  }

  ToRule rule(ResolvedObject object, const std::vector<std::size_t>& relevant) {
    if (!budget_.take(relevant.size())) return {};
    Confs confs;
    ToRule out{std::move(object), {}, {}};
    for (const auto position : relevant) {
      confs.push_back(&confs_[position]);
      out.origin.push_back(items_[position]);
    }
    if (!budget_.take(merged_parts_of(type_, confs))) return {};
    out.confs = merge_to_confs(type_, confs, with_fields_);
    return out;
  }

  const std::vector<ToItem> items_;
  const ResourceType& type_;
  const bool with_fields_;
  std::vector<json::value> confs_;  // of the items
  Target mesh_;
  std::map<std::string, Target> by_object_;
  MergeBudget targets_{limits::named_targets};
  MergeBudget budget_{limits::merged_parts};
};

}  // namespace

std::string object_kri(const ResolvedObject& object) {
  return object.kri.substr(0, object.kri.size() - object.section.size());
}

ToRules ToRules::too_many() {
  ToRules out({});
  out.is_complete_ = false;
  return out;
}

ToRules::ToRules(std::vector<ToRule> rules) : rules_(std::move(rules)) {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const auto& target = rules_[i].target;
    if (target.type->name == "Mesh") mesh_ = &rules_[i];
    by_target_[{object_kri(target), target.section}] = i;
  }
}

const ToRule* ToRules::at(std::string_view object_kri, std::string_view section) const {
  const auto it = by_target_.find(std::pair<std::string, std::string>(object_kri, section));
  return it == by_target_.end() ? nullptr : &rules_[it->second];
}

const ToRule* ToRules::find(std::string_view object_kri, std::string_view section, std::string_view route_kri) const {
  const ToRule* found = route_kri.empty() ? nullptr : at(route_kri, "");
  if (found == nullptr && !section.empty()) found = at(object_kri, section);
  if (found == nullptr) found = at(object_kri, "");
  return found != nullptr ? found : mesh_;
}

ToRules merge_to(const AppliedPolicies& policies, const Catalogue& catalogue, const ObjectLookup& objects,
                 const ItemOrder& order, bool with_fields) {
  if (policies.empty()) return ToRules({});
  auto items = ordered_to_items(policies, order);
  Merger merger(items, *policies.front()->type, with_fields);
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const auto& target : targets_of(items[i], catalogue, objects)) {
      if (!merger.add(i, target)) return ToRules::too_many();
    }
  }
  return merger.run();
}

void ask_for_targets(const AppliedPolicies& policies, const Catalogue& catalogue, const ObjectLookup& objects) {
  for (const auto& policy : policies) {
    for (std::size_t i = 0; i < policy->items("to").size(); ++i) targets_of({policy.get(), i}, catalogue, objects);
  }
}

}  // namespace kdsd::policy
