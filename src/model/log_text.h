// Texts of peers and callers as they may stand in a line of the log: none looks like another field, or like a line.
//
// Pure. A line is `key=value key="value"`. Whoever writes one puts every value that comes from outside through here.
#pragma once

#include <string>
#include <string_view>

namespace kdsd {

// What a terminal or a reader of lines would take for more than text is escaped: controls (also those that two bytes
// of UTF-8 make), ends of lines and paragraphs, marks that turn the direction of writing, and bytes that are no UTF-8.
std::string without_controls(std::string_view text);

// A value: as it is when it holds letters, digits and `-_.:/+` only, otherwise as log_quoted() gives it.
std::string log_value(std::string_view text);

// A value in quotes, for keys that always have them: quotes and backslashes inside are escaped, and controls.
std::string log_quoted(std::string_view text);

}  // namespace kdsd
