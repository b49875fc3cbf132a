// What explain says of each stored resource (policy-semantics.md 12.5), held against what every party really holds:
// kdsd zones, and plain Kuma zones, which get original references and may lack features.
#pragma once

#include <string>

#include "kds/explain.h"

#include "node.h"

namespace kdsd::sim {

class ExplainChecker {
 public:
  explicit ExplainChecker(World& world) : world_(world) {}

  // The first disagreement; empty if there is none. Only where the stores have converged: explain tells what will be.
  std::string difference() const;

 private:
  // What is said to be at each party, by the key it has there.
  using Said = std::map<const ControlPlane*, std::set<ResourceKey>>;

  std::string explain_all(const Node& node, Said& said) const;
  std::string check_zones(const kds::Explanation& explanation, Said& said) const;
  std::string check_place(const kds::Explanation& explanation, std::size_t at, const ControlPlane& party) const;
  std::string compare(const ControlPlane& at, const std::string& source, const std::set<ResourceKey>& said) const;

  World& world_;
};

}  // namespace kdsd::sim
