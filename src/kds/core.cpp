#include "kds/core.h"

#include <algorithm>
#include <utility>

#include "model/log_text.h"

namespace kdsd::kds {
namespace {

const std::string fact_epochs = "epochs";
const std::string fact_sent_form = "sent_form";  // what shapes all that is sent, and is no change of any resource

}  // namespace

Core::Core(CoreOptions options, const Catalogue& catalogue)
    : options_(std::move(options)),
      catalogue_(catalogue),
      sending_{options_.control_plane, options_.skip_label_prefixes},
      index_(catalogue),
      cache_(sending_, limits::encoded_cache_bytes),
      committer_(index_, sending_),
      relay_hold_(options_.relay_hold_nanos),
      proxies_(options_.message_bytes_max),
      authenticator_(options_.zone_authentication, index_, options_.control_plane),
      random_(options_.seed) {
  options_.node.features = Features(own_node_features());
}

void Core::load(CoreState state) {
  store_id_ = state.store_id;
  for (const auto& entry : state.entries) index_.apply(entry);
  index_.set_head(state.revision);
  for (const auto& [name, text] : state.facts) {
    if (!name.starts_with("floor.")) continue;
    if (const auto* type = catalogue_.find(std::string_view(name).substr(6))) {
      index_.set_floor(*type, Revision{std::strtoull(text.c_str(), nullptr, 10)});
    }
  }
  committer_.load_facts(std::move(state.facts));
  begin_epoch(state.epoch);
  if (!is_global()) return;
  index_.each(*catalogue_.find("Zone"), [this](const ResourcePtr& zone) { expect_zone(zone->name); });
  close_stale_insights();
  // An enabling or disabling that a crash interrupted is finished now.
  std::set<std::string> sources;
  for (const auto* type : catalogue_.types()) {
    if (!type->across_zones) continue;
    index_.each(*type, [&](const ResourcePtr& resource) {
      if (resource->is_copy()) sources.insert(resource->source);
    });
  }
  for (const auto& zone : sources) touch_zone(zone);
}

// What was sent before counts only as long as this side still sends it in the same form.
void Core::begin_epoch(std::uint64_t epoch) {
  std::string form;
  for (const auto& prefix : options_.skip_label_prefixes) form += prefix + '\n';
  const auto fact = [this](const std::string& name) {
    auto found = committer_.facts().find(name);
    return found == committer_.facts().end() ? std::string() : found->second;
  };
  if (fact(fact_sent_form) == form) epochs_ = Epochs::parse(fact(fact_epochs));
  epochs_.begin(epoch, index_.head());
  // A change of this epoch must not be on the disk without it: after a backup was put back, tokens of the lost time
  // would be taken for tokens of this one.
  committer_.require_facts({{fact_epochs, epochs_.text()}, {fact_sent_form, form}});
  Write nothing;
  nothing.decide = [](Transaction&) { return Status(); };
  (void)submit_write(std::move(nothing), true);
}

Status Core::submit_write(Write write, bool internal) {
  auto status = committer_.submit(std::move(write), internal);
  if (status.ok()) run_commits();
  return status;
}

void Core::run_commits() {
  // `done` functions submit further writes; the outermost call carries on with them.
  if (running_commits_) return;
  running_commits_ = true;
  CommitBatch batch;
  if (committer_.start(now_, batch)) effects_.push_back(CommitEffect{std::move(batch)});
  running_commits_ = false;
}

void Core::committed(const Status& status) {
  const auto changes = committer_.finish(status);
  if (!status.ok()) log(LogEffect::Level::error, "commit failed: reason=" + log_quoted(status.text()));
  running_commits_ = true;
  // Before the answers: what a zone sent into a commit that also deleted it went with it and must not be acknowledged.
  if (is_global() && status.ok()) end_deleted_zones();
  committer_.complete(status);
  after_apply(changes);
  running_commits_ = false;
  run_commits();
}

// A Zone that was deleted, also if it was made again in the same commit: its streams end, the zone starts over.
void Core::end_deleted_zones() {
  const auto gone = committer_.deleted_zones();
  for (const auto& zone : gone) {
    for (auto id : streams_of(zone)) close(id, CloseCode::unavailable, "zone was deleted");
    zones_.erase(zone);
    expect_zone(zone);
  }
}

void Core::after_apply(const Committed& changes) {
  std::set<const ResourceType*> changed;  // in the log
  std::set<std::string> zones;
  bool proofs_changed = false;
  const auto look_at = [&](const ResourceKey& key) {
    if (!is_global()) return;
    if (key.type->name == "Zone") zones.insert(key.name);
    if (key.type->name == "GlobalSecret" && authenticator_.on_change(key)) proofs_changed = true;
  };
  for (const auto& entry : changes.entries) {
    changed.insert(entry->key.type);
    look_at(entry->key);
  }
  for (const auto& key : changes.erased) look_at(key);
  for (const auto& zone : zones) {
    touch_zone(zone);
    expect_zone(zone);
  }
  for (const auto* type : changed) end_behind(*type);
  const auto* relays_as = is_global() ? &sending_ : nullptr;
  for (auto& [id, stream] : streams_) {
    for (const auto& entry : changes.entries) stream->conflicts.look_at(entry->key, entry->resource.get(), relays_as);
    for (const auto& key : changes.erased) stream->conflicts.look_at(key, nullptr, relays_as);
  }
  end_freed();
  if (proofs_changed) check_proofs(true);
  for (auto& [id, stream] : streams_) {
    if (!stream->sender) continue;
    for (const auto* type : changed) stream->sender->on_change(*type, now_);
    tell_spared(*stream, changes.entries);
    pump(*stream);
  }
}

void Core::tell_spared(const Stream& stream, const std::vector<EntryPtr>& entries) {
  for (const auto& entry : entries) {
    if (!entry->resource || !stream.sender->spares(entry->current())) continue;
    log(LogEffect::Level::warn,
        "zone=" + stream.peer + " resource=" + log_value(entry->key.text()) + " result=held-back reason=" +
            log_quoted("its API server would refuse it: " + held_back_because(*entry->resource, sending())));
  }
}

// Who has not been told of what happened below the floor of a type never would be: it starts over with the full state.
void Core::end_behind(const ResourceType& type) {
  const auto floor = index_.floor(type);
  if (floor.value == 0) return;
  std::vector<StreamId> behind;
  for (const auto& [id, stream] : streams_) {
    if (!stream->sender) continue;
    auto it = stream->sender->types().find(type.name);
    if (it == stream->sender->types().end() || it->second.mode == Sender::Mode::unasked) continue;
    const bool was_told_nothing = !it->second.first_done && it->second.cursor.value == 0;
    if (was_told_nothing) continue;
    if (it->second.cursor < floor) behind.push_back(id);
  }
  for (auto id : behind) close(id, CloseCode::unavailable, "too far behind, start over");
}

// A peer of whom something was refused for a name that is free now offers it again on its next stream (conflicts.h).
void Core::end_freed() {
  std::vector<StreamId> freed;
  for (const auto& [id, stream] : streams_) {
    const bool is_old_enough = now_.nanos - stream->opened_at.nanos >= limits::conflict_hold_nanos;
    if (stream->conflicts.has_freed() && is_old_enough) freed.push_back(id);
  }
  for (auto id : freed) close(id, CloseCode::unavailable, "a name that was taken is free, send what was refused again");
}

void Core::touch_zone(const std::string& zone) {
  auto keys = std::make_shared<std::vector<ResourceKey>>();
  for (const auto* type : catalogue_.types()) {
    if (!type->across_zones) continue;
    index_.each_of_source(*type, zone, [&](const ResourcePtr& resource) { keys->push_back(resource->key()); });
  }
  if (!keys->empty()) touch_some(zone, std::move(keys), 0);
}

void Core::touch_some(const std::string& zone, std::shared_ptr<std::vector<ResourceKey>> keys, std::size_t from) {
  const std::size_t until = std::min(keys->size(), from + limits::touched_per_write);
  Write write;
  write.decide = [keys, from, until](Transaction& transaction) {
    for (std::size_t i = from; i < until; ++i) transaction.touch((*keys)[i]);
    return Status();
  };
  write.done = [this, zone, keys, until](const Status& status) {
    if (!status.ok()) {
      zones_to_touch_.insert(zone);  // the store could not: again with the next tick
    } else if (until < keys->size()) {
      touch_some(zone, keys, until);
    }
  };
  (void)submit_write(std::move(write), true);
}

void Core::compact() {
  for (const auto* type : catalogue_.types()) {
    end_behind(*type);
    const auto count = index_.tombstones(*type);
    if (count <= limits::tombstones_kept) continue;
    auto old = index_.oldest_tombstones(*type, std::min(count - limits::tombstones_kept, limits::tombstones_per_purge));
    if (old.empty()) continue;
    committer_.purge(std::move(old));
    run_commits();
  }
}

void Core::tick() {
  if (is_global()) {
    check_health();
    check_deliveries();
    check_proofs(false);
    for (const auto& zone : std::exchange(zones_to_touch_, {})) touch_zone(zone);
    if (now_.nanos - insights_written_.nanos >= options_.insight_flush_nanos) {
      insights_written_ = now_;
      write_insights();
    }
  }
  for (auto& [id, stream] : streams_) {
    if (stream->sender && stream->sender->retry_held_back(now_)) pump(*stream);
  }
  check_sends();
  end_freed();
  proxies_.tick(now_);
  pump_proxies();
  compact();
}

void Core::drain() {
  draining_ = true;
  std::vector<StreamId> open;
  for (const auto& [id, stream] : streams_) open.push_back(id);
  for (auto id : proxies_.streams()) open.push_back(id);
  for (auto id : open) close(id, CloseCode::unavailable, "stream unavailable");
  if (is_global()) write_insights();
}

std::set<const ResourceType*> Core::provided_types() const {
  std::set<const ResourceType*> out;
  for (const auto* type : catalogue_.types()) {
    if (options_.disabled_types.contains(type->name)) continue;
    if (is_global() ? type->wanted_by_zone() : type->zone_to_global()) out.insert(type);
  }
  return out;
}

std::vector<const ResourceType*> Core::wanted_types() const {
  std::vector<const ResourceType*> out;
  for (const auto* type : catalogue_.types()) {
    if (options_.disabled_types.contains(type->name)) continue;
    if (is_global() ? type->zone_to_global() : type->wanted_by_zone()) out.push_back(type);
  }
  // Meshes first: what belongs to them should find them there.
  std::stable_partition(out.begin(), out.end(), [](const ResourceType* type) { return type->name == "Mesh"; });
  return out;
}

}  // namespace kdsd::kds
