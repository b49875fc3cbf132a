#include "kds/delivery.h"

#include <algorithm>
#include <set>

namespace kdsd::kds {
namespace {

// What a zone that left has not seen can only have changed since.
PeerLag lag_of_left(const Index& index, const ResourceType& type, const TypePosition& position, Timestamp left_at,
                    Timestamp now) {
  const auto head = index.head(type);
  if (head <= position.cursor) return {};
  const auto since = position.behind_since.nanos != 0 ? position.behind_since : left_at;
  return {head.value - position.cursor.value, std::max<std::int64_t>(0, now.nanos - since.nanos)};
}

PeerLag lag_of(const TypePosition& position, Timestamp now) {
  if (position.behind_since.nanos == 0) return {position.behind, 0};
  return {position.behind, std::max<std::int64_t>(0, now.nanos - position.behind_since.nanos)};
}

void raise(PeerLag& lag, const PeerLag& other) {
  lag.revisions = std::max(lag.revisions, other.revisions);
  lag.nanos = std::max(lag.nanos, other.nanos);
}

bool names(const RejectedResource& rejected, const Entry& entry, const std::string& wire_name) {
  if (rejected.type != entry.key.type->name || rejected.mesh != entry.key.mesh) return false;
  // Peers with namespaces tell the name that they would have stored.
  return rejected.name == wire_name || rejected.name.starts_with(wire_name + ".");
}

std::optional<Rejection> rejection_of(const TypePosition& position, const Entry& entry) {
  for (const auto& rejection : position.rejections) {
    const bool is_whole = rejection.resource.name.empty();
    const bool held_it = rejection.after < entry.revision && entry.revision <= rejection.revision;
    if (is_whole ? held_it : names(rejection.resource, entry, entry.current().wire_name)) return rejection;
  }
  return std::nullopt;
}

class Look {
 public:
  Look(const Entry& entry, const TypePosition& position, bool gets) : entry_(entry), position_(position), gets_(gets) {}

  void fill(Delivery& out) const {
    out.sent = position_.sent;
    out.acknowledged = position_.cursor;
    out.held_back_reason = position_.held_back_reason;
    out.last_rejection = rejection_of(position_, entry_);
    out.holds = holds(out);
    out.state = state(out);
  }

 private:
  bool is_answered() const { return entry_.revision <= position_.cursor; }
  bool is_refused(const Delivery& out) const {
    return out.last_rejection && out.last_rejection->after < entry_.revision &&
           entry_.revision <= out.last_rejection->revision;
  }

  Holds holds(const Delivery& out) const {
    if (is_refused(out)) return Holds::unknown;  // what it had before, or nothing
    if (is_answered()) return gets_ ? Holds::newest : Holds::nothing;
    if (position_.cursor.value == 0) return Holds::unknown;  // the first state is on its way
    const auto* before = entry_.presence_at(position_.cursor);
    if (before == nullptr) return Holds::nothing;
    return gets_ ? Holds::older : Holds::unknown;
  }

  DeliveryState state(const Delivery& out) const {
    if (!position_.held_back_reason.empty()) return DeliveryState::held_back;
    if (is_refused(out)) return DeliveryState::rejected;
    if (is_answered()) return gets_ ? DeliveryState::held : DeliveryState::absent;
    if (position_.is_awaiting && entry_.revision <= position_.sent) return DeliveryState::on_the_way;
    return DeliveryState::pending;
  }

  const Entry& entry_;
  const TypePosition& position_;
  const bool gets_;
};

}  // namespace

std::map<std::string, PeerLag> lags_of(const Core& core) {
  std::map<std::string, PeerLag> out;
  if (core.options().control_plane.is_zone()) {
    const std::string peer(source_global);
    if (const auto* sender = core.sender_of(peer)) out[peer] = sender->lag(core.now());
    return out;
  }
  for (const auto& [zone, status] : core.zones().all()) {
    auto& lag = out[zone];
    if (const auto* sender = core.sender_of(zone)) {
      lag = sender->lag(core.now());
      continue;
    }
    for (const auto& [name, position] : status.left) {
      const auto* type = core.index().catalogue().find(name);
      if (type != nullptr) raise(lag, lag_of_left(core.index(), *type, position, status.disconnected_at, core.now()));
    }
  }
  return out;
}

namespace {

EntryPtr rejected_entry(const Index& index, const ResourceType& type, const RejectedResource& rejected) {
  auto held = index.find_by_wire_name(type, rejected.mesh, rejected.name);
  // Peers with namespaces tell the name that they would have stored.
  if (const auto dot = rejected.name.rfind('.'); !held && dot != std::string::npos)
    held = index.find_by_wire_name(type, rejected.mesh, rejected.name.substr(0, dot));
  return held ? index.find_entry(held->key()) : nullptr;
}

// Live resources of which the peer refused the newest version.
std::size_t count_rejected(const Index& index, const ResourceType& type, const std::vector<Rejection>& rejections) {
  std::set<const Entry*> rejected;
  for (const auto& rejection : rejections) {
    if (!rejection.resource.name.empty()) {
      const auto entry = rejected_entry(index, type, rejection.resource);
      if (entry && rejection.after < entry->revision && entry->revision <= rejection.revision)
        rejected.insert(entry.get());
      continue;
    }
    for (auto entry = index.next_after(type, rejection.after); entry && entry->revision <= rejection.revision;
         entry = index.next_after(type, entry->revision)) {
      if (entry->resource) rejected.insert(entry.get());
    }
  }
  return rejected.size();
}

std::vector<std::string> peers_of(const Core& core) {
  if (core.options().control_plane.is_zone()) return {std::string(source_global)};
  std::vector<std::string> out;
  for (const auto& [zone, status] : core.zones().all()) out.push_back(zone);
  return out;
}

}  // namespace

std::map<std::string, std::map<std::string, std::size_t>> rejected_of(const Core& core) {
  std::map<std::string, std::map<std::string, std::size_t>> out;
  for (const auto& peer : peers_of(core)) {
    const auto* sender = core.sender_of(peer);
    if (sender == nullptr) continue;
    for (const auto& [name, state] : sender->types()) {
      const auto* type = core.index().catalogue().find(name);
      if (type == nullptr || state.rejections.empty()) continue;
      if (const auto count = count_rejected(core.index(), *type, state.rejections); count > 0) out[peer][name] = count;
    }
  }
  return out;
}

std::map<std::string, std::map<std::string, std::size_t>> spared_of(const Core& core) {
  std::map<std::string, std::map<std::string, std::size_t>> out;
  for (const auto* type : core.index().catalogue().types()) {
    core.index().each_for_own_stores(*type, [&](const Entry& entry) {
      for (const auto& [zone, status] : core.zones().all()) {
        const auto* sender = core.sender_of(zone);
        if (sender != nullptr && sender->spares(entry.current())) ++out[zone][type->name];
      }
    });
  }
  return out;
}

std::string_view text(DeliveryState state) {
  switch (state) {
    case DeliveryState::held:
      return "held";
    case DeliveryState::rejected:
      return "rejected";
    case DeliveryState::on_the_way:
      return "on-the-way";
    case DeliveryState::pending:
      return "pending";
    case DeliveryState::held_back:
      return "held-back";
    case DeliveryState::not_asked:
      return "not-asked";
    case DeliveryState::absent:
      return "absent";
    case DeliveryState::offline:
      return "offline";
    case DeliveryState::unknown:
      break;
  }
  return "unknown";
}

std::string_view text(Holds holds) {
  switch (holds) {
    case Holds::nothing:
      return "nothing";
    case Holds::older:
      return "older";
    case Holds::newest:
      return "newest";
    case Holds::unknown:
      break;
  }
  return "unknown";
}

Delivery delivery_of(const Core& core, const Entry& entry, const std::string& zone, bool gets) {
  Delivery out;
  out.revision = entry.revision;
  const auto* status = core.zones().find(zone);
  if (status == nullptr) return out;
  const auto& type = *entry.key.type;
  const auto* sender = core.sender_of(zone);
  out.is_online = sender != nullptr && sender->started();
  if (out.is_online) {
    out.since = status->subscribed_at;
    const auto position = sender->position(type);
    out.state = DeliveryState::not_asked;
    out.holds = Holds::nothing;
    if (!position.is_asked) return out;
    Look(entry, position, gets).fill(out);
    out.lag = lag_of(position, core.now());
    return out;
  }
  out.since = status->disconnected_at;
  const auto left = status->left.find(type.name);
  if (left == status->left.end()) return out;
  Look(entry, left->second, gets).fill(out);
  out.state = DeliveryState::offline;
  out.lag = lag_of_left(core.index(), type, left->second, status->disconnected_at, core.now());
  return out;
}

}  // namespace kdsd::kds
