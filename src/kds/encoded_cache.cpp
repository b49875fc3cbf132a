#include "kds/encoded_cache.h"

#include "policy/references.h"

namespace kdsd::kds {

EncodedPtr EncodedCache::find(Key key) {
  auto it = items_.find(key);
  if (it == items_.end()) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, it->second);
  return it->second->encoded;
}

void EncodedCache::keep(Key key, const EncodedPtr& encoded) {
  by_use_.push_front({key, encoded});
  items_[key] = by_use_.begin();
  bytes_ += encoded->bytes.size();
  while (bytes_ > bytes_max_ && by_use_.size() > 1) {
    bytes_ -= by_use_.back().encoded->bytes.size();
    items_.erase(by_use_.back().key);
    by_use_.pop_back();
  }
}

EncodedPtr EncodedCache::make(const Entry& entry, PeerClass peers) {
  if (peers.rewritten) {
    const auto spec = rewritten_spec(*entry.resource, sending_);
    if (!spec) return get(entry, {peers.hashed, false});
    ++encodes_;
    return encode(*entry.resource, sending_, peers.hashed, &*spec);
  }
  ++encodes_;
  return encode(*entry.resource, sending_, peers.hashed);
}

EncodedPtr EncodedCache::get(const Entry& entry, PeerClass peers) {
  if (!policy::has_derived_form(*entry.resource)) peers.rewritten = false;
  const Key key = entry.revision.value * 4 + (peers.hashed ? 1 : 0) + (peers.rewritten ? 2 : 0);
  if (auto found = find(key)) {
    ++reuses_;
    return found;
  }
  auto encoded = make(entry, peers);
  keep(key, encoded);
  return encoded;
}

}  // namespace kdsd::kds
