// MeshGateway.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "policy/names.h"
#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

constexpr std::size_t most_certificates = 2;

bool is_domain(std::string_view text) { return !name_problem(text, text.npos); }

void check_hostname(const ConfValue& hostname) {
  auto text = hostname.text();
  if (text.empty() || text == "*") return;
  if (text.size() > limits::name_bytes) {
    hostname.refuse("must be at most " + std::to_string(limits::name_bytes) + " characters");
  }
  const bool wildcard = text.starts_with("*.");
  if (wildcard) text.remove_prefix(2);
  if (!is_domain(text)) hostname.refuse(wildcard ? "invalid wildcard domain" : "invalid hostname");
}

std::string_view tls_mode(const ConfValue& tls) { return enum_name(tls.at("mode"), "NONE"); }

void check_protocol(const ConfValue& listener) {
  const auto protocol = listener.at("protocol");
  const auto name = enum_name(protocol, "NONE");
  if (name == "NONE") return protocol.refuse("cannot be empty");
  if (name != "HTTPS") return;
  const auto tls = listener.at("tls");
  if (listener.at("crossMesh").is_true()) {
    protocol.refuse("protocol is not supported with crossMesh");
  } else if (!tls.is_set()) {
    tls.refuse("cannot be empty");
  } else if (tls_mode(tls) == "PASSTHROUGH") {
    tls.at("mode").refuse("mode is not supported on HTTPS listeners");
  }
}

void check_tls(const ConfValue& tls, bool cross_mesh) {
  if (!tls.is_set()) return;
  const auto mode = tls_mode(tls);
  const auto certificates = tls.at("certificates");
  if (cross_mesh) {
    if (mode != "NONE" || certificates.size() != 0) tls.refuse("must be empty with crossMesh");
    return;
  }
  if (mode == "NONE") tls.at("mode").refuse("cannot be empty");
  if (mode != "TERMINATE") return;
  if (certificates.size() == 0) certificates.refuse("cannot be empty in TLS termination mode");
  if (certificates.size() > most_certificates) certificates.refuse("cannot have more than 2 certificates");
}

// Tags that say what a proxy is.
void check_key_of_gateway(const ConfValue& tags, std::string_view key) {
  constexpr std::array<std::string_view, 4> reserved = {"kuma.io/external-service-name", tag_protocol, tag_service,
                                                        "kuma.io/zone"};
  if (std::find(reserved.begin(), reserved.end(), key) == reserved.end()) return;
  under_key(tags, key).refuse("tag name must not be " + go_quoted(key));
}

void check_listener(const ConfValue& listener) {
  check_hostname(listener.at("hostname"));
  check_port_in_range(listener.at("port"));
  check_protocol(listener);
  check_tls(listener.at("tls"), listener.at("crossMesh").is_true());
  check_selector(listener.at("tags"), {.of_key = check_key_of_gateway});
}

std::int64_t port_of(const ConfValue& listener) { return natural(listener.at("port")); }

std::string_view hostname_of(const ConfValue& listener) {
  const auto hostname = listener.at("hostname").text();
  return hostname.empty() ? "*" : hostname;
}

std::int64_t limit_of(const ConfValue& listener) { return natural(listener.at("resources").at("connectionLimit")); }

// Listeners of one port are one to the proxy.
void check_ports(const ConfValue& listeners) {
  std::map<std::int64_t, std::set<std::string_view>> protocols;
  std::map<std::pair<std::int64_t, std::string_view>, int> hostnames;
  std::map<std::int64_t, std::set<std::int64_t>> connection_limits;
  const auto protocol_of = [](const ConfValue& listener) { return enum_name(listener.at("protocol"), "NONE"); };
  for_each(listeners, [&](const ConfValue& listener) {
    protocols[port_of(listener)].insert(protocol_of(listener));
    ++hostnames[{port_of(listener), hostname_of(listener)}];
    if (limit_of(listener) != 0) connection_limits[port_of(listener)].insert(limit_of(listener));
  });
  for_each(listeners, [&](const ConfValue& listener) {
    if (protocols[port_of(listener)].size() > 1) {
      listener.refuse("protocol conflicts with other listeners on this port");
    }
  });
  for_each(listeners, [&](const ConfValue& listener) {
    if (hostnames[{port_of(listener), hostname_of(listener)}] > 1) {
      listener.refuse("multiple listeners for hostname on this port");
    }
  });
  for_each(listeners, [&](const ConfValue& listener) {
    if (limit_of(listener) != 0 && connection_limits[port_of(listener)].size() > 1) {
      listener.at("resources").at("connectionLimit").refuse("conflicting values for this port");
    }
  });
}

bool is_cross_mesh(const ConfValue& listeners) {
  bool found = false;
  for_each(listeners, [&](const ConfValue& listener) { found = found || listener.at("crossMesh").is_true(); });
  return found;
}

}  // namespace

void check_gateway(const ConfValue& spec) {
  const auto conf = spec.at("conf");
  const auto listeners = conf.at("listeners");
  check_selectors(spec.at("selectors"), tag_and_service,
                  is_cross_mesh(listeners) ? SelectorCount::exactly_one : SelectorCount::at_least_one);
  check_selector(spec.at("tags"), {.of_key = check_key_of_gateway});
  if (!conf.is_set()) return conf.refuse("cannot be empty");
  if (listeners.size() == 0) listeners.refuse("cannot be empty");
  for_each(listeners, check_listener);
  check_ports(listeners);
}

}  // namespace kdsd::policy
