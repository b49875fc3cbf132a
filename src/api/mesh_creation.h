// What comes into being together with a Mesh (rest-api.md 6.4, "Side effects").
//
// Pure; runs on the core executor inside the transaction that creates the mesh, so that a mesh never exists without
// them.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "kds/transaction.h"
#include "model/status.h"
#include "policy/control_plane.h"

namespace kdsd::api {

// Whether this control plane creates defaults at all: a global, or a zone of its own.
bool creates_mesh_defaults(const policy::ControlPlaneKind& control_plane);

// A resource that this program makes by itself, unless it exists. Without namespaces it carries no labels
// (kds-protocol.md 8.1); with them it gets a core name in the system namespace and the labels of an own resource.
void put_default(kds::Transaction& transaction, const policy::ControlPlaneKind& control_plane, const ResourceType& type,
                 const std::string& mesh, const std::string& name, std::string spec);

// The default policies that the mesh does not exclude, and its signing key for data plane tokens. What exists is left
// alone. `signing_key_pem`: PEM `RSA PRIVATE KEY`. `routing`: also the TrafficPermission and TrafficRoute.
Status create_mesh_companions(kds::Transaction& transaction, const policy::ControlPlaneKind& control_plane,
                              std::string_view mesh, const boost::json::value& mesh_spec,
                              const std::string& signing_key_pem, bool routing);

}  // namespace kdsd::api
