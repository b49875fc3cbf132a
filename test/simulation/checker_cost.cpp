#include "checker_cost.h"

namespace kdsd::sim {

void CostChecker::begin(std::set<std::pair<std::string, std::string>> refused) {
  refused_ = std::move(refused);
  active_ = true;
}

void CostChecker::on_response(const ControlPlane& from, const Handle&, const std::string& zone,
                              const kds::Response& response) {
  if (!active_ || !world_.party(zone).is_kdsd() || refused_.contains({zone, response.type})) return;
  if (response.resources.empty() && response.removed.empty()) return;
  world_.violation("cost", from.name() + " sends " + std::to_string(response.resources.size()) + " " + response.type +
                               " and " + std::to_string(response.removed.size()) + " removals on a reconnect of " +
                               zone + " without changes");
}

void CostChecker::after_commit(const ControlPlane& at, const kds::CommitBatch& batch) {
  if (!active_) return;
  for (const auto& entry : batch.upserts) {
    if (entry->key.type->name == "ZoneInsight") continue;
    world_.violation("cost", at.name() + " writes " + entry->key.text() + " on a reconnect without changes");
  }
  for (const auto& key : batch.purges)
    world_.violation("cost", at.name() + " drops " + key.text() + " on a reconnect without changes");
}

}  // namespace kdsd::sim
