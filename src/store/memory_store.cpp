#include <algorithm>
#include <utility>

#include "store/batch.h"
#include "store/store.h"
#include "store/store_id.h"

namespace kdsd::store {
namespace {

class MemoryStore : public Store {
 public:
  Result<Loaded> load() override {
    Loaded loaded;
    loaded.store_id = id_;
    loaded.revision = revision_;
    loaded.facts = facts_;
    loaded.entries.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) loaded.entries.push_back(entry);
    std::sort(loaded.entries.begin(), loaded.entries.end(),
              [](const EntryPtr& a, const EntryPtr& b) { return a->revision < b->revision; });
    return loaded;
  }

  Status commit(const Batch& batch) override {
    if (auto status = validate_batch(batch); !status.ok()) return status;
    for (const auto& key : batch.purges) entries_.erase(key);
    for (const auto& entry : batch.upserts) entries_[entry->key] = entry;
    for (const auto& [name, value] : batch.facts) facts_[name] = value;
    revision_ = std::max(revision_, newest_revision(batch));
    return ok_status();
  }

 private:
  const std::string id_ = make_store_id();
  std::map<ResourceKey, EntryPtr> entries_;
  std::map<std::string, std::string> facts_;
  Revision revision_;
};

}  // namespace

std::unique_ptr<Store> open_memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace kdsd::store
