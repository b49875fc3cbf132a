// Merging the confs of MeshHTTPRoutes: rules with equal matches become one, a list for each hostname
// (policy-semantics.md 8.2).
//
// Pure. A conf is `{rules: [{matches, default}], hostnames}`; members of another kind count as missing.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "policy/engine/conf.h"

namespace kdsd::policy {

// The result for one hostname.
struct MergedRoute {
  boost::json::value conf;
  std::vector<FieldOrigin> fields;  // `rules[0].default.filters`
};

// One result for each hostname, in the order in which they appear; without confs there is none.
std::vector<MergedRoute> merge_routes(const Confs& low_to_high);

// What merging them takes (policy/engine/merge_budget.h): each hostname repeats all rules of its confs.
std::size_t merged_route_parts(const Confs& confs);

// Equal for values that are equal as JSON, whatever the order of their members.
std::string canonical_text(const boost::json::value& value);

}  // namespace kdsd::policy
