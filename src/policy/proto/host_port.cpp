#include "policy/proto/host_port.h"

namespace kdsd::policy {

std::optional<HostPort> split_host_port(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto host = address.substr(0, colon);
  auto outside = host;
  if (address.starts_with('[')) {
    const auto end = address.find(']');
    if (end == std::string_view::npos || end + 1 != colon) return std::nullopt;
    host = address.substr(1, end - 1);
    outside = {};
    if (host.find('[') != std::string_view::npos) return std::nullopt;
  }
  const auto port = address.substr(colon + 1);
  if (outside.find_first_of(":[]") != std::string_view::npos || port.find_first_of("[]") != std::string_view::npos)
    return std::nullopt;
  return HostPort{host, port};
}

}  // namespace kdsd::policy
