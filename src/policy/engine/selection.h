// Which proxies a policy selects, and which of their inbounds and listeners (policy-semantics.md 6).
//
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/engine/applied_policy.h"
#include "policy/engine/proxy.h"

namespace kdsd::policy {

struct Selection {
  std::vector<std::size_t> inbounds;   // positions in Proxy::inbounds
  std::vector<std::size_t> listeners;  // positions in Proxy::listeners
  bool is_delegated_gateway = false;   // the gateway itself, which has no inbounds
  std::vector<std::string> warnings;

  bool is_selected() const { return !inbounds.empty() || !listeners.empty() || is_delegated_gateway; }
  bool has_inbound(std::size_t position) const;
};

// `routes`: those of the mesh, for policies that are attached to one. Shadow policies are no exception here: whoever
// collects policies leaves them out.
Selection select(const AppliedPolicy& policy, const Proxy& proxy, const AppliedPolicies& routes);

// An older policy, which has no reference of its own, selects proxies by tags: some set of the proxy's tags has what
// one of the policy's selectors demands.
bool select_by_tags(const boost::json::value& spec, const Proxy& proxy);

// The scope alone: whether a policy may select proxies with these labels (6.2).
bool in_scope(const AppliedPolicy& policy, const Labels& proxy_labels);

}  // namespace kdsd::policy
