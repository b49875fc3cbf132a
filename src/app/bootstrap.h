// What a control plane creates at its first start (config.md 3.10, tokens.md 2, kds-protocol.md 14).
//
// Pure but for the key material, which the caller makes.
#pragma once

#include <string>

#include "kds/committer.h"
#include "kds/tokens.h"
#include "policy/control_plane.h"

namespace kdsd::app {

// Of the store, once the first bootstrap is done.
inline constexpr const char* defaults_fact = "defaults.created";

struct BootstrapOptions {
  policy::ControlPlaneKind control_plane;
  bool skip_mesh_creation = false;
  bool skip_tenant_resources = false;
  bool skip_hostname_generators = false;
  bool routing_resources = false;
  std::string cluster_id;  // for Config `kuma-cluster-id`
  // PEM; empty where the store has one. The second is not used on federated zones, the third is of mesh `default`.
  std::string user_signing_key;
  std::string zone_signing_key;
  std::string dataplane_signing_key;
  bool create_admin_token = true;  // GlobalSecret `admin-user-token` (tokens.md 6)
  kds::TokenLife admin_token_life;
};

// A write that creates what is missing: mesh and generators once in the life of a store, signing keys and the
// administrator's token whenever there is none. On a zone it keeps the Zone object its own name. It follows a
// renamed system namespace.
kds::Write bootstrap(BootstrapOptions options, std::function<void(const Status&)> done);

}  // namespace kdsd::app
