// The answers of `_rules` and `_rbac` as tables: what applies to a proxy, where, and from which policy.
//
// Pure.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace kdsd::app::cli {

// TYPE, PLACE, FIELD, VALUE, ORIGIN. The origin is that of each field where the answer has it, else the policies that
// contribute to the rule.
std::string rules_text(const boost::json::value& answer);

// One table of clients for each inbound.
std::string proxy_rbac_text(const boost::json::value& answer);

}  // namespace kdsd::app::cli
