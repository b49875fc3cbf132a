// The policies that select one proxy, by type, and which of its inbounds and listeners each of them selects.
//
// Pure (policy-semantics.md 6, 8.1).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/engine/applied_policy.h"
#include "policy/engine/proxy.h"
#include "policy/engine/selection.h"

namespace kdsd::policy {

struct MatchedPolicies {
  const ResourceType* type = nullptr;
  AppliedPolicies policies;
  std::vector<Selection> selections;  // of the policy at the same position
  std::vector<std::string> warnings;

  // Those that are about destinations as such: a policy that is attached to a route is about that route's requests
  // only.
  AppliedPolicies for_destinations() const;
  AppliedPolicies on_inbound(std::size_t position) const;
  AppliedPolicies on_listener(std::size_t position) const;
};

// A shadow policy takes part only when somebody asks for it (6.1).
AppliedPolicies taking_part(const AppliedPolicies& policies, bool with_shadow);

// In the order of type names; types of which no policy selects the proxy are left out. `routes`: those of the mesh.
// Shadow policies are left out unless asked for; a reference to a shadow route finds it all the same, as in 2.13.
std::vector<MatchedPolicies> match_policies(const Proxy& proxy, const AppliedPolicies& candidates,
                                            const AppliedPolicies& routes, bool with_shadow);

}  // namespace kdsd::policy
