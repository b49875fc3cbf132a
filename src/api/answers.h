// Bodies of answers. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "api/http.h"

namespace kdsd::api {

// Indented JSON with a newline at the end (rest-api.md 1).
Response json_response(int status, const boost::json::object& body);

Response text_response(int status, std::string content_type, std::string body);

}  // namespace kdsd::api
