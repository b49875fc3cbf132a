// MeshPassthrough and MeshTLS: connections of a proxy.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "policy/conf_checks.h"
#include "policy/text_forms.h"

namespace kdsd::policy {
namespace {

// Proxies tell these apart by looking into the bytes, so a port can have one of them only.
bool is_http_like(std::string_view protocol) { return protocol == "grpc" || protocol == "http" || protocol == "http2"; }

class Matches {
 public:
  void check(const ConfValue& match) {
    const auto protocol = match.at("protocol");
    const auto port = match.at("port");
    if (protocol.text() == "mysql" && !port.is_set()) port.refuse("port must be defined for Mysql protocol");
    check_port(port);
    if (const auto number = port.number()) check_shared_port(*number, match);
    const auto type = match.at("type").text();
    const auto value = match.at("value");
    if (type == "CIDR") {
      if (!is_cidr(value.text())) value.refuse("provided CIDR has incorrect value");
    } else if (type == "IP") {
      if (!is_ip(value.text())) value.refuse("provided IP has incorrect value");
    } else {
      check_domain(match);
    }
  }

 private:
  void check_shared_port(std::int64_t port, const ConfValue& match) {
    const auto protocol = match.at("protocol").text();
    const auto known = protocols_.find(port);
    if (known != protocols_.end() && known->second != protocol && is_http_like(protocol)) {
      match.at("port").refuse(
          "using the same port in multiple matches requires the same protocol for the following protocols: [grpc http "
          "http2]");
    } else {
      protocols_[port] = protocol;
    }
    const auto value = match.at("value");
    if (!seen_.emplace(port, protocol, value.text()).second) {
      value.refuse("value " + std::string(value.text()) + " is already defiend for this port and protocol");
    }
  }

  static void check_domain(const ConfValue& match) {
    const auto protocol = match.at("protocol");
    const auto value = match.at("value");
    const auto name = value.text();
    if (protocol.text() == "tcp" || protocol.text() == "mysql") {
      protocol.refuse("protocol " + std::string(protocol.text()) + " is not supported for a domain");
    }
    if (!name.starts_with('*')) {
      if (!is_dns_name(name)) value.refuse("provided DNS has incorrect value");
      return;
    }
    if (name.size() > 1 && name[1] != '.') {
      value.refuse("provided DNS has incorrect value, partial wildcard is currently not supported");
    }
    if (!match.has("port") && is_http_like(protocol.text())) {
      match.at("port").refuse("wildcard domains doesn't work for all ports and layer 7 protocol");
    }
  }

  std::map<std::int64_t, std::string_view> protocols_;
  std::set<std::tuple<std::int64_t, std::string_view, std::string_view>> seen_;
};

}  // namespace

void check_passthrough_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  Matches matches;
  for_each(item.at("default").at("appendMatch"), [&](const ConfValue& match) { matches.check(match); });
}

void check_tls_conf(const PolicyView& policy, const ConfValue& item) {
  if (policy.top_kind() != "Mesh") return;
  check_tls_versions(item.at("default").at("tlsVersion"));
}

}  // namespace kdsd::policy
