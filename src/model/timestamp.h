// Times as documents show them (rest-api.md 3.2). Pure: the clock is read in `app` alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/resource.h"

namespace kdsd {

// RFC 3339 in UTC with up to nine fractional digits, trailing zeros cut; unknown times are 0001-01-01T00:00:00Z.
std::string format_time(Timestamp time);

// Fractional digits in groups of three, as the JSON form of google.protobuf.Timestamp has them.
std::string format_proto_time(Timestamp time);

// An RFC 3339 time with any offset, to the nanosecond; nothing for other texts and for what 64 bits do not hold.
std::optional<Timestamp> parse_time(std::string_view text);

}  // namespace kdsd
