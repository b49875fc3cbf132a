// Texts in confs that stand for something outside: paths, addresses, names, rates.
//
// Pure. What counts is what peers take for such a text, which is sometimes more, sometimes less than it should be.
#pragma once

#include <string_view>

namespace kdsd::policy {

// Absolute, of Unix or Windows.
bool is_file_path(std::string_view text);

bool is_ip(std::string_view text);
// With zeros in front of numbers, too: `010.0.0.1`.
bool is_sloppy_ipv4(std::string_view text);
bool is_cidr(std::string_view text);

// Underscores may stand in it.
bool is_dns_name(std::string_view text);

// `10 Mbps`
bool is_bandwidth(std::string_view text);

// 1 to 65535
bool is_port(std::string_view text);

}  // namespace kdsd::policy
