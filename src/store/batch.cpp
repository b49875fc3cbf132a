#include "store/batch.h"

#include <algorithm>
#include <limits>

namespace kdsd::store {
namespace {

// Databases know signed integers only.
constexpr std::uint64_t revision_max = std::numeric_limits<std::int64_t>::max();

Status wrong(const ResourceKey& key, const char* reason) {
  return Status(Code::internal, "batch refused: " + key.text() + ": " + reason);
}

Status validate_entry(const Entry& entry, Revision before) {
  if (!entry.key.type) return wrong(entry.key, "entry without type");
  if (entry.revision <= before) return wrong(entry.key, "revisions do not rise");
  if (entry.revision.value > revision_max) return wrong(entry.key, "revision beyond 63 bits");
  if (entry.presences.empty()) return wrong(entry.key, "entry without presence");
  if (entry.resource && entry.resource->key() != entry.key) return wrong(entry.key, "resource of another key");
  return ok_status();
}

}  // namespace

Status validate_batch(const Batch& batch) {
  if (batch.revision.value > revision_max) return Status(Code::internal, "batch refused: revision beyond 63 bits");
  Revision before;
  for (const auto& entry : batch.upserts) {
    if (!entry) return Status(Code::internal, "batch refused: null entry");
    if (auto status = validate_entry(*entry, before); !status.ok()) return status;
    before = entry->revision;
  }
  for (const auto& key : batch.purges) {
    if (!key.type) return wrong(key, "purge without type");
  }
  return ok_status();
}

Revision newest_revision(const Batch& batch) {
  Revision newest = batch.revision;
  if (!batch.upserts.empty()) newest = std::max(newest, batch.upserts.back()->revision);
  return newest;
}

}  // namespace kdsd::store
