// Promise 1, at every moment: no live resource vanishes because some peer restarted, and no deleted one comes back.
#pragma once

#include <map>
#include <string>

#include "world.h"

namespace kdsd::sim {

class HistoryChecker : public Observer {
 public:
  explicit HistoryChecker(World& world) : world_(world) {}

  void before_commit(const ControlPlane& at, const kds::CommitBatch& batch) override;
  void after_commit(const ControlPlane& at, const kds::CommitBatch& batch) override;
  void before_restore(const ControlPlane& at) override;
  void after_restore(const ControlPlane& at) override;

 private:
  // What one destination was entitled to, seen from the sender.
  struct Entitlement {
    std::int64_t absent_last = 0;  // the last time it was known not to be for the destination
    std::int64_t gone_since = 0;   // 0: it is for the destination now
  };
  struct Copy {
    std::int64_t created = 0;
    std::int64_t removed = 0;
  };
  using Fates = std::map<std::string, WantedMap>;  // by destination

  Fates entitled(const ControlPlane& sender, const kds::CommitBatch* batch) const;
  void note(const Fates& before, const Fates& after);
  void note_switched(const ControlPlane& at, const kds::CommitBatch& batch);
  void created(const ControlPlane& at, const Resource& copy);
  void removed(const ControlPlane& at, const Resource& copy, const kds::CommitBatch& batch);
  bool is_entitled(const ControlPlane& at, const Resource& copy) const;
  bool hangs_on_zone(const ControlPlane& at, const Resource& copy) const;
  bool is_still_withdrawn(const ControlPlane& at, const Resource& copy) const;
  EntryPtr relayed_as(const ControlPlane& zone, const Resource& copy) const;

  World& world_;
  Fates before_;
  std::map<ResourceKey, ResourcePtr> copies_before_;
  std::map<std::string, Fates> before_restore_;
  std::map<std::string, std::map<ResourceKey, Entitlement>> entitlements_;  // by destination
  std::map<std::string, std::map<ResourceKey, Copy>> copies_;
};

}  // namespace kdsd::sim
