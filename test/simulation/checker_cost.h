// Promise 4: a reconnect of a kdsd zone without changes in between sends no resource and writes nothing but the
// global's record of the connection.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "world.h"

namespace kdsd::sim {

class CostChecker : public Observer {
 public:
  explicit CostChecker(World& world) : world_(world) {}

  // From now on nothing but reconnects happens. `refused`: (zone, type) that are refused again each time.
  void begin(std::set<std::pair<std::string, std::string>> refused);
  void end() { active_ = false; }

  void on_response(const ControlPlane& from, const Handle& handle, const std::string& zone,
                   const kds::Response& response) override;
  void after_commit(const ControlPlane& at, const kds::CommitBatch& batch) override;

 private:
  World& world_;
  bool active_ = false;
  std::set<std::pair<std::string, std::string>> refused_;
};

}  // namespace kdsd::sim
