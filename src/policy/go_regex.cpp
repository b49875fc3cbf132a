#include "policy/go_regex.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace kdsd::policy {
namespace {

constexpr std::size_t most_nesting = 1000;
constexpr int most_repeats = 1000;
constexpr unsigned last_character = 0x10FFFF;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Scanner {
 public:
  explicit Scanner(std::string_view pattern) : rest_(pattern) {}

  bool is_legal() {
    while (!rest_.empty()) {
      repeated_now_ = false;
      if (!take()) return false;
      repeated_before_ = repeated_now_;
    }
    return open_ == 0;
  }

 private:
  bool take() {
    const char c = rest_.front();
    if (c == '(') return take_open();
    if (c == ')') return take_close();
    if (c == '[') return take_class() && take_operand();
    if (c == '\\') return take_backslash();
    if (c == '*' || c == '+' || c == '?') {
      rest_.remove_prefix(1);
      return take_repeat();
    }
    if (c == '{') return take_braces();
    rest_.remove_prefix(1);
    operand_ = c != '|';
    return true;
  }

  bool take_operand() {
    operand_ = true;
    return true;
  }

  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  bool take_open() {
    rest_.remove_prefix(1);
    if (rest_.starts_with('?')) {
      rest_.remove_prefix(1);
      if (skip("P<") || skip("<")) {
        if (!take_name()) return false;
      } else if (const auto opens = take_flags(); !opens) {
        return false;
      } else if (!*opens) {
        return true;
      }
    }
    operand_ = false;
    return ++open_ <= most_nesting;
  }

  bool take_close() {
    rest_.remove_prefix(1);
    if (open_ == 0) return false;
    --open_;
    return take_operand();
  }

  bool take_name() {
    const auto end = rest_.find('>');
    if (end == std::string_view::npos || end == 0) return false;
    const auto name = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return std::all_of(name.begin(), name.end(), is_word);
  }

  // Whether a group follows the flags: `(?i:…)`, not `(?i)`. Nothing where they are none.
  std::optional<bool> take_flags() {
    bool negative = false;
    bool any = false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == ':' || c == ')') {
        if (negative && !any) return std::nullopt;
        return c == ':';
      }
      if (c == '-') {
        if (negative) return std::nullopt;
        negative = true;
        any = false;
      } else if (std::string_view("imsU").find(c) == std::string_view::npos) {
        return std::nullopt;
      } else {
        any = true;
      }
    }
    return std::nullopt;
  }

  bool take_repeat() {
    skip("?");
    if (repeated_before_ || !operand_) return false;
    repeated_now_ = true;
    return true;
  }

  // A number as a repeat has it: no zero in front.
  std::optional<int> take_count() {
    std::size_t digits = 0;
    while (digits < rest_.size() && is_digit(rest_[digits])) ++digits;
    if (digits == 0 || (digits > 1 && rest_.front() == '0')) return std::nullopt;
    int count = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + digits, count);
    rest_.remove_prefix(digits);
    return read.ec == std::errc() ? count : most_repeats + 1;
  }

  // Braces around anything but counts stand for themselves.
  bool take_braces() {
    rest_.remove_prefix(1);
    const auto behind = rest_;
    const auto least = take_count();
    auto most = least;
    bool counts = least.has_value();
    if (counts && skip(",")) {
      most = rest_.starts_with('}') ? least : take_count();
      counts = most.has_value();
    }
    if (!counts || !skip("}")) {
      rest_ = behind;
      return take_operand();
    }
    if (*least > most_repeats || *most > most_repeats || *least > *most) return false;
    return take_repeat();
  }

  bool take_backslash() {
    if (rest_.size() >= 2) {
      const char c = rest_[1];
      if (c == 'Q') {
        const auto end = rest_.find("\\E", 2);
        if (end != 2 && rest_.size() > 2) operand_ = true;
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
        return true;
      }
      if (std::string_view("AbBzdDsSwW").find(c) != std::string_view::npos) {
        rest_.remove_prefix(2);
        return take_operand();
      }
      if (c == 'p' || c == 'P') return take_unicode_class() && take_operand();
    }
    return take_escape() && take_operand();
  }

  // `\pL`, `\p{Greek}`, `\p{^Greek}`
  bool take_unicode_class() {
    rest_.remove_prefix(2);
    if (rest_.empty()) return false;
    if (!rest_.starts_with('{')) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      return std::string_view("CLMNPSZ").find(c) != std::string_view::npos;
    }
    const auto end = rest_.find('}');
    if (end == std::string_view::npos) return false;
    auto name = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (name.starts_with('^')) name.remove_prefix(1);
    return !name.empty() &&
           std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == ' ' || c == '-'; });
  }

  // A character behind a backslash.
  std::optional<unsigned> take_escape() {
    rest_.remove_prefix(1);
    if (rest_.empty()) return std::nullopt;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (is_octal(c)) return take_octal(c);
    if (c == 'x') return take_hexadecimal();
    constexpr std::string_view names = "afnrtv";
    constexpr std::string_view meanings = "\a\f\n\r\t\v";
    if (const auto at = names.find(c); at != std::string_view::npos) return static_cast<unsigned char>(meanings[at]);
    const bool mark = static_cast<unsigned char>(c) < 0x80 && (c == '_' || !is_word(c));
    if (!mark) return std::nullopt;
    return static_cast<unsigned char>(c);
  }

  // A lone digit other than zero would refer to a group.
  std::optional<unsigned> take_octal(char first) {
    if (first != '0' && (rest_.empty() || !is_octal(rest_.front()))) return std::nullopt;
    unsigned value = static_cast<unsigned>(first - '0');
    for (int i = 1; i < 3 && !rest_.empty() && is_octal(rest_.front()); ++i) {
      value = value * 8 + static_cast<unsigned>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  std::optional<unsigned> take_hexadecimal() {
    const bool braces = skip("{");
    const auto end = braces ? rest_.find('}') : std::min<std::size_t>(2, rest_.size());
    if (end == std::string_view::npos || end == 0 || (!braces && end != 2)) return std::nullopt;
    unsigned value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + end, value, 16);
    if (read.ec != std::errc() || read.ptr != rest_.data() + end || value > last_character) return std::nullopt;
    rest_.remove_prefix(end + (braces ? 1 : 0));
    return value;
  }

  // One character of a class, or nothing.
  std::optional<unsigned> take_class_character() {
    if (rest_.empty()) return std::nullopt;
    if (rest_.front() == '\\') return take_escape();
    const auto lead = static_cast<unsigned char>(rest_.front());
    const std::size_t size = std::min<std::size_t>(lead < 0xC0   ? 1
                                                   : lead < 0xE0 ? 2
                                                   : lead < 0xF0 ? 3
                                                                 : 4,
                                                   rest_.size());
    unsigned value = size == 1 ? lead : lead & (0xFFU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) value = (value << 6U) | (static_cast<unsigned char>(rest_[i]) & 0x3FU);
    rest_.remove_prefix(size);
    return value;
  }

  bool take_class() {
    rest_.remove_prefix(1);
    skip("^");
    for (bool first = true; first || !rest_.starts_with(']'); first = false) {
      if (rest_.empty() || !take_class_item()) return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  bool take_class_item() {
    if (rest_.starts_with("[:")) {
      if (const auto end = rest_.find(":]", 2); end != std::string_view::npos) {
        const auto name = rest_.substr(2, end - 2);
        rest_.remove_prefix(end + 2);
        return is_posix_class(name);
      }
    }
    if (rest_.starts_with("\\p") || rest_.starts_with("\\P")) return take_unicode_class();
    if (rest_.size() >= 2 && rest_.front() == '\\' &&
        std::string_view("dDsSwW").find(rest_[1]) != std::string_view::npos) {
      rest_.remove_prefix(2);
      return true;
    }
    const auto low = take_class_character();
    if (!low) return false;
    if (rest_.size() < 2 || rest_.front() != '-' || rest_[1] == ']') return true;
    rest_.remove_prefix(1);
    const auto high = take_class_character();
    return high && *high >= *low;
  }

  static bool is_posix_class(std::string_view name) {
    constexpr std::array<std::string_view, 14> known = {"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph",
                                                        "lower", "print", "punct", "space", "upper", "word",  "xdigit"};
    if (name.starts_with('^')) name.remove_prefix(1);
    return std::find(known.begin(), known.end(), name) != known.end();
  }

  std::string_view rest_;
  std::size_t open_ = 0;  // groups
  bool operand_ = false;  // whether something stands here that can be repeated
  bool repeated_before_ = false;
  bool repeated_now_ = false;
};

}  // namespace

bool is_go_regex(std::string_view pattern) { return Scanner(pattern).is_legal(); }

}  // namespace kdsd::policy
