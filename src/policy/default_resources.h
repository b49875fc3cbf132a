// Documents a control plane creates by itself: policies of a new mesh, and the first HostnameGenerators.
//
// Pure builders; contents are those that Kuma peers create, so that both kinds of control plane behave alike
// (rest-api.md 6.4).
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "policy/control_plane.h"

namespace kdsd::policy {

struct DefaultResource {
  std::string type;
  std::string mesh;  // empty for global scope
  std::string name;
  boost::json::value spec;  // flat members for proto types
};

// Policies for a mesh just created. `mesh_spec` is its document: `skipCreatingInitialPolicies` with `*` or a type name
// is honoured. `routing`: also the TrafficPermission and TrafficRoute of older data planes.
std::vector<DefaultResource> mesh_defaults(std::string_view mesh, const boost::json::value& mesh_spec, bool routing);

std::vector<DefaultResource> default_hostname_generators(const ControlPlaneKind& control_plane);

}  // namespace kdsd::policy
