// Policies, proxies and resources of cases, made ready for the engine.
#pragma once

#include <string>
#include <vector>

#include "model/catalogue.h"
#include "policy/engine/applied_policy.h"
#include "policy/engine/proxy.h"

#include "cases.h"

namespace kdsd::policy::testing {

inline ResourcePtr resource_of(const boost::json::value& document) {
  auto out = std::make_shared<Resource>();
  out->type = Catalogue::builtin().find(find_text(document, {"type"}));
  out->mesh = find_text(document, {"mesh"});
  if (out->mesh.empty()) out->mesh = "default";
  out->name = find_text(document, {"name"});
  out->labels = labels_of(find(document, {"labels"}));
  const auto* spec = find(document, {"spec"});
  out->spec = spec == nullptr ? "{}" : to_wire_json(*spec);
  return out;
}

inline AppliedPolicyPtr policy_of(const boost::json::value& document) {
  return apply_policy(*resource_of(document), {});
}

inline AppliedPolicies policies_of(const boost::json::value* list) {
  AppliedPolicies out;
  if (list == nullptr) return out;
  for (const auto& document : list->get_array()) out.push_back(policy_of(document));
  return out;
}

inline std::uint32_t port_of(const boost::json::value& value) {
  return static_cast<std::uint32_t>(find(value, {"port"})->to_number<std::int64_t>());
}

// The short form of a proxy that the cases have: inbounds and gateway beside name and labels.
inline Proxy proxy_of_case(const boost::json::value& document) {
  Proxy out;
  out.mesh = "default";
  out.name = find_text(document, {"name"});
  out.labels = labels_of(find(document, {"labels"}));
  for (const auto& inbound : find_list(document, {"inbounds"})) {
    out.inbounds.push_back({std::string(find_text(inbound, {"name"})), port_of(inbound), texts_at(inbound, "tags")});
  }
  const auto* gateway = find(document, {"gateway"});
  if (gateway == nullptr) return out;
  out.gateway_tags = texts_at(*gateway, "tags");
  const bool is_builtin = find_text(*gateway, {"type"}) == "BUILTIN";
  out.kind = is_builtin ? ProxyKind::builtin_gateway : ProxyKind::delegated_gateway;
  out.gateway = find_text(*gateway, {"meshGateway"});
  for (const auto& listener : find_list(*gateway, {"listeners"})) {
    Listener made{port_of(listener), out.gateway_tags};
    for (const auto& [key, value] : texts_at(listener, "tags")) made.tags.set(key, value);
    out.listeners.push_back(std::move(made));
  }
  return out;
}

// A policy in few words: `labels` and `spec` as JSON.
inline AppliedPolicyPtr policy_named(const std::string& type, const std::string& name, const std::string& labels,
                                     const std::string& spec) {
  return policy_of(json_of(R"({"type":")" + type + R"(","mesh":"default","name":")" + name + R"(","labels":)" + labels +
                           R"(,"spec":)" + spec + "}"));
}

}  // namespace kdsd::policy::testing
