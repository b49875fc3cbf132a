// Durations as Go writes and reads them ("1m30s", "250ms"), in nanoseconds.
//
// Pure. Spec: configuration, file rules and environment rules.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/status.h"

namespace kdsd::app {

// The shortest text that Go prints for the value: "1m0s", "1.5s", "250ms", "0s".
std::string format_duration(std::int64_t nanos);

// Reads a sum of decimal numbers with a unit (h, m, s, ms, us, µs, ns); "0" needs no unit. A sign is allowed.
// Fails when the text is anything else, or does not fit 64 bits.
Result<std::int64_t> parse_duration(std::string_view text);

}  // namespace kdsd::app
