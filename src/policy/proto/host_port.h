// A host and its port in one text, as Go takes it apart.
//
// Pure.
#pragma once

#include <optional>
#include <string_view>

namespace kdsd::policy {

struct HostPort {
  std::string_view host;  // without brackets
  std::string_view port;  // any text
};

// Nothing where there is no port, or more colons than one outside of brackets.
std::optional<HostPort> split_host_port(std::string_view address);

}  // namespace kdsd::policy
