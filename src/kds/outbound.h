// What leaves a control plane: who may have a resource, and under which name, labels and spec it travels.
//
// Pure. Specification: kds-protocol.md 5 (filters and mappers), 7 (names), 11 (what never leaves);
// policy-semantics.md 3 (gates). One place decides; streams, explain and plan ask here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/resource.h"

namespace kdsd::kds {

// The sending control plane.
struct Sending {
  bool is_global = true;
  std::string zone;  // own name on a zone
  std::string environment = "universal";
  std::string system_namespace = "kuma-system";
  std::vector<std::string> skip_label_prefixes;
};

struct Decision {
  Audience audience;
  std::string reason;      // the words of policy-semantics.md 3: `producer`, `kds-sync-disabled`, …
  std::uint8_t needs = 0;  // feature_bit: receivers without one of these do not get it
};

// Whether the Zone object of that name is enabled; a missing one counts as enabled.
using ZoneEnabled = std::function<bool(std::string_view zone)>;

Decision audience_of(const Resource& resource, const Sending& sending, const ZoneEnabled& zone_enabled);

// `hashed`: the receiver knows hashed names (feature `hash-suffix`); on the way up names are always hashed.
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

// Null when the resource cannot be sent at all (a signing key that is no RSA key).
EncodedPtr encode(const Resource& resource, const Sending& sending, bool hashed = true);

}  // namespace kdsd::kds
