// What a control plane knows about the others: enough to say where a resource is, under which name, and why.
//
// Pure values. A running global makes one from its Zone objects and its streams; `kdsd plan --offline` reads one from a
// file; tests write them down. Nothing in it is a decision.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kds/peer_features.h"
#include "policy/control_plane.h"

namespace kdsd::kds {

class Core;

struct KnownZone {
  std::string name;
  bool enabled = true;
  std::optional<policy::ControlPlaneKind> kind;  // nothing: it never told
  std::optional<KnownFeatures> features;         // nothing: it has not been connected since this process began
};

struct World {
  const Catalogue* catalogue = nullptr;
  Sending here;                                    // of the control plane that is asked
  std::optional<policy::ControlPlaneKind> global;  // on a zone: its global, where that is described
  bool knows_zones = true;                         // a zone does not know the others
  std::vector<KnownZone> zones;                    // sorted by name; on a zone, itself included

  const policy::ControlPlaneKind& plane() const { return here.control_plane; }
  const KnownZone* find(std::string_view zone) const;
  // A zone without a Zone object counts as enabled (policy-semantics.md 3.2, G8).
  bool is_enabled(std::string_view zone) const;
};

// The kind of a zone's control plane, from the configuration that it sends with its first request; nothing where that
// does not say.
std::optional<policy::ControlPlaneKind> kind_from_config(const std::string& zone, std::string_view config);

// The world as this control plane knows it now. On the core executor; costs one look at each Zone object.
World world_of(const Core& core);

// The same mesh seen from a zone that `world` knows: what `plan` needs for documents that will be written there.
// Nothing where the zone is unknown, or never told what it is.
std::optional<World> seen_from(const World& world, std::string_view zone);

}  // namespace kdsd::kds
