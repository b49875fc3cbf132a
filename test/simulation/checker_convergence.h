// Promise 1: after the healing every control plane holds exactly what the rules say, computed by the reference.
#pragma once

#include <set>
#include <string>

#include "world.h"

namespace kdsd::sim {

class ConvergenceChecker {
 public:
  explicit ConvergenceChecker(World& world) : world_(world) {}

  // The first difference in words, empty when there is none. `tolerant`: Secrets may be missing or old where a Kuma
  // zone had its own of that name and a refusal was recorded on the stream that still lives: a refused resource is not
  // sent again (3.4). kdsd asks for it when its own is gone.
  std::string difference(bool tolerant) const;

  // (zone, type) with a name that both the zone and the global made: it is refused for ever.
  std::set<std::pair<std::string, std::string>> conflicts() const;

 private:
  std::string compare(const ControlPlane& at, const std::string& source, const WantedMap& wanted, bool tolerant) const;
  std::string wrong_form(const ControlPlane& at, const Resource& found) const;
  std::string orphans(const ControlPlane& at) const;

  World& world_;
};

}  // namespace kdsd::sim
