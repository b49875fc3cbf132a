// A simulated disk: the list of committed batches of one control plane, and what they add up to.
//
// Survives crashes of its node. A backup is a shorter list; and every start begins a new epoch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kds/core.h"

namespace kdsd::sim {

using Resources = std::map<ResourceKey, ResourcePtr>;

class SimStore {
 public:
  explicit SimStore(std::string id) : id_(std::move(id)) {}

  void apply(const kds::CommitBatch& batch);
  // For a start of the node, which begins an epoch.
  kds::CoreState load();
  // Goes back to the state after `batches` commits.
  void restore(std::size_t batches);

  const Resources& live() const { return live_; }
  // With the audiences that it has had; null: there is none.
  EntryPtr entry(const ResourceKey& key) const;
  std::size_t commits() const { return batches_.size(); }

 private:
  void add_up(const kds::CommitBatch& batch);

  std::string id_;
  std::uint64_t epoch_ = 0;
  std::vector<kds::CommitBatch> batches_;
  std::map<ResourceKey, EntryPtr> entries_;
  Resources live_;
  Revision revision_;
  std::map<std::string, std::string> facts_;
};

}  // namespace kdsd::sim
