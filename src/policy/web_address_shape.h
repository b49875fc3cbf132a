// The pattern that web addresses have to match besides being readable as URLs.
//
// Pure. For web_address.cpp. The time it takes grows with the length of the text, whatever the text is; a search with
// going back would not end for some.
#pragma once

#include <string_view>

namespace kdsd::policy {

bool has_web_address_shape(std::string_view text);

bool is_ipv6_literal(std::string_view text);

}  // namespace kdsd::policy
