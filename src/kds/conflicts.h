// What the peer of one stream was refused because another resource has the name, and whether that still stands in the
// way (kds-protocol.md 3.6). Neither Kuma nor kdsd sends again what was refused, so when the name becomes free it is
// for the receiver to ask: it ends the stream, and the peer offers its full state on the next one.
//
// Pure; owned by the core executor, one for each receiving stream.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kds/inbound.h"
#include "kds/receiver.h"

namespace kdsd::kds {

namespace limits {
// Of one stream. Beyond it any removal in the type counts as one that frees a name.
inline constexpr std::size_t conflicts_kept = 1'000;
// A stream lives so long before it is ended for a free name: who makes and removes resources under another zone's names
// does not keep that zone reconnecting.
inline constexpr std::int64_t conflict_hold_nanos = 10'000'000'000;
}  // namespace limits

class Conflicts {
 public:
  // The outcome of a batch: what is in `incoming` counts as it was taken this time.
  void note(const Incoming& incoming, const std::vector<NameConflict>& conflicts);

  // A commit changed this; `now` is null when it is gone. `relays_as`: as in Receiving.
  void look_at(const ResourceKey& key, const Resource* now, const Sending* relays_as);

  // Something of the peer could be taken now; stays so.
  bool has_freed() const { return has_freed_; }

 private:
  std::multimap<ResourceKey, NameConflict> by_holder_;
  std::set<const ResourceType*> uncounted_;  // types of conflicts that found no place
  bool has_freed_ = false;
};

}  // namespace kdsd::kds
