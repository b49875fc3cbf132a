#include "policy/web_address.h"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "policy/text_forms.h"

namespace kdsd::policy {
namespace {

constexpr std::size_t longest_address_bytes = 2082;
constexpr std::string_view after_scheme = "://";

std::string text_of(boost::core::string_view part) { return {part.data(), part.size()}; }

}  // namespace

std::optional<Uri> parse_uri(std::string_view text) {
  const auto parsed = boost::urls::parse_uri({text.data(), text.size()});
  if (!parsed) return std::nullopt;
  // The library takes what stands for a port and is no number for a path.
  const auto path = parsed->encoded_path();
  if (parsed->has_authority() && !path.empty() && !path.starts_with('/')) return std::nullopt;
  Uri out;
  for (const char c : text_of(parsed->scheme()))
    out.scheme += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  out.has_user = parsed->has_userinfo();
  out.host = text_of(parsed->encoded_host());
  out.port = text_of(parsed->port());
  out.query = text_of(parsed->encoded_query());
  const bool is_opaque = !parsed->has_authority() && !path.starts_with('/');
  (is_opaque ? out.opaque : out.path) = text_of(path);
  return out;
}

bool is_web_address(std::string_view text) {
  if (text.size() > longest_address_bytes) return false;
  const bool has_scheme = text.find(after_scheme) != std::string_view::npos;
  const auto uri = parse_uri(has_scheme ? std::string(text) : "http://" + std::string(text));
  if (!uri || uri->host.empty() || uri->host.starts_with('.')) return false;
  if (!uri->port.empty() && !is_port(uri->port)) return false;
  const bool is_lone_word = uri->host.find_first_of(".:") == std::string::npos;
  return has_scheme || !is_lone_word || (uri->host == "localhost" && !uri->port.empty());
}

}  // namespace kdsd::policy
