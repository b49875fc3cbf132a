// What a peer's control plane can take, as far as that decides what it is sent and in which form.
//
// Pure values. Specification: kds-protocol.md 3.3, 5.1, 6.7.
#pragma once

#include <cstdint>

#include "kds/outbound.h"
#include "kds/wire.h"

namespace kdsd::kds {

struct KnownFeatures {
  std::uint8_t bits = 0;  // as feature_bit
  PeerClass form;

  // Of a peer with a store of its own, as kdsd and Universal Kuma have.
  static KnownFeatures of(const Features& features);
  // Of a peer as it introduces itself.
  static KnownFeatures of(const NodeInfo& node);
};

}  // namespace kdsd::kds
