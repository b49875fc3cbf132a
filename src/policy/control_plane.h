// What a control plane is, as far as rules depend on it.
//
// Pure values (policy-semantics.md 0.2, namespaces.md 1).
#pragma once

#include <cstdint>
#include <string>

namespace kdsd::policy {

enum class Mode : std::uint8_t { global, zone };
enum class Environment : std::uint8_t { universal, kubernetes };

struct ControlPlaneKind {
  Mode mode = Mode::global;
  bool federated = false;  // a zone that is connected to a global
  std::string zone;        // own name; empty on a global
  Environment environment = Environment::universal;
  std::string system_namespace = "kuma-system";
  bool disable_origin_validation = false;  // multizone.zone.disableOriginLabelValidation
  bool namespaced_gateway_routes = false;  // kdsd.namespacedGatewayRoutes

  bool is_global() const { return mode == Mode::global; }
  bool is_zone() const { return mode == Mode::zone; }
  bool has_namespaces() const { return environment == Environment::kubernetes; }
  // A namespace that belongs to some team rather than to the mesh operator.
  bool is_custom_namespace(const std::string& name) const {
    return has_namespaces() && !name.empty() && name != system_namespace;
  }
};

}  // namespace kdsd::policy
