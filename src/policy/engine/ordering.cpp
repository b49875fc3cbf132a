#include "policy/engine/ordering.h"

#include <algorithm>

#include "model/json.h"

namespace kdsd::policy {
namespace {

// Keys 7 to 10: the smaller text is higher.
std::strong_ordering compare_names(const AppliedPolicy& a, const AppliedPolicy& b) {
  if (const auto order = b.display_name <=> a.display_name; order != 0) return order;
  if (const auto order = b.namespace_() <=> a.namespace_(); order != 0) return order;
  if (const auto order = b.zone() <=> a.zone(); order != 0) return order;
  return b.name <=> a.name;
}

// Key 6.
struct ItemRank {
  int kind = 0;
  int section = 0;
  friend auto operator<=>(const ItemRank&, const ItemRank&) = default;
};

ItemRank rank_of(const ToItem& item) {
  const auto& value = item.policy->items("to")[item.index];
  const auto kind = find_text(value, {"targetRef", "kind"});
  const bool has_sections = kind == "MeshService" || kind == "MeshMultiZoneService";
  return {kind_rank(kind), has_sections && !find_text(value, {"targetRef", "sectionName"}).empty() ? 1 : 0};
}

struct RankedItem {
  ToItem item;
  ItemRank rank;
};

}  // namespace

std::strong_ordering compare_policies(const AppliedPolicy& a, const AppliedPolicy& b) {
  if (const auto order = a.rank <=> b.rank; order != 0) return order;
  return compare_names(a, b);
}

void sort_policies(AppliedPolicies& policies) {
  std::sort(policies.begin(), policies.end(),
            [](const AppliedPolicyPtr& a, const AppliedPolicyPtr& b) { return compare_policies(*a, *b) < 0; });
}

std::vector<ToItem> ordered_to_items(const AppliedPolicies& policies, const ItemOrder& order) {
  std::vector<RankedItem> ranked;
  for (const auto& policy : policies) {
    for (std::size_t i = 0; i < policy->items("to").size(); ++i) {
      const ToItem item{policy.get(), i};
      ranked.push_back({item, order.with_kinds ? rank_of(item) : ItemRank{}});
    }
  }
  std::sort(ranked.begin(), ranked.end(), [&](const RankedItem& a, const RankedItem& b) {
    if (const auto found = a.item.policy->rank <=> b.item.policy->rank; found != 0) return found < 0;
    if (const auto found = a.rank <=> b.rank; found != 0) return found < 0;
    if (const auto found = compare_names(*a.item.policy, *b.item.policy); found != 0) return found < 0;
    return order.precedence == ItemPrecedence::last ? a.item.index < b.item.index : a.item.index > b.item.index;
  });
  std::vector<ToItem> out;
  out.reserve(ranked.size());
  for (const auto& item : ranked) out.push_back(item.item);
  return out;
}

}  // namespace kdsd::policy
