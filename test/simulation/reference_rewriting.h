// What references by name become where a policy is received, written plainly from policy-semantics.md 4.3 and 4.4. Only
// the name hash is shared with the code under test.
#pragma once

#include <string>

#include "model/resource.h"

namespace kdsd::sim {

struct Place;

// `spec` as received, for a policy with the labels of `policy`; the place that receives it decides which step it is.
std::string with_local_references(const Resource& policy, const std::string& spec, const Place& at);

// Whether two specs of a policy are the same for who receives them. A kdsd zone knows them by what references become.
bool same_where_received(const Resource& policy, const std::string& a, const std::string& b, const Place& at,
                         bool is_kdsd);

}  // namespace kdsd::sim
