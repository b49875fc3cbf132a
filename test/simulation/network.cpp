#include "network.h"

#include <algorithm>

namespace kdsd::sim {
namespace {

constexpr Flow flows[] = {Flow::global_to_zone, Flow::zone_to_global};

}  // namespace

void Network::add_zone(const std::string& name, Party* zone, std::vector<std::string> features) {
  auto& added = zones_[name];
  added.party = zone;
  added.features = std::move(features);
  added.back_off = options_.back_off_min;
}

void Network::join(const std::string& zone) {
  zones_.at(zone).joined = true;
  dial_later(zone);
}

void Network::leave(const std::string& zone) {
  zones_.at(zone).joined = false;
  cut(zone);
}

Network::Connection* Network::find(std::uint64_t id) {
  auto it = connections_.find(id);
  return it == connections_.end() ? nullptr : &it->second;
}

bool Network::connected(const std::string& zone) const {
  auto it = connections_.find(zones_.at(zone).connection);
  if (it == connections_.end()) return false;
  const auto& ends = it->second.ends;
  return ends[0][0].open && ends[0][1].open && ends[1][0].open && ends[1][1].open;
}

void Network::dial_later(const std::string& name) {
  auto& zone = zones_.at(name);
  if (zone.dialling || zone.connection != 0 || !zone.joined) return;
  zone.dialling = true;
  const auto wait = zone.back_off / 2 + random_.between(0, zone.back_off / 2);
  zone.back_off = std::min(zone.back_off * 2, options_.back_off_max);
  schedule_.after(wait, [this, name] {
    zones_.at(name).dialling = false;
    dial(name);
  });
}

void Network::dial(const std::string& name) {
  auto& zone = zones_.at(name);
  if (!zone.party->alive() || !zone.joined || zone.connection != 0) return;
  if (!global_->alive() || schedule_.now() < zone.unreachable_until) return dial_later(name);
  const auto id = ++last_connection_;
  auto& connection = connections_[id];
  connection.id = id;
  connection.zone = name;
  zone.connection = id;
  const bool swapped = random_.one_in(2);
  for (auto flow : flows) {
    const auto first = swapped ? (flow == Flow::global_to_zone ? Flow::zone_to_global : Flow::global_to_zone) : flow;
    connection.end(Side::zone, first).open = true;
    const auto at = arrival(connection, Side::zone, first);
    schedule_.at(at, [this, id, first] { open_at_global(id, first); });
  }
  for (auto flow : flows) {
    if (connection.end(Side::zone, flow).open) zone.party->stream_opened({id, flow}, name, std::to_string(id), {});
  }
}

void Network::open_at_global(std::uint64_t id, Flow flow) {
  auto* connection = find(id);
  if (connection == nullptr || connection->discards[0]) return;
  if (!global_->alive()) return learn(id, Side::zone, "connection refused");
  connection->end(Side::global, flow).open = true;
  if (!global_->stream_opened({id, flow}, connection->zone, std::to_string(id), zones_.at(connection->zone).features)) {
    close({id, flow}, Side::global, "refused");
  }
}

std::int64_t Network::arrival(Connection& connection, Side from, Flow flow) {
  auto& target = connection.end(other(from), flow);
  const auto delay = random_.between(options_.delay_min, options_.delay_max);
  const auto at =
      std::max({target.arrives_last, connection.blocked_until[static_cast<int>(from)], schedule_.now() + delay});
  target.arrives_last = at;
  return at;
}

void Network::send(const Handle& handle, Side from, std::string bytes) {
  auto* connection = find(handle.connection);
  if (connection == nullptr || connection->lost[static_cast<int>(from)]) return;
  ++messages_;
  bytes_ += bytes.size();
  const auto at = arrival(*connection, from, handle.flow);
  schedule_.at(at, [this, handle, from, bytes = std::move(bytes)] {
    deliver(handle.connection, other(from), handle.flow, bytes);
  });
}

void Network::deliver(std::uint64_t id, Side to, Flow flow, const std::string& bytes) {
  auto* connection = find(id);
  if (connection == nullptr || connection->discards[static_cast<int>(to)]) return;
  auto& end = connection->end(to, flow);
  if (!end.open) return;
  for (auto value : {static_cast<std::uint64_t>(schedule_.now()),
                     id * 4 + static_cast<int>(to) * 2 + static_cast<int>(flow), bytes.size()}) {
    fingerprint_ = (fingerprint_ ^ value) * 0x100000001b3ULL;
  }
  end.inbox.push_back(bytes);
  feed(id, to, flow);
}

void Network::feed(std::uint64_t id, Side side, Flow flow) {
  auto* connection = find(id);
  if (connection == nullptr) return;
  auto& end = connection->end(side, flow);
  if (!end.open || !end.reading || end.inbox.empty()) return;
  end.reading = false;
  auto bytes = std::move(end.inbox.front());
  end.inbox.pop_front();
  if (side == Side::zone) zones_.at(connection->zone).back_off = options_.back_off_min;
  party(side, *connection).message({id, flow}, bytes);
}

void Network::allow_read(const Handle& handle, Side side) {
  auto* connection = find(handle.connection);
  if (connection == nullptr) return;
  auto& end = connection->end(side, handle.flow);
  end.reading = true;
  if (end.inbox.empty()) return;
  schedule_.after(0, [this, handle, side] { feed(handle.connection, side, handle.flow); });
}

void Network::tell_closed(Connection& connection, Side from, Flow flow, const std::string& why) {
  if (connection.lost[static_cast<int>(from)]) return;
  const auto at = arrival(connection, from, flow);
  schedule_.at(at, [this, id = connection.id, from, flow, why] { arrive_close(id, other(from), flow, why); });
}

void Network::close(const Handle& handle, Side side, const std::string& why) {
  auto* connection = find(handle.connection);
  if (connection == nullptr) return;
  connection->end(side, handle.flow).open = false;
  tell_closed(*connection, side, handle.flow, why);
  if (side == Side::zone) schedule_.after(0, [this, id = handle.connection, why] { zone_dropped(id, why); });
}

void Network::arrive_close(std::uint64_t id, Side to, Flow flow, const std::string& why) {
  auto* connection = find(id);
  if (connection == nullptr || connection->discards[static_cast<int>(to)]) return;
  auto& end = connection->end(to, flow);
  if (!end.open) return;
  end.open = false;
  party(to, *connection).stream_closed({id, flow}, why);
  if (to == Side::zone) zone_dropped(id, why);
}

// A side finds its connection dead.
void Network::learn(std::uint64_t id, Side side, const std::string& why) {
  auto* connection = find(id);
  if (connection == nullptr) return;
  connection->discards[static_cast<int>(side)] = true;
  connection->lost[static_cast<int>(side)] = true;
  for (auto flow : flows) {
    auto& end = connection->end(side, flow);
    if (!end.open) continue;
    end.open = false;
    party(side, *connection).stream_closed({id, flow}, why);
  }
  if (side == Side::zone) zone_dropped(id, why);
}

// One of its streams ended: a zone gives up the whole connection and dials again (kds-protocol.md 3.11).
void Network::zone_dropped(std::uint64_t id, const std::string& why) {
  auto* connection = find(id);
  if (connection == nullptr) return;
  auto& zone = zones_.at(connection->zone);
  for (auto flow : flows) {
    auto& end = connection->end(Side::zone, flow);
    if (!end.open) continue;
    end.open = false;
    zone.party->stream_closed({id, flow}, why);
    tell_closed(*connection, Side::zone, flow, why);
  }
  if (zone.connection != id) return;
  zone.connection = 0;
  dial_later(connection->zone);
}

void Network::cut(const std::string& name) {
  const auto id = zones_.at(name).connection;
  auto* connection = find(id);
  if (connection == nullptr) return;
  connection->lost = {true, true};
  connection->discards = {true, true};
  for (auto side : {Side::global, Side::zone}) {
    schedule_.after(random_.between(0, 50 * millisecond), [this, id, side] { learn(id, side, "connection lost"); });
  }
}

void Network::half_open(const std::string& name, Side learns, bool late) {
  const auto id = zones_.at(name).connection;
  auto* connection = find(id);
  if (connection == nullptr) return;
  connection->lost = {true, true};
  if (!late) connection->discards = {true, true};
  schedule_.after(0, [this, id, learns] { learn(id, learns, "connection lost"); });
  schedule_.after(options_.keepalive_timeout, [this, id, learns] { learn(id, other(learns), "keepalive timeout"); });
}

void Network::partition(const std::string& name, std::int64_t until, bool from_zone, bool from_global) {
  auto& zone = zones_.at(name);
  zone.unreachable_until = std::max(zone.unreachable_until, until);
  for (auto& [id, connection] : connections_) {
    if (connection.zone != name) continue;
    for (auto side : {Side::global, Side::zone}) {
      if (side == Side::global ? from_global : from_zone) {
        auto& blocked = connection.blocked_until[static_cast<int>(side)];
        blocked = std::max(blocked, until);
      }
    }
    if (until - schedule_.now() < options_.keepalive_timeout) continue;
    for (auto side : {Side::global, Side::zone}) {
      const auto wait = options_.keepalive_timeout + random_.between(0, second);
      schedule_.after(wait, [this, id = id, side] { learn(id, side, "keepalive timeout"); });
    }
  }
}

void Network::crashed(Side side, const std::string& name, bool silently) {
  for (auto& [id, connection] : connections_) {
    if (side == Side::zone && connection.zone != name) continue;
    const auto index = static_cast<int>(side);
    connection.lost[index] = true;
    connection.discards[index] = true;
    for (auto flow : flows) {
      connection.end(side, flow).open = false;
      connection.end(side, flow).inbox.clear();
    }
    if (side == Side::zone && zones_.at(name).connection == id) zones_.at(name).connection = 0;
    const auto wait = silently ? options_.keepalive_timeout : random_.between(0, 50 * millisecond);
    schedule_.after(wait, [this, id = id, side] { learn(id, other(side), "connection reset"); });
  }
}

void Network::heal() {
  for (auto& [name, zone] : zones_) {
    zone.unreachable_until = 0;
    dial_later(name);
  }
}

}  // namespace kdsd::sim
