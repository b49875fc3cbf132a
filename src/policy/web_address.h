// Addresses of collectors in confs: URLs, and hosts with ports.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kdsd::policy {

struct Uri {
  std::string scheme;  // lower case
  std::string opaque;  // what follows a scheme without a slash: `8126` of `collector:8126`
  bool has_user = false;
  std::string host;  // without the port
  std::string port;  // empty: none
  std::string path;
  std::string query;
};

// Nothing where the text is no URI with a scheme.
std::optional<Uri> parse_uri(std::string_view text);

// Host or URL: `otel.example:4317`, `https://user@host/path`. A host is an address, has a dot in it, or is localhost;
// behind a scheme it may be any word.
bool is_web_address(std::string_view text);

}  // namespace kdsd::policy
