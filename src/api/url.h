// Request targets: percent-encoding, path parts and queries (rest-api.md 1, 6.1).
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"
#include "model/status.h"

namespace kdsd::api {

bool is_utf8(std::string_view text);

// Code::malformed for a broken escape. `plus_is_space`: as in queries.
Result<std::string> percent_decode(std::string_view text, bool plus_is_space);

// Everything but letters, digits and -._~ escaped; a space becomes a plus, as Go writes queries.
std::string encode_query_text(std::string_view text);

// `a=1&b=2`, decoded, in order. Code::malformed for a broken escape, invalid UTF-8 or a NUL.
Result<TextPairs> parse_query(std::string_view text);
// Sorted by key; pairs of one key keep their order.
std::string format_query(TextPairs pairs);

// The decoded parts of a path. One trailing slash does not count. Code::malformed for whatever could mean another path
// to somebody else: `.` and `..`, an escaped slash, NUL and other control characters, invalid UTF-8, a broken escape.
Result<std::vector<std::string>> split_path(std::string_view path);

}  // namespace kdsd::api
