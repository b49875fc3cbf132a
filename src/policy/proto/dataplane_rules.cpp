// Dataplane.
#include <algorithm>
#include <array>
#include <string>

#include "policy/names.h"
#include "policy/proto/prometheus_conf.h"
#include "policy/proto/proxy_checks.h"
#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"
#include "policy/text_forms.h"
#include "policy/web_address.h"

namespace kdsd::policy {
namespace {

constexpr std::string_view loopback = "127.0.0.1";
constexpr const char* not_an_ip = "address has to be valid IP address";
constexpr const char* same_as_service = "serviceAddress and servicePort has to differ from address and port";

std::string_view text_or(const ConfValue& value, std::string_view otherwise) {
  return value.text().empty() ? otherwise : value.text();
}

bool inbound_takes(const ConfValue& inbound, std::string_view proxy_address, std::int64_t port) {
  const auto address = text_or(inbound.at("address"), proxy_address);
  const auto own_port = natural(inbound.at("port"));
  if (takes_loopback_port(address, own_port, port)) return true;
  const auto service_port = natural(inbound.at("servicePort"));
  return takes_loopback_port(text_or(inbound.at("serviceAddress"), address),
                             service_port == 0 ? own_port : service_port, port);
}

void check_admin(const ConfValue& networking) {
  const auto admin = networking.at("admin");
  if (!admin.is_set()) return;
  const auto port = natural(admin.at("port"));
  bool inbound_has_it = false;
  for_each(networking.at("inbound"), [&](const ConfValue& inbound) {
    inbound_has_it = inbound_has_it || inbound_takes(inbound, networking.at("address").text(), port);
  });
  if (inbound_has_it) admin.at("port").refuse("must differ from inbound");
  bool outbound_has_it = false;
  for_each(networking.at("outbound"), [&](const ConfValue& outbound) {
    const auto address = text_or(outbound.at("address"), loopback);
    outbound_has_it = outbound_has_it || takes_loopback_port(address, natural(outbound.at("port")), port);
  });
  if (outbound_has_it) admin.at("port").refuse("must differ from outbound");
}

void check_gateway_protocol(const ConfValue& tags) {
  if (!has_tag(tags, tag_protocol)) return;
  const auto protocol = under_key(tags, tag_protocol);
  if (lower_case(protocol.text()) == "tcp") return;
  protocol.refuse("other values than tcp are not allowed, provided value " + go_quoted(protocol.text()));
}

void check_service_address(const ConfValue& inbound, std::string_view proxy_address) {
  const auto service_address = inbound.at("serviceAddress");
  const auto address = inbound.at("address");
  const auto service_port = natural(inbound.at("servicePort"));
  const bool same_port = service_port == 0 || service_port == natural(inbound.at("port"));
  if (!service_address.text().empty()) {
    if (!is_ip(service_address.text())) service_address.refuse("serviceAddress has to be valid IP address");
    if (service_address.text() == proxy_address && same_port) service_address.refuse(same_as_service);
  }
  if (address.text().empty()) return;
  if (!is_ip(address.text())) address.refuse(not_an_ip);
  if (address.text() == service_address.text() && same_port) service_address.refuse(same_as_service);
}

void check_service_probe(const ConfValue& probe) {
  constexpr const char* not_positive = "must have a positive value";
  for (const auto* name : {"interval", "timeout"}) {
    if (is_zero_duration(probe.at(name))) probe.at(name).refuse(not_positive);
  }
  for (const auto* name : {"unhealthyThreshold", "healthyThreshold"}) {
    const auto threshold = probe.at(name);
    if (threshold.is_set() && natural(threshold) == 0) threshold.refuse(not_positive);
  }
}

void check_inbound(const ConfValue& inbound, std::string_view proxy_address) {
  check_port_in_range(inbound.at("port"));
  if (natural(inbound.at("servicePort")) != 0) check_port_in_range(inbound.at("servicePort"));
  check_service_address(inbound, proxy_address);
  const auto tags = inbound.at("tags");
  check_tags(tags, {.of_map = check_known_protocol});
  check_service_probe(inbound.at("serviceProbe"));
  if (!has_tag(tags, tag_service)) under_key(tags, tag_service).refuse("tag has to exist");
}

void check_backend_kind(const ConfValue& kind) {
  constexpr std::array<std::string_view, 3> kinds = {"MeshExternalService", "MeshMultiZoneService", "MeshService"};
  if (std::find(kinds.begin(), kinds.end(), kind.text()) != kinds.end()) return;
  kind.refuse("invalid value. Available values are: MeshExternalService,MeshMultiZoneService,MeshService");
}

void check_backend(const ConfValue& backend) {
  check_backend_kind(backend.at("kind"));
  if (backend.at("name").text().empty() && backend.at("labels").size() == 0) {
    backend.refuse("either 'name' or 'labels' should be specified");
  }
  // An external service has ports of its own.
  if (backend.at("kind").text() != "MeshExternalService") check_port_in_range(backend.at("port"));
}

void check_outbound(const ConfValue& outbound) {
  check_port_in_range(outbound.at("port"));
  const auto address = outbound.at("address");
  if (!address.text().empty() && !is_ip(address.text())) address.refuse(not_an_ip);
  const auto backend = outbound.at("backendRef");
  const auto tags = outbound.at("tags");
  if (!backend.is_set()) return check_tags(tags, {.service = true});
  check_backend(backend);
  if (tags.size() != 0) backend.refuse("both backendRef and tags/service cannot be defined");
}

void check_reachable_backend(const ConfValue& ref) {
  check_backend_kind(ref.at("kind"));
  const auto name = ref.at("name");
  const bool has_name = !name.text().empty();
  const bool has_namespace = !ref.at("namespace").text().empty();
  const bool has_labels = ref.at("labels").size() != 0;
  if (has_name) {
    if (auto problem = name_problem(name.text())) name.refuse(std::move(*problem));
  } else if (has_namespace) {
    name.refuse("name is required, when namespace is defined");
  } else if (!has_labels) {
    name.refuse("name or labels are required");
  }
  if ((has_name || has_namespace) && has_labels) {
    ref.at("labels").refuse("labels cannot be defined when name is specified");
  }
}

void check_networking(const ConfValue& networking) {
  const auto address = networking.at("address");
  check_proxy_address(address);
  for_each(networking.at("inbound"), [&](const ConfValue& inbound) { check_inbound(inbound, address.text()); });
  for_each(networking.at("outbound"), check_outbound);
  // The path is misspelled in Kuma.
  const auto proxying = networking.at("transparentProxying").reported_at("networking.transparentProxing");
  for_each(proxying.at("reachableBackends").at("refs"), check_reachable_backend);
}

void check_probes(const ConfValue& probes) {
  if (!probes.is_set()) return;
  check_port_in_range(probes.at("port"));
  for_each(probes.at("endpoints"), [](const ConfValue& endpoint) {
    check_port_in_range(endpoint.at("inboundPort"));
    for (const auto* name : {"inboundPath", "path"}) {
      const auto path = endpoint.at(name);
      if (!parse_request_uri(path.text())) path.refuse("should be a valid URL Path");
    }
  });
}

void check_is_without(const ConfValue& list, const std::string& kind) {
  if (list.size() == 0) return;
  const auto name = list.path().substr(list.path().rfind('.') + 1);
  list.refuse(name + " cannot be defined for " + kind + " gateways");
}

void check_gateway_proxy(const ConfValue& spec, bool builtin) {
  const auto networking = spec.at("networking");
  const auto probes = spec.at("probes");
  check_is_without(networking.at("inbound"), builtin ? "builtin" : "delegated");
  if (builtin) {
    check_is_without(networking.at("outbound"), "builtin");
    if (probes.is_set()) {
      networking.at("probes").refuse("probes cannot be defined for builtin gateways");
    }
  }
  check_tags(networking.at("gateway").at("tags"), {.service = true, .of_map = check_gateway_protocol});
  check_networking(networking);
  if (!builtin) check_probes(probes);
}

void check_sidecar(const ConfValue& spec) {
  const auto networking = spec.at("networking");
  if (networking.at("inbound").size() == 0) {
    networking.refuse("has to contain at least one inbound interface or gateway");
  }
  check_networking(networking);
  check_probes(spec.at("probes"));
  if (spec.has("metrics")) check_metrics_backend(spec.at("metrics"));
}

}  // namespace

void check_dataplane(const ConfValue& spec) {
  const auto networking = spec.at("networking");
  if (!networking.is_set()) return networking.refuse("must be defined");
  check_admin(networking);
  const auto gateway = networking.at("gateway");
  const auto type = gateway.is_set() ? enum_name(gateway.at("type"), "DELEGATED") : std::string_view();
  if (type == "BUILTIN" || type == "DELEGATED") return check_gateway_proxy(spec, type == "BUILTIN");
  check_sidecar(spec);
}

}  // namespace kdsd::policy
