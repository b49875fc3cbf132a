// JSON as kdsd reads and writes it: strict in (limits, no duplicate keys, no numbers that change), Go's spelling out.
//
// Pure. Uses Boost.JSON values, which keep the order of object members.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/status.h"

namespace kdsd {

namespace limits {
inline constexpr std::size_t document_depth = 64;       // deepest real spec has about 15 levels
inline constexpr std::size_t document_bytes = 4 << 20;  // a REST body; a type on the wire is bounded by its message
inline constexpr std::size_t yaml_nodes = 500'000;      // after expanding aliases
}  // namespace limits

// Refuses: bad syntax, invalid UTF-8, duplicate keys, nesting beyond `limits::document_depth`, integers beyond 64 bits.
// The message names the place: "line 3: duplicate key "name"" or a path.
Result<boost::json::value> parse_json(std::string_view text);

// Compact, with <, > and & as \u003c and so on: how Go peers spell specs on the wire.
std::string to_wire_json(const boost::json::value& value);

// Compact, without that escaping.
std::string to_compact_json(const boost::json::value& value);

// One space a level, one trailing newline: REST bodies (rest-api.md 1).
std::string to_pretty_json(const boost::json::value& value);

// Equal whatever the order of object members; 1 and 1.0 are equal.
bool json_equal(const boost::json::value& a, const boost::json::value& b);

// Members by path ("targetRef", "kind"); null where something on the way is missing or no object.
const boost::json::value* find(const boost::json::value& value, std::initializer_list<std::string_view> path);
// The text at a path, empty when missing or no text.
std::string_view find_text(const boost::json::value& value, std::initializer_list<std::string_view> path);
// The list at a path, an empty one when missing or no list.
const boost::json::array& find_list(const boost::json::value& value, std::initializer_list<std::string_view> path);
// An object would become a temporary value, and the list be gone with it.
const boost::json::array& find_list(const boost::json::object&, std::initializer_list<std::string_view>) = delete;

// A number that an int64 holds without loss; nothing for anything else.
std::optional<std::int64_t> whole_number(const boost::json::value& value);

// YAML documents of one file, as JSON values. Same limits and refusals; aliases are expanded and counted.
// Empty documents are left out.
Result<std::vector<boost::json::value>> parse_yaml_documents(std::string_view text);

}  // namespace kdsd
