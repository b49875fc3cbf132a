// Whose resources are still missing on a global whose store does not have them yet: after the move from another global,
// or after the store was lost (design.md, Decisions). Until they are there, a zone that gets its first state of a
// shared type would delete what it holds of those zones.
//
// Pure; owned by the core executor. Durable is only the fact that a zone has delivered; everything here begins anew
// with the process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/timestamp.h"

namespace kdsd::kds {

namespace limits {
// How long zones that nobody knows are waited for; shorter, since most often there are none. Zones dial again within
// this time unless the global was away for long.
inline constexpr std::int64_t unknown_hold_nanos = 20'000'000'000;
}  // namespace limits

class RelayHold {
 public:
  // How long one zone is waited for, from the first zone that has to wait for it; 0: nobody waits.
  explicit RelayHold(std::int64_t hold_nanos) : hold_nanos_(hold_nanos) {}

  // An enabled zone that has not sent what it has since this store was made.
  void expect(const std::string& zone);
  // It has, or it is disabled or deleted. True: somebody may have waited for it.
  bool remove(const std::string& zone);
  bool expects_any(Timestamp now) const { return !missing_.empty() || may_expect_unknown(now); }
  bool is_missing(const std::string& zone) const { return missing_.contains(zone); }

  // Whether that zone has to wait for another one.
  bool has_to_wait(std::string_view receiver) const;
  // For whom, as a text; the time of those zones runs from now on, unless it does already.
  std::string begin(std::string_view receiver, Timestamp now);
  // A zone came with what another store had sent it: there may be more of them, of which this store does not know.
  void expect_unknown(Timestamp now) {
    if (unknown_since_.nanos == 0) unknown_since_ = now;
  }
  bool may_expect_unknown(Timestamp now) const {
    return unknown_since_.nanos != 0 &&
           now.nanos - unknown_since_.nanos < std::min(hold_nanos_, limits::unknown_hold_nanos);
  }

  // The zones whose time is over. They are waited for no more until the next start.
  std::vector<std::string> give_up(Timestamp now);

 private:
  std::int64_t hold_nanos_;
  std::map<std::string, Timestamp> missing_;  // since when somebody waits for it; 0: nobody does yet
  std::set<std::string> given_up_;
  Timestamp unknown_since_;  // 0: nobody came from another store
};

}  // namespace kdsd::kds
