// ZoneEgress and ZoneIngress.
#include "policy/proto/proxy_checks.h"
#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

bool takes_port(const ConfValue& networking, std::string_view address, std::string_view port, std::int64_t wanted) {
  return takes_loopback_port(networking.at(address).text(), natural(networking.at(port)), wanted);
}

// An address is reported below itself.
void check_address_if_set(const ConfValue& address) {
  if (address.text().empty()) return;
  check_proxy_address(address.reported_at(member(address.path(), "address")));
}

void check_advertised(const ConfValue& address, const ConfValue& port) {
  const bool has_port = natural(port) != 0;
  if (address.text().empty() && has_port) address.refuse("has to be defined with advertisedPort");
  if (!address.text().empty() && !has_port) port.refuse("has to be defined with advertisedAddress");
}

}  // namespace

void check_zone_egress(const ConfValue& spec) {
  const auto networking = spec.at("networking");
  const auto admin = networking.at("admin");
  if (admin.is_set() && takes_port(networking, "address", "port", natural(admin.at("port")))) {
    admin.at("port").refuse("must differ from port");
  }
  check_address_if_set(networking.at("address"));
  check_port_in_range(networking.at("port"));
}

void check_zone_ingress(const ConfValue& spec) {
  const auto networking = spec.at("networking");
  const auto admin = networking.at("admin");
  const auto admin_port = natural(admin.at("port"));
  const auto address = networking.at("advertisedAddress");
  const auto port = networking.at("advertisedPort");
  if (admin.is_set() && (takes_port(networking, "address", "port", admin_port) ||
                         takes_port(networking, "advertisedAddress", "advertisedPort", admin_port))) {
    admin.at("port").refuse("must differ from port");
  }
  check_advertised(address, port);
  check_address_if_set(networking.at("address"));
  check_address_if_set(address);
  check_port_in_range(networking.at("port"));
  if (natural(port) != 0) check_port_in_range(port);
  const auto services = spec.at("availableServices").reported_at("availableService");
  for_each(services, [](const ConfValue& service) { check_tags(service.at("tags"), {.service = true}); });
}

}  // namespace kdsd::policy
