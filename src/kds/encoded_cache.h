// Encoded forms of recently changed resources, so that fan-out to many zones encodes once.
//
// Pure; owned by the core executor. Bounded in bytes: what was used longest ago is dropped and encoded again when
// needed. Streams hold the bytes by reference while they are on their way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

#include "kds/outbound.h"

namespace kdsd::kds {

class EncodedCache {
 public:
  // `sending` must outlive the cache.
  EncodedCache(const Sending& sending, std::size_t bytes_max) : sending_(sending), bytes_max_(bytes_max) {}

  // The encoded form of a live entry for peers of a class. Classes that see no difference share one form.
  EncodedPtr get(const Entry& entry, PeerClass peers);

  std::uint64_t encodes() const { return encodes_; }
  std::uint64_t reuses() const { return reuses_; }
  std::size_t bytes() const { return bytes_; }

 private:
  using Key = std::uint64_t;  // revision, and two bits for the class of peers
  struct Item {
    Key key;
    EncodedPtr encoded;
  };
  EncodedPtr find(Key key);
  EncodedPtr make(const Entry& entry, PeerClass peers);
  void keep(Key key, const EncodedPtr& encoded);

  const Sending& sending_;
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::uint64_t encodes_ = 0;
  std::uint64_t reuses_ = 0;
  std::list<Item> by_use_;  // most recent first
  std::unordered_map<Key, std::list<Item>::iterator> items_;
};

}  // namespace kdsd::kds
