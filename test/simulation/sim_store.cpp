#include "sim_store.h"

#include <algorithm>

namespace kdsd::sim {

void SimStore::apply(const kds::CommitBatch& batch) {
  add_up(batch);
  batches_.push_back(batch);
}

void SimStore::add_up(const kds::CommitBatch& batch) {
  for (const auto& key : batch.purges) {
    entries_.erase(key);
    live_.erase(key);
  }
  for (const auto& entry : batch.upserts) {
    entries_[entry->key] = entry;
    if (entry->resource) {
      live_[entry->key] = entry->resource;
    } else {
      live_.erase(entry->key);
    }
    revision_ = std::max(revision_, entry->revision);
  }
  revision_ = std::max(revision_, batch.revision);
  for (const auto& [name, text] : batch.facts) facts_[name] = text;
}

EntryPtr SimStore::entry(const ResourceKey& key) const {
  auto it = entries_.find(key);
  return it == entries_.end() ? nullptr : it->second;
}

kds::CoreState SimStore::load() {
  kds::CoreState state;
  state.store_id = id_;
  state.epoch = ++epoch_;
  state.revision = revision_;
  for (const auto& [key, entry] : entries_) state.entries.push_back(entry);
  std::sort(state.entries.begin(), state.entries.end(),
            [](const EntryPtr& a, const EntryPtr& b) { return a->revision < b->revision; });
  state.facts = facts_;
  return state;
}

void SimStore::restore(std::size_t batches) {
  batches_.resize(std::min(batches, batches_.size()));
  entries_.clear();
  live_.clear();
  facts_.clear();
  revision_ = {};
  for (const auto& batch : batches_) add_up(batch);
}

}  // namespace kdsd::sim
