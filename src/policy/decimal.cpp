#include "policy/decimal.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include "model/json.h"

namespace kdsd::policy {
namespace {

constexpr std::int64_t places_of_100 = 3;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What follows the `e`.
std::optional<std::int64_t> parse_exponent(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number < std::numeric_limits<std::int32_t>::min() || number > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return number;
}

// `digits` without zeros in front, times ten to the `exponent`.
bool is_above_100(std::string_view digits, std::int64_t exponent) {
  const auto places = static_cast<std::int64_t>(digits.size()) + exponent;
  if (places != places_of_100) return places > places_of_100;
  if (digits.front() != '1') return true;
  return std::any_of(digits.begin() + 1, digits.end(), [](char c) { return c != '0'; });
}

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view text) {
  std::int64_t exponent = 0;
  if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
    const auto number = parse_exponent(text.substr(e + 1));
    if (!number) return std::nullopt;
    exponent = *number;
    text = text.substr(0, e);
  }
  std::string digits(text);
  if (const auto point = text.find('.'); point != std::string_view::npos) {
    digits.erase(point, 1);
    exponent -= static_cast<std::int64_t>(text.size() - point - 1);
  }
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.erase(0, 1);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return Decimal{};
  return Decimal{negative ? -1 : 1, is_above_100(digits, exponent)};
}

std::optional<Decimal> decimal_of(const boost::json::value& value) {
  if (const auto* text = value.if_string()) return parse_decimal({text->data(), text->size()});
  const auto number = whole_number(value);
  return number ? parse_decimal(std::to_string(*number)) : std::nullopt;
}

}  // namespace kdsd::policy
