#include "policy/engine/matched_policies.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "model/json.h"

namespace kdsd::policy {
namespace {

bool is_route_kind(std::string_view kind) { return kind == "MeshHTTPRoute" || kind == "MeshTCPRoute"; }

template <typename Selects>
AppliedPolicies those(const MatchedPolicies& matched, Selects selects) {
  AppliedPolicies out;
  for (std::size_t i = 0; i < matched.policies.size(); ++i) {
    if (selects(matched.selections[i])) out.push_back(matched.policies[i]);
  }
  return out;
}

}  // namespace

AppliedPolicies MatchedPolicies::for_destinations() const {
  AppliedPolicies out;
  for (const auto& policy : policies) {
    if (!is_route_kind(find_text(policy->target(), {"kind"}))) out.push_back(policy);
  }
  return out;
}

AppliedPolicies MatchedPolicies::on_inbound(std::size_t position) const {
  return those(*this, [&](const Selection& selection) { return selection.has_inbound(position); });
}

AppliedPolicies MatchedPolicies::on_listener(std::size_t position) const {
  return those(*this, [&](const Selection& selection) {
    return std::find(selection.listeners.begin(), selection.listeners.end(), position) != selection.listeners.end();
  });
}

AppliedPolicies taking_part(const AppliedPolicies& policies, bool with_shadow) {
  AppliedPolicies out;
  std::copy_if(policies.begin(), policies.end(), std::back_inserter(out),
               [&](const AppliedPolicyPtr& policy) { return with_shadow || !policy->is_shadow; });
  return out;
}

std::vector<MatchedPolicies> match_policies(const Proxy& proxy, const AppliedPolicies& candidates,
                                            const AppliedPolicies& routes, bool with_shadow) {
  std::map<std::string, MatchedPolicies> by_type;
  for (const auto& policy : taking_part(candidates, with_shadow)) {
    auto selection = select(*policy, proxy, routes);
    auto& matched = by_type[policy->type->name];
    matched.type = policy->type;
    matched.warnings.insert(matched.warnings.end(), selection.warnings.begin(), selection.warnings.end());
    if (!selection.is_selected()) continue;
    matched.policies.push_back(policy);
    matched.selections.push_back(std::move(selection));
  }
  std::vector<MatchedPolicies> out;
  for (auto& [name, matched] : by_type) {
    if (!matched.policies.empty()) out.push_back(std::move(matched));
  }
  return out;
}

}  // namespace kdsd::policy
