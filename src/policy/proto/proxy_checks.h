// What the networking of proxies of every kind is held to.
//
// Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "policy/conf_checks.h"

namespace kdsd::policy {

// Where a proxy is reached: an IP address or a domain name, and not every address.
void check_proxy_address(const ConfValue& address);

// Whether a listener on this address and port takes the same port of 127.0.0.1; no name does.
bool takes_loopback_port(std::string_view address, std::int64_t port, std::int64_t wanted_port);

}  // namespace kdsd::policy
