// `to` items as rules for destinations told apart by tags, which older clients read (policy-semantics.md 12.1.1).
//
// Pure. Results point to the policies, which must outlive them.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "policy/engine/applied_policy.h"
#include "policy/engine/client_partition.h"
#include "policy/engine/conf.h"

namespace kdsd::policy {

struct TagRule {
  std::vector<TagMatcher> matchers;
  boost::json::value conf;
  std::vector<FieldOrigin> fields;           // on demand; sources are positions in `origin`
  std::vector<const AppliedPolicy*> origin;  // contributing policies, low to high, once each
};

struct TagRules {
  std::vector<TagRule> rules;
  std::vector<std::string> notes;
};

// `policies`: of one type, those that select the proxy, in any order. `routes`: those of the mesh.
// `with_fields`: whether TagRule::fields is wanted.
TagRules merge_to_by_tags(const AppliedPolicies& policies, const AppliedPolicies& routes, bool with_fields = false);

// What names the matches of a rule of a MeshHTTPRoute: base64 of the SHA-256 of them as 2.13 spells them.
std::string matches_hash(const boost::json::value& matches);

}  // namespace kdsd::policy
