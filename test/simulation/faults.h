// Everything that goes wrong, at random, until the healing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "world.h"

namespace kdsd::sim {

class Faults {
 public:
  explicit Faults(World& world);

  // One fault of some kind, somewhere; counted as `fault: <kind>`.
  void strike();
  // Whoever is down starts; links are as good as new; dead connections are found dead in time.
  void heal();

  // Names of all kinds, as counted.
  static std::vector<std::string> kinds();

 private:
  struct Kind {
    std::string name;
    int weight;
    std::function<bool()> strike;  // false: not possible now
  };
  ControlPlane& some_party();
  std::string some_zone();
  void restart_later(ControlPlane& party);
  bool crash();
  bool crash_at_effect();
  bool restore_backup();
  bool rename_system_namespace();
  bool second_connection();

  World& world_;
  Random& random_;
  std::vector<Kind> kinds_;
  bool healing_ = false;
};

}  // namespace kdsd::sim
