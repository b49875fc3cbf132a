// Regular expressions of Go (RE2): whether a text is one.
//
// Pure. Nothing is matched; names of Unicode classes and the size of what is repeated are not looked at.
#pragma once

#include <string_view>

namespace kdsd::policy {

bool is_go_regex(std::string_view pattern);

}  // namespace kdsd::policy
