#include "policy/proto_rules.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "model/json.h"
#include "model/labels.h"
#include "policy/proto/rules.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

using Rules = void (*)(const ConfValue& spec);

constexpr std::array<std::pair<std::string_view, Rules>, 19> rules_by_type = {{
    {"CircuitBreaker", check_circuit_breaker},
    {"Dataplane", check_dataplane},
    {"ExternalService", check_external_service},
    {"FaultInjection", check_fault_injection},
    {"HealthCheck", check_health_check},
    {"Mesh", check_mesh},
    {"MeshGateway", check_gateway},
    {"MeshGatewayRoute", check_gateway_route},
    {"ProxyTemplate", check_proxy_template},
    {"RateLimit", check_rate_limit},
    {"Retry", check_retry},
    {"Timeout", check_timeout},
    {"TrafficLog", check_traffic_log},
    {"TrafficPermission", check_traffic_permission},
    {"TrafficRoute", check_traffic_route},
    {"TrafficTrace", check_traffic_trace},
    {"VirtualOutbound", check_virtual_outbound},
    {"ZoneEgress", check_zone_egress},
    {"ZoneIngress", check_zone_ingress},
}};

// Null for types without any.
Rules rules_of(const ResourceType& type) {
  for (const auto& [name, rules] : rules_by_type) {
    if (name == type.name) return rules;
  }
  return nullptr;
}

void set_zone_tag(json::object& holder, const std::string& zone) {
  auto& tags = holder["tags"];
  if (!tags.is_object()) tags = json::object();
  tags.get_object()[label::zone] = zone;
}

}  // namespace

bool has_proto_rules(const ResourceType& type) { return rules_of(type) != nullptr; }

Outcome validate_proto_spec(const ResourceType& type, const json::value& spec) {
  Outcome outcome;
  if (const auto rules = rules_of(type)) rules(ConfValue(&spec, "", outcome));
  return outcome;
}

void add_zone_tag(json::value& dataplane, const std::string& zone) {
  auto* object = dataplane.if_object();
  auto* networking = object ? object->if_contains("networking") : nullptr;
  if (networking == nullptr || !networking->is_object()) return;
  auto* inbounds = networking->get_object().if_contains("inbound");
  if (inbounds != nullptr && inbounds->is_array()) {
    for (auto& inbound : inbounds->get_array()) {
      if (inbound.is_object()) set_zone_tag(inbound.get_object(), zone);
    }
  }
  auto* gateway = networking->get_object().if_contains("gateway");
  if (gateway != nullptr && gateway->is_object()) set_zone_tag(gateway->get_object(), zone);
}

std::string_view proxy_type(const ResourceType& type, const json::value& spec) {
  if (type.name == "ZoneIngress") return "zoneingress";
  if (type.name == "ZoneEgress") return "zoneegress";
  if (type.name != "Dataplane") return {};
  return find_text(spec, {"networking", "gateway", "type"}) == "BUILTIN" ? "gateway" : "sidecar";
}

}  // namespace kdsd::policy
