// Policies without items: what their `default` gives for one proxy (policy-semantics.md 8.4).
//
// Pure. Results point to the policies, which must outlive them.
#pragma once

#include <boost/json/value.hpp>
#include <vector>

#include "policy/engine/applied_policy.h"
#include "policy/engine/conf.h"

namespace kdsd::policy {

struct ProxyRule {
  boost::json::value conf;
  std::vector<FieldOrigin> fields;           // sources are positions in `origin`
  std::vector<const AppliedPolicy*> origin;  // low to high; empty: no policy, and no conf
};

// `policies`: of one type, those that select the proxy, in any order.
ProxyRule merge_single(AppliedPolicies policies);

// Whether a type has neither `to` nor `from` nor `rules`.
bool is_single_item(const ResourceType& type);

}  // namespace kdsd::policy
