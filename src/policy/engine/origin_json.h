// Field origins as JSON: for each field of a conf the policies that gave it its value.
//
// Pure.
#pragma once

#include <boost/json/array.hpp>
#include <functional>
#include <string>
#include <vector>

#include "policy/engine/conf.h"

namespace kdsd::policy {

// `[{"field": "http.requestTimeout", "origin": ["slow"]}, …]`; `name_of` gives what a source is called.
boost::json::array origin_json(const std::vector<FieldOrigin>& fields,
                               const std::function<std::string(std::size_t source)>& name_of);

}  // namespace kdsd::policy
