#include "checker_acknowledged.h"

#include <set>

#include "reference_rewriting.h"

namespace kdsd::sim {

Content AcknowledgedChecker::found_at(const ControlPlane& at, const ResourceKey& key) const {
  auto it = at.resources().find(key);
  return it == at.resources().end() || it->second->is_copy() ? Content{} : content_of(it->second);
}

void AcknowledgedChecker::check_all(const ControlPlane& at) {
  const auto& ledger = workload_.ledger(at.name());
  for (const auto& key : ledger.keys()) {
    const auto found = found_at(at, key);
    if (key.type->name == "Zone") continue;  // the global itself makes one for each zone that connects
    if (!ledger.allows(key, found)) {
      world_.violation("acknowledged",
                       at.name() + ": " + key.text() + " is " + found.text() + ", expected " + ledger.expectation(key));
    }
  }
}

void AcknowledgedChecker::on_start(const ControlPlane& at, bool from_backup) {
  if (!from_backup) check_all(at);
  auto& ledger = workload_.ledger(at.name());
  for (const auto& key : ledger.keys()) ledger.settle(key, found_at(at, key));
}

void AcknowledgedChecker::after_commit(const ControlPlane& at, const kds::CommitBatch& batch) {
  std::set<ResourceKey> changed(batch.purges.begin(), batch.purges.end());
  for (const auto& entry : batch.upserts) changed.insert(entry->key);
  auto& ledger = workload_.ledger(at.name());
  // A zone takes what it made in a mesh along when the global withdraws the mesh; also what was made in the same
  // commit.
  for (const auto& key : at.is_global() ? std::vector<ResourceKey>{} : ledger.keys()) {
    const auto found = found_at(at, key);
    if (!found.exists && key.type->mesh_scoped && changed.contains({&world_.type("Mesh"), "", key.mesh}))
      ledger.settle(key, found);
  }
  for (const auto& key : changed) {
    if (key.type->name == "Zone" || !ledger.knows(key)) continue;
    const auto found = found_at(at, key);
    if (ledger.allows(key, found)) continue;
    world_.violation("acknowledged", at.name() + " commits " + key.text() + " as " + found.text() + ", expected " +
                                         ledger.expectation(key));
  }
}

void AcknowledgedChecker::on_renaming(const ControlPlane& at, const std::string& before, const std::string& after) {
  workload_.ledger(at.name()).rename_namespace(before, after);
}

void AcknowledgedChecker::on_response(const ControlPlane&, const Handle& handle, const std::string&,
                                      const kds::Response& response) {
  out_[{handle, response.type}] = response;
}

void AcknowledgedChecker::on_request(const ControlPlane& from, const Handle& handle, const std::string& zone,
                                     const kds::Request& request) {
  if (request.nonce.empty() || request.is_nack) return;
  auto it = out_.find({handle, request.type});
  if (it == out_.end() || it->second.nonce != request.nonce) return;
  if (from.is_global() && !from.resources().contains({&world_.type("Zone"), "", zone})) return;  // went with its zone
  check_held(from, from.is_global() ? zone : std::string(source_global), it->second);
}

void AcknowledgedChecker::check_held(const ControlPlane& at, const std::string& source, const kds::Response& response) {
  const auto what = at.name() + " acknowledged " + response.type + " nonce " + response.nonce + " without having ";
  std::set<ResourceKey> sent;
  for (const auto& item : response.resources) {
    auto key = item.resource.key();
    key.name = kept_as(*key.type, key.name, at.place());
    sent.insert(key);
    auto found = at.resources().find(key);
    if (found == at.resources().end()) return world_.violation("acknowledged", what + "stored " + key.text());
    const auto& stored = *found->second;
    if (stored.source != source ||
        !same_where_received(stored, stored.spec, item.resource.spec, at.place(), at.is_kdsd()) ||
        stored.labels != item.resource.labels) {
      return world_.violation("acknowledged", what + "stored the content of " + key.text());
    }
  }
  for (const auto& text : response.removed) {
    auto removed = kds::parse_removed(world_.type(response.type), text);
    ResourceKey key{&world_.type(response.type), removed.mesh,
                    kept_as(world_.type(response.type), removed.name, at.place())};
    auto found = at.resources().find(key);
    if (sent.contains(key) || found == at.resources().end() || found->second->source != source) continue;
    world_.violation("acknowledged", what + "removed " + key.text());
  }
}

}  // namespace kdsd::sim
