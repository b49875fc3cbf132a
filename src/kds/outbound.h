// What leaves a control plane: who may have a resource, and under which name, labels and spec it travels.
//
// Pure. Specification: kds-protocol.md 5 (filters and mappers), 7 (names), 11 (what never leaves);
// policy-semantics.md 3 (gates). One place decides; streams, explain and plan ask here.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/resource.h"
#include "policy/control_plane.h"
#include "policy/role.h"

namespace kdsd::kds {

// The sending control plane.
struct Sending {
  policy::ControlPlaneKind control_plane;
  std::vector<std::string> skip_label_prefixes;

  bool is_global() const { return control_plane.is_global(); }
};

// Receivers of one class get the same bytes.
struct PeerClass {
  bool hashed = true;      // knows hashed names (feature `hash-suffix`); on the way up names are always hashed
  bool rewritten = false;  // takes references as this global rewrote them (feature `kdsd-target-ref-rewrite`)
};

struct Decision {
  Audience audience;
  std::string reason;      // the words of policy-semantics.md 3: `producer`, `kds-sync-disabled`, …
  std::uint8_t needs = 0;  // feature_bit: receivers without one of these do not get it
};

// Whether the Zone object of that name is enabled; a missing one counts as enabled.
using ZoneEnabled = std::function<bool(std::string_view zone)>;

Decision audience_of(const Resource& resource, const Sending& sending, const ZoneEnabled& zone_enabled);

// What of a resource the API server of a Kubernetes zone would refuse, as api_server_rules.h says; empty: nothing.
std::string held_back_because(const Resource& resource, const Sending& sending);

// The role that a policy of a zone has on the global: computed again from the spec as received
// (policy-semantics.md 1.3). Code::invalid as compute_role.
Result<policy::Role> role_of_relayed(const Resource& resource, const boost::json::value& spec);

// `hashed`: as in PeerClass. A copy on a zone is sent to nobody; its wire name is the one its author gave it.
std::string wire_name(const Resource& resource, const Sending& sending, bool hashed = true);
Labels wire_labels(const Resource& resource, const Sending& sending, bool hashed = true);

// A resource as one element of a DeltaDiscoveryResponse. Made once for each change and class of peers, shared by all
// streams (design.md "A change's way", step 5).
struct EncodedResource {
  std::string bytes;    // with field tag and length: messages are put together by appending
  std::string version;  // lower-case hex SHA-256 of the deterministic KumaResource
  std::string key;      // <name>.<mesh>
};
using EncodedPtr = std::shared_ptr<const EncodedResource>;

// What a relayed policy says to peers that take rewritten references; nothing where that is what it says to everybody.
// A zone never rewrites what it sends (policy-semantics.md 4.2).
std::optional<std::string> rewritten_spec(const Resource& resource, const Sending& sending);

// `spec`: instead of the one that is stored.
EncodedPtr encode(const Resource& resource, const Sending& sending, bool hashed = true,
                  const std::string* spec = nullptr);

}  // namespace kdsd::kds
