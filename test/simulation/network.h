// Simulated links: for each connection of a zone two streams, each ordered in both directions, with everything that can
// go wrong between two processes.
//
// Owned by the world; calls parties only from events of the schedule, never from within their own calls.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "kds/core.h"

#include "schedule.h"

namespace kdsd::sim {

enum class Side { global = 0, zone = 1 };
inline Side other(Side side) { return side == Side::global ? Side::zone : Side::global; }

using Flow = kds::StreamKind;
inline const char* text(Flow flow) { return flow == Flow::global_to_zone ? "g2z" : "z2g"; }

// One stream of one connection.
struct Handle {
  std::uint64_t connection = 0;
  Flow flow = Flow::global_to_zone;
  friend auto operator<=>(const Handle&, const Handle&) = default;
};

// What the network needs of a control plane.
class Party {
 public:
  virtual ~Party() = default;
  virtual bool alive() const = 0;
  // False: refused, the stream ends.
  virtual bool stream_opened(const Handle& handle, const std::string& zone, const std::string& connection,
                             const std::vector<std::string>& features) = 0;
  virtual void message(const Handle& handle, const std::string& bytes) = 0;
  virtual void stream_closed(const Handle& handle, const std::string& why) = 0;
};

struct LinkOptions {
  std::int64_t delay_min = 200 * microsecond;
  std::int64_t delay_max = 20 * millisecond;
  std::int64_t keepalive_timeout = 15 * second;  // until a side notices that the other one is silent
  std::int64_t back_off_min = 500 * millisecond;
  std::int64_t back_off_max = 5 * second;
};

class Network {
 public:
  Network(Schedule& schedule, Random& random, LinkOptions options)
      : schedule_(schedule), random_(random), options_(options) {}

  void set_global(Party* global) { global_ = global; }
  void add_zone(const std::string& name, Party* zone, std::vector<std::string> features);

  // The zone connects as soon as it can, and again whenever it loses its connection, until `leave`.
  void join(const std::string& zone);
  void leave(const std::string& zone);
  bool wants_connection(const std::string& zone) const { return zones_.at(zone).joined; }

  // Called by parties.
  void send(const Handle& handle, Side from, std::string bytes);
  void allow_read(const Handle& handle, Side side);
  void close(const Handle& handle, Side side, const std::string& why);

  // Faults. `cut`: both sides learn of it at once, what was under way is lost.
  void cut(const std::string& zone);
  // One side learns now, the other one after the keepalive timeout; `late`: what was under way still arrives.
  void half_open(const std::string& zone, Side learns, bool late);
  // Nothing gets through in the given directions until then; it is delivered afterwards if the connection lives.
  void partition(const std::string& zone, std::int64_t until, bool from_zone, bool from_global);
  void reachable(const std::string& zone) {
    zones_.at(zone).unreachable_until = 0;
  }  // new connections get through again
  void crashed(Side side, const std::string& zone, bool silently);
  void heal();

  bool connected(const std::string& zone) const;
  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  struct End {
    bool open = false;
    bool reading = false;
    std::deque<std::string> inbox;
    std::int64_t arrives_last = 0;
  };
  struct Connection {
    std::uint64_t id = 0;
    std::string zone;
    std::array<std::array<End, 2>, 2> ends;       // by side and flow
    std::array<bool, 2> lost{};                   // by sending side: what it sends from now on vanishes
    std::array<bool, 2> discards{};               // by receiving side: nothing arrives any more
    std::array<std::int64_t, 2> blocked_until{};  // by sending side
    End& end(Side side, Flow flow) { return ends[static_cast<int>(side)][static_cast<int>(flow)]; }
  };
  struct Zone {
    Party* party = nullptr;
    std::vector<std::string> features;
    bool joined = false;
    std::uint64_t connection = 0;  // the one the zone believes in, 0: none
    bool dialling = false;
    std::int64_t unreachable_until = 0;
    std::int64_t back_off = 0;
  };

  Party& party(Side side, const Connection& connection) {
    return side == Side::global ? *global_ : *zones_.at(connection.zone).party;
  }
  Connection* find(std::uint64_t id);
  std::int64_t arrival(Connection& connection, Side from, Flow flow);
  void dial_later(const std::string& zone);
  void dial(const std::string& zone);
  void open_at_global(std::uint64_t id, Flow flow);
  void deliver(std::uint64_t id, Side to, Flow flow, const std::string& bytes);
  void feed(std::uint64_t id, Side side, Flow flow);
  void arrive_close(std::uint64_t id, Side to, Flow flow, const std::string& why);
  void learn(std::uint64_t id, Side side, const std::string& why);
  void zone_dropped(std::uint64_t id, const std::string& why);
  void tell_closed(Connection& connection, Side from, Flow flow, const std::string& why);

  Schedule& schedule_;
  Random& random_;
  LinkOptions options_;
  Party* global_ = nullptr;
  std::map<std::string, Zone> zones_;
  std::map<std::uint64_t, Connection> connections_;
  std::uint64_t last_connection_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t fingerprint_ = 0xcbf29ce484222325ULL;
};

}  // namespace kdsd::sim
