// Promise 3: a zone is sent nothing that the rules do not give it, not even a name in a removal; a zone sends nothing
// but its own, and what came from it says so.
#pragma once

#include <map>
#include <set>
#include <string>

#include "world.h"

namespace kdsd::sim {

class LeakChecker : public Observer {
 public:
  explicit LeakChecker(World& world) : world_(world) {}

  void on_response(const ControlPlane& from, const Handle& handle, const std::string& zone,
                   const kds::Response& response) override;
  void after_commit(const ControlPlane& at, const kds::CommitBatch& batch) override;

 private:
  void check_sent(const ControlPlane& from, const ControlPlane& to, const WantedMap& wanted, const Resource& resource);
  bool is_being_withdrawn(const ControlPlane& from, const ControlPlane& to, const ResourceKey& key) const;

  World& world_;
  // Every key that a zone was ever sent, or ever sent; by direction and zone.
  std::map<std::pair<Flow, std::string>, std::set<ResourceKey>> sent_ever_;
};

}  // namespace kdsd::sim
