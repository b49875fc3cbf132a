// What a global knows about its zones while they are connected: which connection speaks for a zone, what it told about
// itself, and the statistics that end up in its ZoneInsight (kds-protocol.md 9; design.md, Decisions).
//
// Pure; owned by the core executor. Only the ZoneInsight built from it is stored.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kds/sender.h"
#include "kds/stream_kind.h"
#include "policy/control_plane.h"

#include "kuma/system/v1alpha1/zone.pb.h"

namespace kdsd::kds {

namespace limits {
// A superseded instance that comes back within this time is held off: two control planes use one name.
inline constexpr std::int64_t takeover_hold_nanos = 60'000'000'000;
inline constexpr std::size_t superseded_kept = 16;
// Who was held off dials again, at the latest after a minute; when it has stopped, the conflict is over.
inline constexpr std::int64_t conflict_shown_nanos = 120'000'000'000;
inline constexpr std::size_t subscriptions_max = 100;  // where the configured limit says none
}  // namespace limits

struct ZoneStatus {
  struct Superseded {
    std::string instance;
    Timestamp at;
  };
  std::string connection;  // the one that speaks for the zone; empty: none
  std::string instance;    // control-plane-id of that connection, once known
  std::uint64_t sender_stream = 0;
  std::uint64_t receiver_stream = 0;
  std::deque<Superseded> superseded;  // newest first
  std::string conflict;               // text about two instances under one name, empty when there is none
  Timestamp conflict_at;              // when it was last seen
  Timestamp conflict_logged;
  Timestamp last_ping;
  bool ping_dirty = false;
  bool pings = false;  // the zone announced that it pings

  std::string subscription_id;  // of the open subscription
  Timestamp subscribed_at;
  NodeInfo node;
  std::optional<policy::ControlPlaneKind> kind;  // as its configuration tells
  std::map<std::string, TypePosition> left;      // by type: where it stood when its last stream ended
  std::map<StreamKind, Timestamp> streams;       // of the connection that speaks for it: when each began
  bool token_provided = false;
  std::map<std::string, SenderStats> stats;
  bool stats_dirty = false;
  Timestamp disconnected_at;           // 0: still open
  bool insight_dirty = false;          // opened or closed since the last write
  std::vector<std::string> close_ids;  // subscriptions that ended since the last write

  bool connected() const { return !connection.empty(); }
  // Another connection speaks for the zone from now on; what the last one opened stays known until then.
  void speak_through(const std::string& other);
};

class ZoneRegistry {
 public:
  ZoneStatus& at(const std::string& zone) { return zones_[zone]; }
  const ZoneStatus* find(const std::string& zone) const;
  std::map<std::string, ZoneStatus>& all() { return zones_; }
  const std::map<std::string, ZoneStatus>& all() const { return zones_; }
  void erase(const std::string& zone) { zones_.erase(zone); }

 private:
  std::map<std::string, ZoneStatus> zones_;
};

// Changes of a ZoneInsight message. `now` stamps them.
struct InsightOptions {
  std::size_t subscription_limit = 10;
  bool compact_finished = false;
  std::string global_instance_id;
};

// Brings the insight up to what the registry knows: closes what ended, adds the open subscription, keeps the newest
// ones.
void update_insight(kuma::system::v1alpha1::ZoneInsight& insight, const ZoneStatus& status,
                    const InsightOptions& options, Timestamp now);

// Ends every subscription that is still open; true when there was one.
bool close_open_subscriptions(kuma::system::v1alpha1::ZoneInsight& insight, Timestamp now);

// Whether some kept subscription is open (9.2).
bool is_online(const kuma::system::v1alpha1::ZoneInsight& insight);

}  // namespace kdsd::kds
