#include "policy/core_name.h"

namespace kdsd::policy {

bool has_namespace(const ControlPlaneKind& control_plane, const ResourceType& type) {
  return control_plane.has_namespaces() && type.named_with_namespace();
}

CoreName split_core_name(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& name) {
  if (!has_namespace(control_plane, type)) return {name, ""};
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return {name, control_plane.system_namespace};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

std::string core_name(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& name) {
  return split_core_name(control_plane, type, name).text();
}

}  // namespace kdsd::policy
