// Finds the known name that a mistyped one was probably meant to be.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kdsd::app {

// Single-letter edits between two texts, case aside.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name with the fewest edits, the first of equals; empty when there are no names.
std::string_view nearest(std::string_view text, const std::vector<std::string_view>& names);

}  // namespace kdsd::app
