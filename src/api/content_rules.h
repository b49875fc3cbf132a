// `Accept`, `Content-Type` and cross-origin headers (rest-api.md 1).
//
// Pure.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"

namespace kdsd::api {

// Whether an answer in JSON is fine for a client that sent this `Accept`; empty text is.
bool accepts_json(std::string_view accept);
// application/json, whatever its parameters; a missing header counts as JSON.
bool is_json(std::string_view content_type);

class Cors {
 public:
  // Each entry matches an origin as it stands, or as a regular expression over the whole origin. An entry that is no
  // regular expression matches as it stands only.
  explicit Cors(const std::vector<std::string>& domains);

  bool allows(std::string_view origin) const;
  // The answer to a preflight request; nothing if the request is none.
  std::optional<Response> preflight(const Request& request) const;
  void decorate(const Request& request, Response& response) const;

 private:
  std::vector<std::string> exact_;
  std::vector<std::regex> patterns_;
};

}  // namespace kdsd::api
