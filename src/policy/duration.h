// Durations in Go's spelling, as JSON specs carry them: `1h0m0s`, `250ms`, `1.5s`, `0`.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kdsd::policy {

// Nanoseconds; nothing where the text is no duration or does not fit 64 bits.
std::optional<std::int64_t> parse_go_duration(std::string_view text);

}  // namespace kdsd::policy
