// URLs as peers read them.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kdsd::policy {

struct Uri {
  std::string scheme;  // lower case
  std::string opaque;  // what follows a scheme without a slash
  bool has_user = false;
  std::string host;  // with the port
  std::string path;
  std::string query;
};

// An absolute URI or an absolute path; a fragment is no part of it.
std::optional<Uri> parse_request_uri(std::string_view text);

// The port of the host, empty where there is none.
std::string_view port_of(const Uri& uri);

// Host or URL: `otel.example:4317`, `https://user@host/path`. A lone word is none.
bool is_web_address(std::string_view text);

}  // namespace kdsd::policy
