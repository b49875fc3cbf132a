#include "api/answers.h"

#include "model/json.h"

namespace kdsd::api {

Response json_response(int status, const boost::json::object& body) {
  return {status, {{"content-type", "application/json"}}, to_pretty_json(body)};
}

Response text_response(int status, std::string content_type, std::string body) {
  return {status, {{"content-type", std::move(content_type)}}, std::move(body)};
}

}  // namespace kdsd::api
