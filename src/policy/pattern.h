// Patterns, which proxies and peers read in the syntax of RE2 as Go has it.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace kdsd::policy {

// Why the text is no pattern, in Go's words; empty where it is one.
std::string pattern_problem(std::string_view pattern);

}  // namespace kdsd::policy
