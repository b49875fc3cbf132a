// What rules of proto-encoded types ask of a member. In their JSON a zero may be written or left out, and means the
// same.
//
// Pure.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/conf_checks.h"

namespace kdsd::policy {

// 0 where there is none.
std::int64_t natural(const ConfValue& value);
// Of numbers with decimal places: `NaN` and `Infinity` are texts.
double real(const ConfValue& value);

// A duration that is there and 0.
bool is_zero_duration(const ConfValue& value);

// A name of an enum; `zero` where there is none.
std::string_view enum_name(const ConfValue& value, std::string_view zero);

// Null where it is no object.
const boost::json::object* members(const ConfValue& value);

// Upper-case letters of ASCII become lower-case ones.
std::string lower_case(std::string_view text);

// As Go quotes texts: `"a\n"`.
std::string go_quoted(std::string_view text);
// The value of a map under its key: `tags["kuma.io/zone"]`.
ConfValue under_key(const ConfValue& map, std::string_view key);

// `cannot be empty` where there is no text.
void check_not_empty(const ConfValue& text);
// `port must be in the range [1, 65535]`
void check_port_in_range(const ConfValue& port);
// A percentage that has to be there, as `percentage` of `holder`.
void check_percentage_of(const ConfValue& holder);

}  // namespace kdsd::policy
