// How long ago something was, in one or two units, as `kubectl` shows it: 12s, 5m, 3h20m, 4d.
//
// Pure, but for the clock that `unix_seconds` reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kdsd::app::cli {

// Seconds since 1970 of an RFC 3339 time; nothing for other texts and for the zero time (year 1).
std::optional<std::int64_t> parse_time(std::string_view text);

std::string format_age(std::int64_t seconds);

// The age of a time at `now_seconds`; empty when the time is unknown. A time in the future is "0s".
std::string age_of(std::string_view time, std::int64_t now_seconds);

std::int64_t unix_seconds();

}  // namespace kdsd::app::cli
