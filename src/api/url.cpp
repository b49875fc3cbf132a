#include "api/url.h"

#include <algorithm>

namespace kdsd::api {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// Bytes that follow the first byte of a UTF-8 sequence, and the smallest code point such a sequence may stand for.
struct Sequence {
  int following = 0;
  std::uint32_t smallest = 0;
  std::uint32_t value = 0;
};

bool begin_sequence(unsigned char first, Sequence& out) {
  if (first < 0x80) {
    out = {0, 0, first};
  } else if (first >= 0xc2 && first <= 0xdf) {
    out = {1, 0x80, first & 0x1fU};
  } else if (first >= 0xe0 && first <= 0xef) {
    out = {2, 0x800, first & 0x0fU};
  } else if (first >= 0xf0 && first <= 0xf4) {
    out = {3, 0x10000, first & 0x07U};
  } else {
    return false;
  }
  return true;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    Sequence sequence;
    if (!begin_sequence(static_cast<unsigned char>(text[i]), sequence)) return false;
    for (int n = 0; n < sequence.following; ++n) {
      if (++i >= text.size()) return false;
      auto byte = static_cast<unsigned char>(text[i]);
      if ((byte & 0xc0U) != 0x80U) return false;
      sequence.value = (sequence.value << 6U) | (byte & 0x3fU);
    }
    const bool surrogate = sequence.value >= 0xd800 && sequence.value <= 0xdfff;
    if (sequence.value < sequence.smallest || sequence.value > 0x10ffff || surrogate) return false;
  }
  return true;
}

Result<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return Status(Code::malformed, "bad request: invalid percent-encoding");
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

std::string encode_query_text(std::string_view text) {
  static constexpr char hex[] = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += hex[byte >> 4U];
      out += hex[byte & 0x0fU];
    }
  }
  return out;
}

Result<TextPairs> parse_query(std::string_view text) {
  TextPairs pairs;
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const auto pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const auto equals = std::min(pair.find('='), pair.size());
    auto key = percent_decode(pair.substr(0, equals), true);
    auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!key.ok()) return key.status();
    if (!value.ok()) return value.status();
    const bool readable = is_utf8(*key) && is_utf8(*value) && key->find('\0') == std::string::npos &&
                          value->find('\0') == std::string::npos;
    if (!readable) return Status(Code::malformed, "bad request: the query is no UTF-8 text");
    pairs.emplace_back(std::move(*key), std::move(*value));
  }
  return pairs;
}

std::string format_query(TextPairs pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [key, value] : pairs) {
    if (!out.empty()) out += '&';
    out += encode_query_text(key) + "=" + encode_query_text(value);
  }
  return out;
}

Result<std::vector<std::string>> split_path(std::string_view path) {
  std::vector<std::string> parts;
  if (!path.starts_with('/')) return Status(Code::malformed, "bad request: the path does not begin with a slash");
  path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty()) return parts;
  for (;;) {
    const auto end = std::min(path.find('/'), path.size());
    auto part = percent_decode(path.substr(0, end), false);
    if (!part.ok()) return part.status();
    const bool trick = *part == "." || *part == ".." || part->find('/') != std::string::npos ||
                       part->find('\\') != std::string::npos || has_control(*part) || !is_utf8(*part);
    if (trick) return Status(Code::malformed, "bad request: invalid characters in the path");
    parts.push_back(std::move(*part));
    if (end == path.size()) return parts;
    path.remove_prefix(end + 1);
  }
}

}  // namespace kdsd::api
