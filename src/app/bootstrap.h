// What a control plane creates at its first start (config.md 3.10, tokens.md 2, kds-protocol.md 14).
//
// Pure but for the key material, which the caller makes.
#pragma once

#include <string>

#include "kds/committer.h"
#include "policy/control_plane.h"

namespace kdsd::app {

struct BootstrapOptions {
  policy::ControlPlaneKind control_plane;
  bool skip_mesh_creation = false;
  bool skip_tenant_resources = false;
  bool skip_hostname_generators = false;
  bool routing_resources = false;
  std::string cluster_id;             // for Config `kuma-cluster-id`
  std::string user_signing_key;       // PEM
  std::string zone_signing_key;       // PEM; not used on federated zones
  std::string dataplane_signing_key;  // PEM, of mesh `default`
};

// A write that creates what is missing, once in the life of a store, on a zone keeps the Zone object its own name, and
// follows a renamed system namespace.
kds::Write bootstrap(BootstrapOptions options, std::function<void(const Status&)> done);

}  // namespace kdsd::app
