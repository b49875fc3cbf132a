// What evaluations of policies answer, as tables: which clients or destinations get which field, and from whom.
//
// Pure.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

namespace kdsd::app::cli {

// Fields of a conf with their values: objects are walked into, everything else is one field.
std::vector<std::pair<std::string, std::string>> conf_fields(const boost::json::value& conf);

// `app=web, not ns=shop`; `everybody` without matchers.
std::string matchers_text(const boost::json::value& matchers);

// The client that a principal of an RBAC filter stands for.
std::string principal_text(const boost::json::value& principal);

std::string merge_text(const boost::json::value& answer);
std::string rbac_text(const boost::json::value& config);
std::string grant_text(const boost::json::value& answer);
std::string attachment_text(const boost::json::value& answer);

// `warning: …` lines.
std::string warnings_text(const boost::json::value& answer);

}  // namespace kdsd::app::cli
