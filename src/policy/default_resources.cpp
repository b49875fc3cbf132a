#include "policy/default_resources.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "model/json.h"
#include "policy/type_rules.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

json::object mesh_ref() { return {{"kind", "Mesh"}}; }

json::object mesh_ref(std::string_view proxy_type) {
  return {{"kind", "Mesh"}, {"proxyTypes", json::array{json::string(proxy_type.data(), proxy_type.size())}}};
}

json::array item(json::object conf) { return {json::object{{"targetRef", mesh_ref()}, {"default", std::move(conf)}}}; }

json::value sidecar_timeouts() {
  json::object outbound = {{"connectionTimeout", "5s"},
                           {"idleTimeout", "1h0m0s"},
                           {"http", {{"requestTimeout", "15s"}, {"streamIdleTimeout", "30m0s"}}}};
  // Inbounds wait longer than outbounds, so that it is the client's timeout that ends a request.
  json::object inbound = {
      {"connectionTimeout", "10s"},
      {"idleTimeout", "2h0m0s"},
      {"http", {{"requestTimeout", "0s"}, {"streamIdleTimeout", "1h0m0s"}, {"maxStreamDuration", "0s"}}}};
  return json::object{
      {"targetRef", mesh_ref("Sidecar")}, {"to", item(std::move(outbound))}, {"from", item(std::move(inbound))}};
}

json::value gateway_timeouts() {
  json::object outbound = {{"idleTimeout", "1h0m0s"}, {"http", {{"streamIdleTimeout", "5s"}}}};
  json::object inbound = {{"idleTimeout", "5m0s"},
                          {"http", {{"streamIdleTimeout", "5s"}, {"requestHeadersTimeout", "500ms"}}}};
  return json::object{
      {"targetRef", mesh_ref("Gateway")}, {"to", item(std::move(outbound))}, {"from", item(std::move(inbound))}};
}

json::value circuit_breaker() {
  json::object conf = {
      {"connectionLimits",
       {{"maxConnections", 1024}, {"maxPendingRequests", 1024}, {"maxRetries", 3}, {"maxRequests", 1024}}}};
  return json::object{{"targetRef", mesh_ref()}, {"to", item(std::move(conf))}};
}

json::value retry() {
  const json::object requests = {
      {"numRetries", 5}, {"perTryTimeout", "16s"}, {"backOff", {{"baseInterval", "25ms"}, {"maxInterval", "250ms"}}}};
  json::object conf = {{"tcp", {{"maxConnectAttempt", 5}}}, {"http", requests}, {"grpc", requests}};
  return json::object{{"targetRef", mesh_ref()}, {"to", item(std::move(conf))}};
}

json::object every_service() { return {{"kuma.io/service", "*"}}; }

json::object between_all_services() {
  const json::array all = {json::object{{"match", every_service()}}};
  return {{"sources", all}, {"destinations", all}};
}

json::value allow_all() { return between_all_services(); }

json::value route_all() {
  auto spec = between_all_services();
  spec["conf"] = json::object{{"loadBalancer", {{"roundRobin", json::object()}}}, {"destination", every_service()}};
  return spec;
}

DefaultResource generator(std::string_view name, std::string_view selector, json::object labels,
                          std::string_view pattern) {
  json::object selected;
  selected[json::string_view(selector.data(), selector.size())] = json::object{{"matchLabels", std::move(labels)}};
  json::object spec = {{"selector", std::move(selected)}, {"template", json::string(pattern.data(), pattern.size())}};
  return {"HostnameGenerator", "", std::string(name), std::move(spec)};
}

std::vector<DefaultResource> synced_generators() {
  const json::object from_global = {{"kuma.io/origin", "global"}};
  const auto services = [](std::string_view env, std::string_view headless) {
    json::object labels = {{"kuma.io/env", json::string(env.data(), env.size())}, {"kuma.io/origin", "global"}};
    if (!headless.empty()) labels["k8s.kuma.io/is-headless-service"] = json::string(headless.data(), headless.size());
    return labels;
  };
  return {
      generator("synced-kube-mesh-service", "meshService", services("kubernetes", "false"),
                "{{ .DisplayName }}.{{ .Namespace }}.svc.{{ .Zone }}.mesh.local"),
      generator("synced-headless-kube-mesh-service", "meshService", services("kubernetes", "true"),
                "{{ label \"statefulset.kubernetes.io/pod-name\" }}.{{ label \"k8s.kuma.io/service-name\" }}."
                "{{ .Namespace }}.svc.{{ .Zone }}.mesh.local"),
      generator("synced-universal-mesh-service", "meshService", services("universal", ""),
                "{{ .DisplayName }}.svc.{{ .Zone }}.mesh.local"),
      generator("synced-mesh-external-service", "meshExternalService", from_global,
                "{{ .DisplayName }}.extsvc.mesh.local"),
      generator("synced-mesh-multi-zone-service", "meshMultiZoneService", from_global,
                "{{ .DisplayName }}.mzsvc.mesh.local"),
  };
}

std::vector<DefaultResource> local_generators(Environment environment) {
  const json::object from_here = {{"kuma.io/origin", "zone"}};
  std::vector<DefaultResource> out = {generator("local-mesh-external-service", "meshExternalService", from_here,
                                                "{{ .DisplayName }}.extsvc.mesh.local")};
  // Where there are Kubernetes services, those have the short names already.
  if (environment == Environment::universal) {
    out.push_back(
        generator("local-universal-mesh-service", "meshService", from_here, "{{ .DisplayName }}.svc.mesh.local"));
  }
  return out;
}

bool is_skipped(const json::value& mesh_spec, std::string_view type) {
  for (auto entry : texts(find(mesh_spec, {"skipCreatingInitialPolicies"}))) {
    if (entry == "*" || entry == type) return true;
  }
  return false;
}

}  // namespace

std::vector<DefaultResource> mesh_defaults(std::string_view mesh, const json::value& mesh_spec, bool routing) {
  struct Template {
    std::string_view type;
    std::string_view name;
    json::value (*spec)();
    bool routing;
  };
  static constexpr Template templates[] = {
      {"TrafficPermission", "allow-all-", allow_all, true},
      {"TrafficRoute", "route-all-", route_all, true},
      {"MeshTimeout", "mesh-gateways-timeout-all-", gateway_timeouts, false},
      {"MeshTimeout", "mesh-timeout-all-", sidecar_timeouts, false},
      {"MeshCircuitBreaker", "mesh-circuit-breaker-all-", circuit_breaker, false},
      {"MeshRetry", "mesh-retry-all-", retry, false},
  };
  std::vector<DefaultResource> out;
  for (const auto& entry : templates) {
    if ((entry.routing && !routing) || is_skipped(mesh_spec, entry.type)) continue;
    out.push_back({std::string(entry.type), std::string(mesh), std::string(entry.name).append(mesh), entry.spec()});
  }
  return out;
}

std::vector<DefaultResource> default_hostname_generators(const ControlPlaneKind& control_plane) {
  return control_plane.is_global() ? synced_generators() : local_generators(control_plane.environment);
}

}  // namespace kdsd::policy
