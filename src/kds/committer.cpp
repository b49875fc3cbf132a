#include "kds/committer.h"

#include <algorithm>

#include "kuma/system/v1alpha1/zone.pb.h"

namespace kdsd::kds {

bool zone_enabled(const Transaction& transaction, std::string_view zone) {
  const auto* type = transaction.catalogue().find("Zone");
  if (type == nullptr) return true;
  auto object = transaction.find(*type, "", zone);
  if (!object) return true;
  kuma::system::v1alpha1::Zone spec;
  if (!spec.ParseFromString(object->spec)) return true;
  return !spec.has_enabled() || spec.enabled().value();
}

Committer::Committer(Index& index, const Sending& sending) : index_(index), sending_(sending) {}

Status Committer::submit(Write write, bool internal) {
  if (!internal && queue_.size() >= limits::writes_queued) {
    return Status(Code::exhausted, "too many writes are waiting for the store");
  }
  queue_.push_back(std::move(write));
  return {};
}

void Committer::purge(std::vector<EntryPtr> tombstones) {
  purges_.insert(purges_.end(), tombstones.begin(), tombstones.end());
}

void Committer::decide_queued(Staged& staged, Timestamp now) {
  std::size_t taken = 0;
  while (!queue_.empty() && taken < limits::writes_per_commit && staged.items.size() < limits::resources_per_commit) {
    Write write = std::move(queue_.front());
    queue_.pop_front();
    ++taken;
    Transaction transaction(index_, staged, now, &facts_);
    auto status = write.decide(transaction);
    if (status.ok()) {
      staged.merge(transaction.staged());
      waiting_.push_back(std::move(write.done));
    } else {
      refused_.emplace_back(std::move(write.done), std::move(status));
    }
  }
}

EntryPtr Committer::build_entry(const ResourceKey& key, const Staged::Item& item, Revision revision,
                                const ZoneEnabled& enabled) const {
  auto old = index_.find_entry(item.moved_from.value_or(key));
  if (!item.resource && (!old || !old->resource)) return nullptr;
  auto entry = std::make_shared<Entry>();
  entry->key = key;
  entry->revision = revision;
  entry->resource = item.resource;
  if (old) entry->presences = old->presences;

  Presence presence;
  presence.since = revision;
  if (item.resource) {
    auto decision = audience_of(*item.resource, sending_, enabled);
    presence.audience = decision.audience;
    presence.needs = decision.needs;
    presence.wire_name = wire_name(*item.resource, sending_);
  }
  const bool same = !entry->presences.empty() && entry->current().audience == presence.audience &&
                    entry->current().needs == presence.needs && entry->current().wire_name == presence.wire_name &&
                    old->resource != nullptr;
  if (same && item.audience_only) return nullptr;
  if (!same) entry->presences.push_back(presence);
  if (entry->presences.size() > limits::presences_kept) entry->presences.erase(entry->presences.begin());
  return entry;
}

void Committer::build(const Staged& staged, Timestamp now, CommitBatch& batch) {
  Staged none;
  Transaction view(index_, staged, now);
  const ZoneEnabled enabled = [&](std::string_view zone) { return zone_enabled(view, zone); };
  Revision next = index_.head();
  for (const auto& key : staged.order) {
    const auto& item = staged.items.at(key);
    if (item.moved_away) {
      batch.purges.push_back(key);
      continue;
    }
    if (item.moved_from) raise_floor_over(key, batch);
    auto entry = build_entry(key, item, Revision{next.value + 1}, enabled);
    if (!entry) continue;
    const bool nobody_ever =
        std::all_of(entry->presences.begin(), entry->presences.end(),
                    [](const Presence& presence) { return presence.audience.kind == Audience::Kind::nobody; });
    if (!entry->resource && nobody_ever) {
      batch.purges.push_back(key);
      continue;
    }
    if (entry->presences.size() == limits::presences_kept) {
      // What was in effect before the oldest one that is kept is no longer known.
      batch.facts["floor." + key.type->name] = std::to_string(entry->presences.front().since.value);
    }
    ++next.value;
    batch.upserts.push_back(std::move(entry));
  }
  batch.revision = batch.upserts.empty() ? Revision{} : next;
  batch.deleted_zones = staged.deleted_zones;
  batch.facts.insert(required_.begin(), required_.end());
  for (const auto& [name, text] : staged.facts) {
    auto known = facts_.find(name);
    if (known == facts_.end() || known->second != text) batch.facts[name] = text;
  }
}

// What is moved here takes the place of a tombstone: who has not heard of that one needs the full state.
void Committer::raise_floor_over(const ResourceKey& key, CommitBatch& batch) const {
  auto replaced = index_.find_entry(key);
  if (!replaced) return;
  const auto known = std::max(index_.floor(*key.type), replaced->revision);
  auto& fact = batch.facts["floor." + key.type->name];
  if (fact.empty() || std::stoull(fact) < known.value) fact = std::to_string(known.value);
}

void Committer::take_purges(CommitBatch& batch) {
  for (const auto& tombstone : std::exchange(purges_, {})) {
    // It may have come back to life meanwhile.
    if (index_.find_entry(tombstone->key) != tombstone) continue;
    const bool revived = std::any_of(batch.upserts.begin(), batch.upserts.end(),
                                     [&](const EntryPtr& entry) { return entry->key == tombstone->key; });
    if (revived) continue;
    batch.purges.push_back(tombstone->key);
    batch.facts["floor." + tombstone->key.type->name] = std::to_string(tombstone->revision.value);
  }
}

bool Committer::start(Timestamp now, CommitBatch& batch) {
  if (in_flight_) return false;
  while (waiting()) {
    Staged staged;
    decide_queued(staged, now);
    batch_ = CommitBatch{};
    build(staged, now, batch_);
    take_purges(batch_);
    for (auto& [done, status] : std::exchange(refused_, {})) {
      if (done) done(status);
    }
    if (batch_.upserts.empty() && batch_.purges.empty() && batch_.facts.empty()) {
      for (auto& done : std::exchange(waiting_, {})) {
        if (done) done(Status());
      }
      continue;
    }
    batch = batch_;
    in_flight_ = true;
    ++commits_;
    return true;
  }
  return false;
}

Committed Committer::finish(const Status& status) {
  Committed out;
  in_flight_ = false;
  if (!status.ok()) return out;
  required_.clear();
  for (const auto& key : batch_.purges) {
    auto entry = index_.find_entry(key);
    if (entry && entry->resource) {
      index_.erase(key);
      out.erased.push_back(key);
    } else {
      index_.purge(key);
    }
  }
  for (const auto& entry : batch_.upserts) index_.apply(entry);
  for (const auto& [name, text] : batch_.facts) {
    facts_[name] = text;
    if (name.starts_with("floor.")) {
      if (const auto* type = index_.catalogue().find(std::string_view(name).substr(6))) {
        index_.set_floor(*type, std::max(index_.floor(*type), Revision{std::stoull(text)}));
      }
    }
  }
  out.entries = batch_.upserts;
  return out;
}

void Committer::complete(const Status& status) {
  for (auto& done : std::exchange(waiting_, {})) {
    if (done) done(status);
  }
}

}  // namespace kdsd::kds
