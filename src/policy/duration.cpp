#include "policy/duration.h"

#include <array>
#include <limits>
#include <utility>

namespace kdsd::policy {
namespace {

using Wide = long double;  // 64 bits of mantissa: every whole number of nanoseconds that fits an int64 is exact

// Longer units first where one is the beginning of another.
constexpr std::array<std::pair<std::string_view, Wide>, 8> units = {{{"ns", 1.0L},
                                                                     {"us", 1e3L},
                                                                     {"\xC2\xB5s", 1e3L},
                                                                     {"\xCE\xBCs", 1e3L},
                                                                     {"ms", 1e6L},
                                                                     {"s", 1e9L},
                                                                     {"m", 60e9L},
                                                                     {"h", 3600e9L}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes digits off the front of `text`; the number of them.
std::size_t take_number(std::string_view& text, Wide& number, Wide first_scale) {
  std::size_t count = 0;
  Wide scale = first_scale;
  while (count < text.size() && is_digit(text[count])) {
    const Wide digit = text[count] - '0';
    if (first_scale == 1.0L) {
      number = number * 10 + digit;
    } else {
      number += digit * scale;
      scale /= 10;
    }
    ++count;
  }
  text.remove_prefix(count);
  return count;
}

std::optional<Wide> take_unit(std::string_view& text) {
  for (const auto& [name, nanos] : units) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    return nanos;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_go_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  Wide total = 0;
  while (!text.empty()) {
    Wide number = 0;
    std::size_t digits = take_number(text, number, 1.0L);
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      digits += take_number(text, number, 0.1L);
    }
    if (digits == 0) return std::nullopt;
    auto unit = take_unit(text);
    if (!unit) return std::nullopt;
    total += number * *unit;
    if (total > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  }
  // A fraction such as 0.1 is not exact in binary; the nearest whole number is what was meant.
  const auto nanos = static_cast<std::int64_t>(total + 1e-4L);
  return negative ? -nanos : nanos;
}

}  // namespace kdsd::policy
