#include "policy/engine/contributors.h"

#include <algorithm>

namespace kdsd::policy {

void Contributors::add(const AppliedPolicy* policy) {
  const auto [it, is_new] = position_of_.emplace(policy, policies_.size());
  if (is_new) policies_.push_back(policy);
  of_item_.push_back(it->second);
}

std::vector<FieldOrigin> Contributors::by_policy(std::vector<FieldOrigin> by_item) const {
  for (auto& field : by_item) {
    for (auto& source : field.sources) source = of_item_[source];
    field.sources.erase(std::unique(field.sources.begin(), field.sources.end()), field.sources.end());
  }
  return by_item;
}

}  // namespace kdsd::policy
