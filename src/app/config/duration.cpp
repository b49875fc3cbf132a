#include "app/config/duration.h"

#include <array>
#include <limits>

namespace kdsd::app {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t nanos;
};

// Longer names first, so that "ms" is not read as "m".
constexpr std::array<Unit, 8> units{{{"ns", 1},
                                     {"us", 1'000},
                                     {"\u00b5s", 1'000},
                                     {"\u03bcs", 1'000},
                                     {"ms", 1'000'000},
                                     {"h", 3'600'000'000'000},
                                     {"m", 60'000'000'000},
                                     {"s", 1'000'000'000}}};

// The magnitude of the smallest 64-bit value; one more than that of the largest.
constexpr std::uint64_t magnitude_max = std::uint64_t{1} << 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "12.5" of "12.5s": the whole part, and the fraction as a numerator over a power of ten.
struct Number {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  double scale = 1;
};

bool take_number(std::string_view& text, Number& number) {
  std::size_t digits = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits) {
    if (number.whole > magnitude_max / 10) return false;
    number.whole = number.whole * 10 + static_cast<std::uint64_t>(text.front() - '0');
  }
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits) {
      // More digits than fit cannot change a result in whole nanoseconds.
      if (number.fraction > magnitude_max / 100) continue;
      number.fraction = number.fraction * 10 + static_cast<std::uint64_t>(text.front() - '0');
      number.scale *= 10;
    }
  }
  return digits > 0 && number.whole <= magnitude_max;
}

const Unit* take_unit(std::string_view& text) {
  for (const auto& unit : units) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return &unit;
  }
  return nullptr;
}

// `value` / 10^`places` without trailing zeros.
std::string decimal(std::uint64_t value, int places) {
  std::string digits = std::to_string(value);
  if (digits.size() <= static_cast<std::size_t>(places)) digits.insert(0, places + 1 - digits.size(), '0');
  std::string whole = digits.substr(0, digits.size() - places);
  std::string fraction = digits.substr(digits.size() - places);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fraction.empty() ? whole : whole + "." + fraction;
}

}  // namespace

std::string format_duration(std::int64_t nanos) {
  if (nanos == 0) return "0s";
  const bool negative = nanos < 0;
  const std::uint64_t left = negative ? ~static_cast<std::uint64_t>(nanos) + 1 : static_cast<std::uint64_t>(nanos);
  std::string out = negative ? "-" : "";
  if (left < 1'000) return out + std::to_string(left) + "ns";
  if (left < 1'000'000) return out + decimal(left, 3) + "\u00b5s";
  if (left < 1'000'000'000) return out + decimal(left, 6) + "ms";
  const std::uint64_t minute = 60'000'000'000;
  const std::uint64_t minutes = left / minute;
  if (minutes >= 60) out += std::to_string(minutes / 60) + "h";
  if (minutes > 0) out += std::to_string(minutes % 60) + "m";
  return out + decimal(left % minute, 9) + "s";
}

Result<std::int64_t> parse_duration(std::string_view text) {
  const Status refusal(Code::malformed, "\"" + std::string(text) + "\" is no duration such as 1m30s or 250ms");
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return std::int64_t{0};
  if (text.empty()) return refusal;
  std::uint64_t total = 0;
  while (!text.empty()) {
    Number number;
    if (!take_number(text, number)) return refusal;
    const Unit* unit = take_unit(text);
    if (unit == nullptr || number.whole > magnitude_max / unit->nanos) return refusal;
    const auto fraction = static_cast<std::uint64_t>(static_cast<double>(number.fraction) *
                                                     (static_cast<double>(unit->nanos) / number.scale));
    // Neither sum can wrap: each part stays far enough below 2^64.
    const std::uint64_t part = number.whole * unit->nanos + fraction;
    if (part > magnitude_max - total) return refusal;
    total += part;
  }
  if (negative) return static_cast<std::int64_t>(~total + 1);
  if (total > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return refusal;
  return static_cast<std::int64_t>(total);
}

}  // namespace kdsd::app
