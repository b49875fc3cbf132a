#include "model/log_text.h"

#include <cstddef>

namespace kdsd {
namespace {

struct Character {
  char32_t point = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The first character of a text that is not empty.
Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t point = lead & (0x7f >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  }
  // Longer than it needs to be, half of a pair, or beyond the last character.
  const bool is_overlong = (bytes == 3 && point < 0x800) || (bytes == 4 && point < 0x10000);
  if (is_overlong || (point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) return {};
  return {point, bytes};
}

bool turns_direction(char32_t point) {
  return point == 0x61c || point == 0x200e || point == 0x200f || (point >= 0x202a && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069);
}

bool is_control(char32_t point) {
  const bool ends_line = point == 0x2028 || point == 0x2029;
  return point < 0x20 || (point >= 0x7f && point <= 0x9f) || ends_line || turns_direction(point);
}

void append_hex(std::string& out, char32_t number, int digits) {
  static constexpr char alphabet[] = "0123456789abcdef";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += alphabet[number >> shift & 0xf];
}

void append_escape(std::string& out, char32_t point) {
  if (point == '\n') {
    out += "\\n";
  } else if (point < 0x80) {
    append_hex(out += "\\x", point, 2);
  } else {
    append_hex(out += "\\u", point, 4);
  }
}

bool is_plain(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') || std::string_view("-_.:/+").find(c) != std::string_view::npos;
}

}  // namespace

std::string without_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [point, bytes] = first_of(text);
    if (bytes == 0) {
      append_hex(out += "\\x", static_cast<unsigned char>(text.front()), 2);
    } else if (is_control(point)) {
      append_escape(out, point);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

std::string log_quoted(std::string_view text) {
  std::string marked;
  for (const char c : text) {
    if (c == '"' || c == '\\') marked += '\\';
    marked += c;
  }
  return '"' + without_controls(marked) + '"';
}

std::string log_value(std::string_view text) {
  for (const char c : text) {
    if (!is_plain(c)) return log_quoted(text);
  }
  return std::string(text);
}

}  // namespace kdsd
