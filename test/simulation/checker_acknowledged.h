// Promise 2: what a client was told, and what a peer was sent an ACK for, is on the disk; what was not acknowledged
// happened whole or not at all, and nothing disappears without somebody having asked for it.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "workload.h"
#include "world.h"

namespace kdsd::sim {

class AcknowledgedChecker : public Observer {
 public:
  AcknowledgedChecker(World& world, Workload& workload) : world_(world), workload_(workload) {}

  void on_start(const ControlPlane& at, bool from_backup) override;
  void after_commit(const ControlPlane& at, const kds::CommitBatch& batch) override;
  void on_renaming(const ControlPlane& at, const std::string& before, const std::string& after) override;
  void on_response(const ControlPlane& from, const Handle& handle, const std::string& zone,
                   const kds::Response& response) override;
  void on_request(const ControlPlane& from, const Handle& handle, const std::string& zone,
                  const kds::Request& request) override;

  // Every resource that a client was told about.
  void check_all(const ControlPlane& at);

 private:
  Content found_at(const ControlPlane& at, const ResourceKey& key) const;
  void check_held(const ControlPlane& at, const std::string& source, const kds::Response& response);

  World& world_;
  Workload& workload_;
  std::map<std::pair<Handle, std::string>, kds::Response> out_;  // the newest response of each stream and type
};

}  // namespace kdsd::sim
