#include "checker_history.h"

#include <set>

#include "node.h"

namespace kdsd::sim {
namespace {

std::set<ResourceKey> keys_of(const kds::CommitBatch& batch) {
  std::set<ResourceKey> out(batch.purges.begin(), batch.purges.end());
  for (const auto& entry : batch.upserts) out.insert(entry->key);
  return out;
}

bool concerns_zones(const kds::CommitBatch& batch) {
  for (const auto& key : keys_of(batch)) {
    if (key.type->name == "Zone") return true;
  }
  return false;
}

}  // namespace

// Of the keys in the batch only, unless it concerns Zone objects (then everything may change) or there is none.
HistoryChecker::Fates HistoryChecker::entitled(const ControlPlane& sender, const kds::CommitBatch* batch) const {
  Resources concerned;
  const bool all = batch == nullptr || concerns_zones(*batch);
  if (all) concerned = sender.resources();
  if (!all) {
    for (const auto& key : keys_of(*batch)) {
      auto it = sender.resources().find(key);
      if (it != sender.resources().end()) concerned.insert(*it);
    }
  }
  Fates out;
  if (!sender.is_global()) {
    out["global"] = wanted_by_global(concerned, sender.place(), world_.global().place(), nullptr);
    return out;
  }
  for (const auto& party : world_.parties()) {
    if (party->is_global()) continue;
    for (const auto& [key, resource] : concerned) {
      auto wanted = reaches_zone(*resource, sender.resources(), sender.place(), party->place());
      if (wanted) out[party->name()].emplace(wanted->key, std::move(*wanted));
    }
  }
  return out;
}

void HistoryChecker::note(const Fates& before, const Fates& after) {
  static const WantedMap none;
  const auto now = world_.schedule().now();
  const auto of = [](const Fates& fates, const std::string& name) -> const WantedMap& {
    auto it = fates.find(name);
    return it == fates.end() ? none : it->second;
  };
  for (const auto& party : world_.parties()) {
    auto& known = entitlements_[party->name()];
    const auto& later = of(after, party->name());
    for (const auto& [key, wanted] : of(before, party->name())) {
      if (!later.contains(key)) known[key] = {now, now};
    }
    for (const auto& [key, wanted] : later) {
      auto& entitlement = known[key];
      if (!of(before, party->name()).contains(key)) entitlement.absent_last = now;
      entitlement.gone_since = 0;
    }
  }
}

// What a disabled zone sent is withdrawn, and given back, somewhat after the zone was switched: until the resource
// itself was looked at again the former audience is in effect. It may be withdrawn only while its zone is disabled:
// `removed` relies on that.
void HistoryChecker::note_switched(const ControlPlane& at, const kds::CommitBatch& batch) {
  if (!at.is_global()) return;
  for (const auto& entry : batch.upserts) {
    const bool is_switched =
        entry->resource && entry->presences.size() > 1 && entry->current().since == entry->revision;
    if (!is_switched) continue;
    for (const auto& party : world_.parties()) {
      if (party->is_global()) continue;
      auto wanted = reaches_zone(*entry->resource, at.resources(), at.place(), party->place(), true);
      if (!wanted || !wanted->only_if_enabled) continue;
      entitlements_[party->name()][wanted->key].absent_last = world_.schedule().now();
      if (!entry->current().audience.includes(party->name()) &&
          reaches_zone(*entry->resource, at.resources(), at.place(), party->place())) {
        world_.violation("vanishing", at.name() + " withdraws " + entry->key.text() + " from " + party->name() +
                                          ", and its zone is enabled");
      }
    }
  }
}

void HistoryChecker::before_commit(const ControlPlane& at, const kds::CommitBatch& batch) {
  before_ = entitled(at, &batch);
  copies_before_.clear();
  for (const auto& key : keys_of(batch)) {
    auto it = at.resources().find(key);
    if (it != at.resources().end() && it->second->is_copy()) copies_before_.insert(*it);
  }
}

void HistoryChecker::after_commit(const ControlPlane& at, const kds::CommitBatch& batch) {
  note(before_, entitled(at, &batch));
  note_switched(at, batch);
  for (const auto& key : keys_of(batch)) {
    auto old = copies_before_.find(key);
    auto now = at.resources().find(key);
    const bool is_there = now != at.resources().end() && now->second->is_copy();
    if (old == copies_before_.end() && is_there) created(at, *now->second);
    if (old != copies_before_.end() && !is_there) removed(at, *old->second, batch);
  }
}

bool HistoryChecker::is_entitled(const ControlPlane& at, const Resource& copy) const {
  const auto& sender = at.is_global() ? world_.party(copy.source) : world_.global();
  const auto wanted = at.is_global() ? wanted_by_global(sender.resources(), sender.place(), at.place(), copy.type)
                                     : wanted_by_zone(sender.resources(), sender.place(), at.place(), copy.type);
  return wanted.contains(copy.key());
}

// What the global relays to a zone as this copy, or would if every zone were enabled.
EntryPtr HistoryChecker::relayed_as(const ControlPlane& zone, const Resource& copy) const {
  const auto& global = static_cast<const Node&>(world_.global());
  for (const auto& [key, resource] : global.resources()) {
    if (key.type != copy.type) continue;
    auto wanted = reaches_zone(*resource, global.resources(), global.place(), zone.place(), true);
    if (wanted && wanted->key == copy.key() && wanted->only_if_enabled) return global.entry(key);
  }
  return nullptr;
}

// Its origin is disabled, but it is there: who was disabled is withdrawn in batches, after a restart too, and until
// that is done the former audience is in effect.
bool HistoryChecker::hangs_on_zone(const ControlPlane& at, const Resource& copy) const {
  return !at.is_global() && relayed_as(at, copy) != nullptr;
}

// Its origin is enabled again, but what it sent is given back in batches too (design.md, step 4): until then it is for
// nobody. A zone that gets it only now, from a response of before it was withdrawn, is next told to drop it.
bool HistoryChecker::is_still_withdrawn(const ControlPlane& at, const Resource& copy) const {
  if (at.is_global()) return false;
  const auto entry = relayed_as(at, copy);
  return entry && !entry->current().audience.includes(at.name());
}

void HistoryChecker::created(const ControlPlane& at, const Resource& copy) {
  auto& state = copies_[at.name()][copy.key()];
  const auto now = world_.schedule().now();
  const auto& entitlement = entitlements_[at.name()][copy.key()];
  if (state.removed != 0 && entitlement.gone_since != 0 && entitlement.gone_since <= state.removed &&
      !is_entitled(at, copy) && !hangs_on_zone(at, copy)) {
    world_.violation("resurrection",
                     at.name() + " stores " + copy.key().text() + " again, which was deleted and had gone from it");
  }
  state = {now, 0};
}

void HistoryChecker::removed(const ControlPlane& at, const Resource& copy, const kds::CommitBatch& batch) {
  auto& state = copies_[at.name()][copy.key()];
  const bool with_its_zone = at.is_global() && keys_of(batch).contains({&world_.type("Zone"), "", copy.source});
  const auto& entitlement = entitlements_[at.name()][copy.key()];
  if (!with_its_zone && entitlement.absent_last < state.created && is_entitled(at, copy) &&
      !is_still_withdrawn(at, copy)) {
    world_.violation("vanishing",
                     at.name() + " drops " + copy.key().text() + ", which its sender has had all the time");
  }
  state.removed = with_its_zone ? 0 : world_.schedule().now();
}

void HistoryChecker::before_restore(const ControlPlane& at) { before_restore_[at.name()] = entitled(at, nullptr); }

void HistoryChecker::after_restore(const ControlPlane& at) {
  note(before_restore_[at.name()], entitled(at, nullptr));
  auto& copies = copies_[at.name()];
  copies.clear();
  for (const auto& [key, resource] : at.resources()) {
    if (resource->is_copy()) copies[key] = {world_.schedule().now(), 0};
  }
}

}  // namespace kdsd::sim
