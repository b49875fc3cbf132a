// The pieces of which inspect answers are made (policy-semantics.md 12).
//
// Pure.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "policy/engine/applied_policy.h"
#include "policy/engine/client_partition.h"
#include "policy/engine/to_rules.h"

namespace kdsd::api {

// labels, mesh, name, type.
boost::json::object meta_json(const Labels& labels, const std::string& mesh, const std::string& name,
                              const std::string& type);
boost::json::object meta_json(const policy::AppliedPolicy& policy);

boost::json::object labels_json(const Labels& labels);
boost::json::array matchers_json(const std::vector<policy::TagMatcher>& matchers);

// One `{"kri": …}` for each contributing item or policy, low to high.
boost::json::array kri_origins(const std::vector<policy::ToItem>& items);
boost::json::array kri_origins(const std::vector<const policy::AppliedPolicy*>& policies);

// Metas of policies, low to high.
boost::json::array meta_origins(const std::vector<const policy::AppliedPolicy*>& policies);

// `{"resourceMeta": …, "ruleIndex": …}`.
boost::json::object item_origin(const policy::AppliedPolicy& policy, std::size_t index);

}  // namespace kdsd::api
