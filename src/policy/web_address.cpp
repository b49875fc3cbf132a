#include "policy/web_address.h"

#include <algorithm>
#include <re2/re2.h>

#include "policy/text_forms.h"

namespace kdsd::policy {
namespace {

constexpr std::size_t longest_address_characters = 2082;
constexpr std::size_t shortest_address_bytes = 4;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte behind a `%` at that place; -1: it is broken.
int escaped_byte(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size()) return -1;
  const int high = hex_value(text[at + 1]);
  const int low = hex_value(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool has_sound_escapes(std::string_view text) {
  for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (escaped_byte(text, at) < 0) return false;
  }
  return true;
}

bool is_user_character(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("-._:~!$&'()*+,;=%@").find(c) != std::string_view::npos;
}

bool is_host_character(char c) {
  return !is_ascii(c) || is_letter(c) || is_digit(c) ||
         std::string_view("-_.~!$&'()*+,;=:[]<>\"").find(c) != std::string_view::npos;
}

// In a host an escape stands for bytes beyond ASCII, or for the percent sign itself.
bool is_host(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (!is_host_character(text[i])) return false;
      continue;
    }
    const auto byte = escaped_byte(text, i);
    if (byte < 0 || (byte < 0x80 && byte != '%')) return false;
    i += 2;
  }
  return true;
}

// Takes apart as Go does; `request`: the target of a request, in which nothing but a path goes without a scheme.
class Parser {
 public:
  explicit Parser(bool request) : request_(request) {}

  std::optional<Uri> parse(std::string_view text) {
    if (std::any_of(text.begin(), text.end(), is_control) || (request_ && text.empty())) return std::nullopt;
    if (text == "*") {
      out_.path = text;
      return out_;
    }
    if (!take_scheme(text)) return std::nullopt;
    if (const auto query = text.find('?'); query != std::string_view::npos) {
      out_.query = text.substr(query + 1);
      text = text.substr(0, query);
    }
    if (!text.starts_with('/')) {
      if (!out_.scheme.empty()) {
        out_.opaque = text;
        return out_;
      }
      if (request_ || text.substr(0, text.find('/')).find(':') != std::string_view::npos) return std::nullopt;
    }
    const bool may_have_host = !out_.scheme.empty() || (!request_ && !text.starts_with("///"));
    if (may_have_host && text.starts_with("//")) {
      text.remove_prefix(2);
      const auto end = std::min(text.find('/'), text.size());
      if (!take_authority(text.substr(0, end))) return std::nullopt;
      text.remove_prefix(end);
    }
    if (!has_sound_escapes(text)) return std::nullopt;
    out_.path = text;
    return out_;
  }

 private:
  // False where it should have one and has not.
  bool take_scheme(std::string_view& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == ':') {
        if (i == 0) return false;
        for (const char each : text.substr(0, i))
          out_.scheme += each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
        text.remove_prefix(i + 1);
        return true;
      }
      const bool goes_on = is_letter(c) || (i > 0 && (is_digit(c) || c == '+' || c == '-' || c == '.'));
      if (!goes_on) return true;
    }
    return true;
  }

  bool take_authority(std::string_view text) {
    if (const auto at = text.rfind('@'); at != std::string_view::npos) {
      const auto user = text.substr(0, at);
      if (!std::all_of(user.begin(), user.end(), is_user_character) || !has_sound_escapes(user)) return false;
      out_.has_user = true;
      text.remove_prefix(at + 1);
    }
    auto end = text.rfind(':');
    if (text.starts_with('[')) {
      end = text.rfind(']');
      if (end == std::string_view::npos) return false;
      ++end;
    }
    end = std::min(end, text.size());
    const auto port = text.substr(end);
    if (!port.empty() && (port.front() != ':' || !std::all_of(port.begin() + 1, port.end(), is_digit))) return false;
    // What names a zone of an address may hold any escape.
    const auto host = text.substr(0, end);
    const auto zone = text.starts_with('[') ? host.find("%25") : std::string_view::npos;
    if (!is_host(host.substr(0, zone))) return false;
    if (zone != std::string_view::npos && !has_sound_escapes(host.substr(zone))) return false;
    if (text.starts_with('[')) {
      if (!is_ip(host.substr(1, std::min(zone, host.size() - 1) - 1))) return false;
    } else if (host.find(':') != std::string_view::npos) {
      return false;
    }
    out_.host = host;
    if (!port.empty()) out_.port = port.substr(1);
    return true;
  }

  bool request_;
  Uri out_;
};

std::optional<Uri> parse_url(std::string_view text) {
  const auto fragment = std::min(text.find('#'), text.size());
  if (!has_sound_escapes(text.substr(fragment))) return std::nullopt;
  return Parser(false).parse(text.substr(0, fragment));
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// The host of an address by its looks: an IPv4 address, an IPv6 address in brackets, or words of letters and digits, of
// which the last may go beyond ASCII and a last one behind a dot has no digits. The only group is what stands in
// brackets.
const re2::RE2& address_form() {
  static const std::string word = R"([0-9A-Za-z\x{a1}-\x{ffff}])";
  static const std::string tail = word + "+(?:--?" + word + R"(+)*(?:\.[A-Za-z\x{a1}-\x{ffff}]+)?)";
  static const std::string dashed = R"([0-9A-Za-z][0-9A-Za-z_-]*[0-9A-Za-z](?:[-.][0-9A-Za-z]+)*)";
  static const std::string dotted = R"(www\.|[0-9A-Za-z]+(?:[-_.]?[0-9A-Za-z])*[0-9A-Za-z]\.[0-9A-Za-z]+)";
  static const std::string byte = R"((?:[0-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5]))";
  static const std::string first_byte = R"((?:[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5]))";
  static const std::string ipv4 = first_byte + R"((?:\.)" + byte + "){3}";
  static const std::string host = "(?:" + ipv4 + R"(|\[([^\]\s]*)\]|(?:)" + dashed + "|" + dotted + ")?" + tail + ")";
  static const re2::RE2 form(R"((?:(?:ftp|tcp|udp|wss?|https?)://)?(?:\S+@)?)" + host +
                             R"(\.?(?::[0-9]{1,5})?(?:[/?#]\S*)?)");
  return form;
}

// With a zone only where it is local to a link.
bool is_bracketed_address(std::string_view text) {
  const auto zone = text.find('%');
  if (zone != std::string_view::npos && (!text.starts_with("fe80:") || zone + 1 == text.size())) return false;
  return text.find(':') != std::string_view::npos && is_ip(text.substr(0, zone));
}

}  // namespace

std::optional<Uri> parse_request_uri(std::string_view text) { return Parser(true).parse(text); }

bool is_web_address(std::string_view text) {
  if (text.size() < shortest_address_bytes || text.starts_with('.')) return false;
  if (characters(text) > longest_address_characters) return false;
  const bool lacks_scheme = text.find(':') != std::string_view::npos && text.find("://") == std::string_view::npos;
  const auto uri = parse_url(lacks_scheme ? "http://" + std::string(text) : std::string(text));
  if (!uri || uri->host.starts_with('.')) return false;
  if (uri->host.empty() && !uri->path.empty() && uri->path.find('.') == std::string::npos) return false;
  std::string bracketed;
  if (!re2::RE2::FullMatch({text.data(), text.size()}, address_form(), &bracketed)) return false;
  return bracketed.empty() || is_bracketed_address(bracketed);
}

}  // namespace kdsd::policy
