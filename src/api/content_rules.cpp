#include "api/content_rules.h"

#include <algorithm>

namespace kdsd::api {
namespace {

// A real origin is a scheme, a host name and a port. Matching long ones would cost a regular expression's recursion.
constexpr std::size_t origin_bytes_max = 512;
constexpr const char* preflight_methods = "GET, PUT, POST, DELETE";

std::string lower_trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (;;) {
    const auto end = std::min(text.find(separator), text.size());
    out.push_back(lower_trimmed(text.substr(0, end)));
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

bool is_refused(const std::vector<std::string>& range) {
  return std::any_of(range.begin() + 1, range.end(), [](const std::string& parameter) {
    return parameter.starts_with("q=0") && parameter.find_first_not_of("0.", 2) == std::string::npos;
  });
}

}  // namespace

bool accepts_json(std::string_view accept) {
  if (lower_trimmed(accept).empty()) return true;
  for (const auto& entry : split(accept, ',')) {
    const auto range = split(entry, ';');
    const bool covers =
        range[0] == "*/*" || range[0] == "*" || range[0] == "application/*" || range[0] == "application/json";
    if (covers && !is_refused(range)) return true;
  }
  return false;
}

bool is_json(std::string_view content_type) {
  const auto type = split(content_type, ';')[0];
  return type.empty() || type == "application/json";
}

Cors::Cors(const std::vector<std::string>& domains) : exact_(domains) {
  for (const auto& domain : domains) {
    try {
      patterns_.emplace_back(domain, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error&) {
      continue;  // a plain text with characters that mean something in expressions
    }
  }
}

bool Cors::allows(std::string_view origin) const {
  if (origin.empty() || origin.size() > origin_bytes_max) return false;
  if (std::find(exact_.begin(), exact_.end(), origin) != exact_.end()) return true;
  try {
    return std::any_of(patterns_.begin(), patterns_.end(), [&](const std::regex& pattern) {
      return std::regex_match(origin.begin(), origin.end(), pattern);
    });
  } catch (const std::regex_error&) {
    return false;  // the expression is too costly for this text
  }
}

std::optional<Response> Cors::preflight(const Request& request) const {
  const bool is_preflight = request.method == "OPTIONS" && request.has_header("access-control-request-method");
  if (!is_preflight || !allows(request.header("origin"))) return std::nullopt;
  Response response{200, {{"access-control-allow-methods", preflight_methods}}, {}};
  if (request.has_header("access-control-request-headers")) {
    response.headers.emplace_back("access-control-allow-headers", request.header("access-control-request-headers"));
  }
  decorate(request, response);
  return response;
}

void Cors::decorate(const Request& request, Response& response) const {
  if (exact_.empty()) return;
  response.headers.emplace_back("vary", "Origin");
  const auto origin = request.header("origin");
  if (!allows(origin)) return;
  response.headers.emplace_back("access-control-allow-origin", origin);
  response.headers.emplace_back("access-control-expose-headers", "Access-Control-Allow-Origin");
}

}  // namespace kdsd::api
