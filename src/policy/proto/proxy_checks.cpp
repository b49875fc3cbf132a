#include "policy/proto/proxy_checks.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <optional>
#include <string>

#include "policy/text_forms.h"

namespace kdsd::policy {
namespace {

using Address = std::array<unsigned char, sizeof(in6_addr)>;

constexpr Address unspecified{};
// Addresses of IPv4 as IPv6 has them.
constexpr std::string_view mapped = "::ffff:";

std::optional<Address> parse(std::string_view text) {
  Address out{};
  const auto v6 = text.find(':') == text.npos ? std::string(mapped).append(text) : std::string(text);
  if (inet_pton(AF_INET6, v6.c_str(), out.data()) != 1) return std::nullopt;
  return out;
}

bool overlaps_loopback(std::string_view text) {
  const auto address = parse(text);
  return address && (*address == unspecified || *address == parse("0.0.0.0") || *address == parse("127.0.0.1"));
}

}  // namespace

void check_proxy_address(const ConfValue& address) {
  const auto text = address.text();
  if (text.empty()) return address.refuse("address can't be empty");
  if (text == "0.0.0.0" || text == "::") address.refuse("must not be 0.0.0.0 or ::");
  if (!is_ip(text) && !is_dns_name(text)) address.refuse("address has to be valid IP address or domain name");
}

bool takes_loopback_port(std::string_view address, std::int64_t port, std::int64_t wanted_port) {
  return port == wanted_port && overlaps_loopback(address);
}

}  // namespace kdsd::policy
