// The order of policies that select one proxy, from low to high priority: a strict total order (policy-semantics.md 7).
//
// Pure.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "policy/engine/applied_policy.h"

namespace kdsd::policy {

// Keys 1 to 5 and 7 to 10; less is lower. Equal only for two copies of one resource.
std::strong_ordering compare_policies(const AppliedPolicy& a, const AppliedPolicy& b);

void sort_policies(AppliedPolicies& policies);

enum class ItemPrecedence { last, first };  // which of two items of one policy is the higher one (D-01)

struct ItemOrder {
  ItemPrecedence precedence = ItemPrecedence::last;
  bool with_kinds = true;  // key 6, the kind of an item's reference (D-03)
};

// One element of `to` of a policy.
struct ToItem {
  const AppliedPolicy* policy = nullptr;
  std::size_t index = 0;
};

// Every `to` item of the policies, ordered by keys 1 to 11.
std::vector<ToItem> ordered_to_items(const AppliedPolicies& policies, const ItemOrder& order);

}  // namespace kdsd::policy
