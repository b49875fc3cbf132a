#include "kds/peer_features.h"

#include "model/json.h"

namespace kdsd::kds {
namespace {

// Kuma on Kubernetes stores what it receives through an API server, which has rules of its own.
bool stores_through_api_server(const NodeInfo& node) {
  if (node.features.has(feature::kdsd_chunked)) return false;
  const auto config = parse_json(node.config);
  return config.ok() && find_text(*config, {"environment"}) == "kubernetes";
}

}  // namespace

KnownFeatures KnownFeatures::of(const Features& features) {
  return {static_cast<std::uint8_t>(features.bits() | feature_bit::own_store),
          {features.has(feature::hash_suffix), features.has(feature::kdsd_target_ref_rewrite)}};
}

KnownFeatures KnownFeatures::of(const NodeInfo& node) {
  auto known = of(node.features);
  if (stores_through_api_server(node)) known.bits &= static_cast<std::uint8_t>(~feature_bit::own_store);
  return known;
}

}  // namespace kdsd::kds
