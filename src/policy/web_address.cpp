#include "policy/web_address.h"

#include <algorithm>
#include <array>

#include "policy/web_address_shape.h"

namespace kdsd::policy {
namespace {

constexpr std::size_t shortest_address_bytes = 4;
constexpr std::size_t longest_address_characters = 2082;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return is_ascii(c) && (c < ' ' || c == 0x7f); });
}

// Every percent sign begins an escape.
bool is_escaped(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2]))) return false;
  }
  return true;
}

bool consists_of(std::string_view text, std::string_view marks) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_digit(c) || is_letter(c) || marks.find(c) != std::string_view::npos; });
}

bool is_user(std::string_view text) { return is_escaped(text) && consists_of(text, "-._:~!$&'()*+,;=%@"); }

// Escapes stand for bytes beyond ASCII only.
bool is_host_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    constexpr std::string_view marks = "-_.~!$&'()*+,;=:[]<>\"";
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 2]) || !is_hex(text[i + 1])) return false;
      if (is_digit(text[i + 1]) && text[i + 1] < '8' && text.substr(i, 3) != "%25") return false;
    } else if (is_ascii(text[i]) && !consists_of(text.substr(i, 1), marks)) {
      return false;
    }
  }
  return true;
}

// Nothing, or a colon and digits.
bool is_port_part(std::string_view text) {
  return text.empty() || (text.front() == ':' && std::all_of(text.begin() + 1, text.end(), is_digit));
}

bool is_host(std::string_view host, std::string_view scheme) {
  if (!is_host_text(host)) return false;
  if (host.starts_with('[')) {
    const auto end = host.rfind(']');
    return end != std::string_view::npos && is_ipv6_literal(host.substr(1, end - 1)) &&
           is_port_part(host.substr(end + 1));
  }
  if (host.find('[') != std::string_view::npos) return false;
  const bool strict = scheme == "http" || scheme == "https";
  const auto colon = strict ? host.find(':') : host.rfind(':');
  return colon == std::string_view::npos || is_port_part(host.substr(colon));
}

// Takes `scheme:` off the front; false where something is wrong with it.
bool take_scheme(std::string_view& text, std::string& scheme) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c)) continue;
    if (c == ':') {
      if (i == 0) return false;
      scheme = text.substr(0, i);
      std::transform(scheme.begin(), scheme.end(), scheme.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
      });
      text.remove_prefix(i + 1);
      return true;
    }
    if (i == 0 || !consists_of(text.substr(i, 1), "+-.")) return true;
  }
  return true;
}

bool take_authority(std::string_view& text, Uri& uri) {
  text.remove_prefix(2);
  auto authority = text.substr(0, text.find('/'));
  text.remove_prefix(authority.size());
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    if (!is_user(authority.substr(0, at))) return false;
    uri.has_user = true;
    authority.remove_prefix(at + 1);
  }
  uri.host = authority;
  return is_host(authority, uri.scheme);
}

// `request`: as in the first line of an HTTP request, which has no relative paths.
std::optional<Uri> parse(std::string_view text, bool request) {
  Uri uri;
  if (has_control_character(text) || (request && text.empty())) return std::nullopt;
  if (text == "*") {
    uri.path = text;
    return uri;
  }
  if (!take_scheme(text, uri.scheme)) return std::nullopt;
  if (const auto mark = text.find('?'); mark != std::string_view::npos) {
    uri.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (!text.starts_with('/')) {
    if (!uri.scheme.empty()) {
      uri.opaque = text;
      return uri;
    }
    if (request || text.substr(0, text.find('/')).find(':') != std::string_view::npos) return std::nullopt;
  }
  const bool has_authority = text.starts_with("//") && (!uri.scheme.empty() || (!request && !text.starts_with("///")));
  if (has_authority && !take_authority(text, uri)) return std::nullopt;
  if (!is_escaped(text)) return std::nullopt;
  uri.path = text;
  return uri;
}

}  // namespace

std::optional<Uri> parse_request_uri(std::string_view text) { return parse(text, true); }

std::string_view port_of(const Uri& uri) {
  const auto colon = uri.host.rfind(':');
  if (colon == std::string::npos) return {};
  const auto part = std::string_view(uri.host).substr(colon);
  return is_port_part(part) ? part.substr(1) : std::string_view();
}

bool is_web_address(std::string_view text) {
  if (text.size() < shortest_address_bytes || text.starts_with('.')) return false;
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  if (static_cast<std::size_t>(characters) > longest_address_characters) return false;
  // A colon may stand before a port, where no scheme does.
  const bool bare = text.find(':') != std::string_view::npos && text.find("://") == std::string_view::npos;
  const auto whole = bare ? "http://" + std::string(text) : std::string(text);
  const auto hash = whole.find('#');
  if (hash != std::string::npos && !is_escaped(std::string_view(whole).substr(hash + 1))) return false;
  const auto uri = parse(std::string_view(whole).substr(0, hash), false);
  if (!uri || uri->host.starts_with('.')) return false;
  if (uri->host.empty() && !uri->path.empty() && uri->path.find('.') == std::string::npos) return false;
  return has_web_address_shape(text);
}

}  // namespace kdsd::policy
