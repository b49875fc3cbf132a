// Names of resources where there are namespaces: `<name>.<namespace>`, and what follows the last dot is the namespace
// (namespaces.md 2).
//
// Pure.
#pragma once

#include <string>

#include "model/catalogue.h"
#include "policy/control_plane.h"

namespace kdsd::policy {

// A stored name taken apart. `namespace_` is empty where names carry none.
struct CoreName {
  std::string name;
  std::string namespace_;

  std::string text() const { return namespace_.empty() ? name : name + "." + namespace_; }
};

// Whether names of the type carry a namespace on this control plane.
bool has_namespace(const ControlPlaneKind& control_plane, const ResourceType& type);

// A name as a path or a document has it; without a dot it means the system namespace.
CoreName split_core_name(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& name);

// The name under which such a resource is stored.
std::string core_name(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& name);

}  // namespace kdsd::policy
