// Addresses of collectors in confs: URLs, and hosts with ports.
//
// Pure. What counts is what Go's URL parser and the validators of Kuma take, which the URL of RFC 3986 is not: hosts
// may hold quotes and any character beyond ASCII, ports may be any digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kdsd::policy {

struct Uri {
  std::string scheme;  // lower case; empty: none
  std::string opaque;  // what follows a scheme without a slash: `8126` of `collector:8126`
  bool has_user = false;
  std::string host;  // without the port
  std::string port;  // empty: none
  std::string path;
  std::string query;
};

// What the target of a request may be: with a scheme, or a path. A fragment is no part of it. Nothing otherwise.
std::optional<Uri> parse_request_uri(std::string_view text);

// Host or URL: `otel.example:4317`, `otel-collector:4317`, `https://user@host/path`.
bool is_web_address(std::string_view text);

}  // namespace kdsd::policy
