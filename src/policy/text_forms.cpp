#include "policy/text_forms.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace kdsd::policy {
namespace {

constexpr std::size_t dns_label_bytes = 63;
constexpr std::size_t dns_name_bytes = 255;  // without dots
constexpr std::size_t windows_path_bytes = 32767;
constexpr int ipv4_parts = 4;
constexpr unsigned ipv4_bits = 32;
constexpr unsigned ipv6_bits = 128;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_ip_of(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> parsed{};
  return text.find('\0') == std::string_view::npos && inet_pton(family, std::string(text).c_str(), parsed.data()) == 1;
}

// Digits only, and not beyond `most`.
std::optional<unsigned> small_number(std::string_view text, unsigned most) {
  unsigned number = 0;
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most) return std::nullopt;
  return number;
}

// Takes the part up to the next `mark` off the front.
std::string_view take_part(std::string_view& text, char mark) {
  const auto end = text.find(mark);
  const auto part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

bool is_windows_path(std::string_view text) {
  if (text.size() < 3 || !is_letter(text[0]) || text[1] != ':' || text[2] != '\\') return false;
  text.remove_prefix(3);
  constexpr std::string_view illegal = "/:*?\"<>|\r\n";
  return text.size() <= windows_path_bytes && text.find_first_of(illegal) == std::string_view::npos &&
         !text.starts_with('\\') && text.find("\\\\") == std::string_view::npos;
}

bool is_dns_label(std::string_view label) {
  if (label.empty() || label.size() > dns_label_bytes || label.front() == '-') return false;
  return std::all_of(label.begin(), label.end(),
                     [](char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '_'; });
}

bool are_dns_labels(std::string_view text) {
  while (true) {
    const auto dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

bool is_file_path(std::string_view text) {
  return is_windows_path(text) || (text.starts_with('/') && text.find('\0') == std::string_view::npos);
}

bool is_ip(std::string_view text) { return is_ip_of(AF_INET, text) || is_ip_of(AF_INET6, text); }

bool is_sloppy_ipv4(std::string_view text) {
  constexpr unsigned most_part = 255;
  if (std::count(text.begin(), text.end(), '.') != ipv4_parts - 1) return false;
  for (int i = 0; i < ipv4_parts; ++i) {
    if (!small_number(take_part(text, '.'), most_part)) return false;
  }
  return true;
}

bool is_cidr(std::string_view text) {
  const auto address = take_part(text, '/');
  if (is_ip_of(AF_INET, address)) return small_number(text, ipv4_bits).has_value();
  return is_ip_of(AF_INET6, address) && small_number(text, ipv6_bits).has_value();
}

bool is_dns_name(std::string_view text) {
  if (text.empty() ||
      text.size() - static_cast<std::size_t>(std::count(text.begin(), text.end(), '.')) > dns_name_bytes)
    return false;
  if (is_ip(text)) return false;
  if (are_dns_labels(text)) return true;
  // One dot may end it, or one underscore more than a label holds.
  const bool ends = text.ends_with('.') || text.ends_with('_');
  return ends && are_dns_labels(text.substr(0, text.size() - 1));
}

bool is_bandwidth(std::string_view text) {
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  if (constexpr std::string_view blanks = " \t\n\f\r"; !text.empty() && blanks.find(text.front()) != blanks.npos) {
    text.remove_prefix(1);
  }
  constexpr std::string_view unit = "bps";
  if (!text.ends_with(unit)) return false;
  text.remove_suffix(unit.size());
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c == 'G' || c == 'M' || c == 'k'; });
}

bool is_port(std::string_view text) {
  constexpr unsigned most_port = 65535;
  return small_number(text, most_port).value_or(0) > 0;
}

}  // namespace kdsd::policy
