#include "app/cli/age.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace kdsd::app::cli {
namespace {

constexpr std::int64_t minute = 60;
constexpr std::int64_t hour = 60 * minute;
constexpr std::int64_t day = 24 * hour;

// The number in exactly these digits.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  const auto* begin = text.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + count, value);
  if (error != std::errc() || end != begin + count || value < 0) return std::nullopt;
  return value;
}

// "Z" or "+02:00" as seconds east of UTC.
std::optional<std::int64_t> zone_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hours = digits(text, 1, 2);
  const auto minutes = digits(text, 4, 2);
  if (!hours || !minutes) return std::nullopt;
  const auto seconds = *hours * hour + *minutes * minute;
  return text[0] == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) {
  constexpr std::size_t seconds_end = 19;  // 2026-01-14T09:21:07
  const auto y = digits(text, 0, 4);
  const auto mo = digits(text, 5, 2);
  const auto d = digits(text, 8, 2);
  const auto h = digits(text, 11, 2);
  const auto mi = digits(text, 14, 2);
  const auto s = digits(text, 17, 2);
  if (!y || !mo || !d || !h || !mi || !s || *y <= 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*y), std::chrono::month(static_cast<unsigned>(*mo)),
                                         std::chrono::day(static_cast<unsigned>(*d))};
  if (!date.ok()) return std::nullopt;
  auto rest = text.substr(seconds_end);
  if (rest.starts_with('.')) rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
  const auto offset = zone_offset(rest);
  if (!offset) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * day + *h * hour + *mi * minute + *s - *offset;
}

std::string format_age(std::int64_t seconds) {
  seconds = std::max<std::int64_t>(seconds, 0);
  if (seconds < 2 * minute) return std::to_string(seconds) + "s";
  if (seconds < 2 * hour) return std::to_string(seconds / minute) + "m";
  if (seconds < 2 * day) {
    const auto minutes = seconds % hour / minute;
    return std::to_string(seconds / hour) + "h" + (minutes == 0 ? "" : std::to_string(minutes) + "m");
  }
  return std::to_string(seconds / day) + "d";
}

std::string age_of(std::string_view time, std::int64_t now_seconds) {
  const auto then = parse_time(time);
  return then ? format_age(now_seconds - *then) : std::string();
}

std::int64_t unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace kdsd::app::cli
