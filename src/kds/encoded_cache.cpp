#include "kds/encoded_cache.h"

namespace kdsd::kds {

EncodedPtr EncodedCache::get(const Entry& entry, bool hashed) {
  const Key key = entry.revision.value * 2 + (hashed ? 1 : 0);
  if (auto it = items_.find(key); it != items_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, it->second);
    return it->second->encoded;
  }
  auto encoded = encode(*entry.resource, sending_, hashed);
  ++encodes_;
  if (!encoded) return nullptr;
  by_use_.push_front({key, encoded});
  items_[key] = by_use_.begin();
  bytes_ += encoded->bytes.size();
  while (bytes_ > bytes_max_ && by_use_.size() > 1) {
    bytes_ -= by_use_.back().encoded->bytes.size();
    items_.erase(by_use_.back().key);
    by_use_.pop_back();
  }
  return encoded;
}

}  // namespace kdsd::kds
