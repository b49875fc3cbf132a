#include "model/timestamp.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace kdsd {
namespace {

constexpr std::int64_t nanos_per_second = 1'000'000'000;

std::string seconds_text(std::int64_t seconds) {
  std::time_t at = seconds;
  std::tm parts{};
  gmtime_r(&at, &parts);
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return buffer;
}

// Reads exactly `digits` decimal digits.
bool take_number(std::string_view& text, std::size_t digits, int& out) {
  if (text.size() < digits) return false;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return false;
  }
  std::from_chars(text.data(), text.data() + digits, out);
  text.remove_prefix(digits);
  return true;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool take_fraction(std::string_view& text, std::int64_t& nanos) {
  if (!take_one_of(text, ".")) return true;
  std::int64_t unit = nanos_per_second / 10;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    nanos += (text[digits] - '0') * unit;
    unit /= 10;
  }
  text.remove_prefix(digits);
  return digits > 0;
}

bool take_offset(std::string_view& text, std::int64_t& seconds) {
  if (take_one_of(text, "Zz")) return true;
  const bool is_east = text.starts_with('+');
  int hours = 0;
  int minutes = 0;
  if (!take_one_of(text, "+-") || !take_number(text, 2, hours) || !take_one_of(text, ":") ||
      !take_number(text, 2, minutes) || hours > 23 || minutes > 59) {
    return false;
  }
  seconds = (is_east ? 1 : -1) * (hours * 3600 + minutes * 60);
  return true;
}

std::string format(Timestamp time, std::size_t group) {
  if (time.nanos == 0) return "0001-01-01T00:00:00Z";
  std::int64_t seconds = time.nanos / nanos_per_second;
  std::int64_t nanos = time.nanos % nanos_per_second;
  if (nanos < 0) {
    nanos += nanos_per_second;
    --seconds;
  }
  std::string out = seconds_text(seconds);
  if (nanos != 0) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%09lld", static_cast<long long>(nanos));
    std::string fraction = digits;
    while (fraction.size() >= group &&
           fraction.substr(fraction.size() - group).find_first_not_of('0') == std::string::npos) {
      fraction.resize(fraction.size() - group);
    }
    out += "." + fraction;
  }
  return out + "Z";
}

}  // namespace

std::string format_time(Timestamp time) { return format(time, 1); }
std::string format_proto_time(Timestamp time) { return format(time, 3); }

std::optional<Timestamp> parse_time(std::string_view text) {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t nanos = 0;
  std::int64_t offset = 0;
  const bool is_whole = take_number(text, 4, year) && take_one_of(text, "-") && take_number(text, 2, month) &&
                        take_one_of(text, "-") && take_number(text, 2, day) && take_one_of(text, "Tt ") &&
                        take_number(text, 2, hour) && take_one_of(text, ":") && take_number(text, 2, minute) &&
                        take_one_of(text, ":") && take_number(text, 2, second) && take_fraction(text, nanos) &&
                        take_offset(text, offset) && text.empty();
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  // A leap second is written as 60. Years outside of 1678 to 2261 do not fit into nanoseconds.
  if (!is_whole || !date.ok() || hour > 23 || minute > 59 || second > 60 || year < 1678 || year > 2261) return {};
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * std::int64_t{86'400} + hour * 3'600 + minute * 60 + second - offset;
  return Timestamp{seconds * nanos_per_second + nanos};
}

}  // namespace kdsd
