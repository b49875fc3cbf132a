// Zones of a global: who speaks for one, its Zone object and its ZoneInsight (kds-protocol.md 9).
#include <algorithm>

#include "kds/core.h"
#include "kds/known_world.h"
#include "model/log_text.h"
#include "model/proto_spec.h"
#include "model/timestamp.h"
#include "policy/names.h"

namespace kdsd::kds {
namespace system = kuma::system::v1alpha1;
namespace {

std::string random_id(std::mt19937_64& random) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    out += digits[random() & 0xf];
  }
  return out;
}

}  // namespace

// A newer connection has told which instance it is. True: it speaks for the zone from now on.
bool Core::take_over(Stream& stream, const std::string& instance) {
  auto& zone = zones_.at(stream.peer);
  for (const auto& old : zone.superseded) {
    const bool comes_back = old.instance == instance && !instance.empty() && instance != zone.instance;
    if (!comes_back || now_.nanos - old.at.nanos >= limits::takeover_hold_nanos) continue;
    zone.conflict = "two control planes use the zone name: instance " + zone.instance + " (" + zone.connection +
                    ") and " + instance + " (" + stream.connection + ")";
    zone.conflict_at = now_;
    ++counters_.zone_conflicts;
    // Both go on dialling for ever; the counter has the rest.
    if (zone.conflict_logged.nanos == 0 || now_.nanos - zone.conflict_logged.nanos >= limits::takeover_hold_nanos) {
      zone.conflict_logged = now_;
      log(LogEffect::Level::error, "zone=" + stream.peer + " conflict=" + log_quoted(zone.conflict));
    }
    for (auto id : streams_of(stream.peer, stream.connection))
      close(id, CloseCode::unavailable, "zone name is used by another control plane");
    return false;
  }
  if (!zone.instance.empty() && zone.instance != instance) {
    zone.superseded.push_front({zone.instance, now_});
    if (zone.superseded.size() > limits::superseded_kept) zone.superseded.pop_back();
  }
  ++counters_.takeovers;
  log(LogEffect::Level::info,
      "zone=" + stream.peer + " takeover from=" + log_value(zone.connection) + " to=" + log_value(stream.connection));
  const auto old = streams_of(stream.peer, zone.connection);
  zone.speak_through(stream.connection);  // before closing: nobody else is to be promoted
  for (auto id : old) supersede(id, stream, "superseded by a newer connection of the zone");
  promote_waiting(stream.peer);
  return true;
}

// Ends a stream for a newer one of the same zone.
void Core::supersede(StreamId id, const Stream& by, const std::string& why) {
  const auto tell = [&](StreamKind kind, Timestamp opened_at) {
    log(LogEffect::Level::info, "zone=" + by.peer + " stream=" + name_of(kind) + " superseded opened=" +
                                    format_time(opened_at) + " newer=" + format_time(by.opened_at));
  };
  if (const auto old = streams_.find(id); old != streams_.end()) {
    tell(old->second->kind, old->second->opened_at);
  } else if (const auto proxy = proxy_streams_.find(id); proxy != proxy_streams_.end()) {
    tell(proxy->second.kind, proxy->second.opened_at);
  }
  close(id, CloseCode::unavailable, why);
}

std::string Core::conflict_of(const std::string& zone) const {
  const auto* status = zones_.find(zone);
  if (status == nullptr || status->conflict_at.nanos == 0) return {};
  return now_.nanos - status->conflict_at.nanos < limits::conflict_shown_nanos ? status->conflict : std::string();
}

// Activates the waiting streams of the connection that speaks for the zone; picks one if there is none.
void Core::promote_waiting(const std::string& name) {
  auto& zone = zones_.at(name);
  if (zone.connection.empty()) {
    for (const auto& [id, stream] : streams_) {
      if (stream->peer == name && stream->waiting) zone.speak_through(stream->connection);
    }
  }
  std::vector<Stream*> waiting;
  for (const auto& [id, stream] : streams_) {
    if (stream->peer == name && stream->waiting && stream->connection == zone.connection)
      waiting.push_back(stream.get());
  }
  for (auto* stream : waiting) activate(*stream);
}

void Core::register_zone(const std::string& zone) {
  Write write;
  write.decide = [this, zone](Transaction& transaction) {
    const auto* type = catalogue_.find("Zone");
    if (transaction.find(*type, "", zone)) return Status();
    system::Zone spec;
    spec.mutable_enabled()->set_value(true);
    Resource resource;
    resource.type = type;
    resource.name = zone;
    resource.spec = serialize_deterministic(spec);
    transaction.put(std::move(resource));
    return Status();
  };
  (void)submit_write(std::move(write), true);
}

// What the zone says of itself.
void Core::introduce(const Stream& stream) {
  auto& zone = zones_.at(stream.peer);
  zone.instance = stream.sender->node().instance_id;
  zone.node = stream.sender->node();
  zone.kind = kind_from_config(stream.peer, zone.node.config);
  zone.insight_dirty = true;
  log(LogEffect::Level::info, "zone=" + stream.peer + " online instance=" + log_value(zone.instance) +
                                  " version=" + log_value(zone.node.kuma_version));
  write_insights();
}

void Core::subscribe(const Stream& stream) {
  auto& zone = zones_.at(stream.peer);
  zone.subscription_id = random_id(random_);
  zone.subscribed_at = now_;
  zone.disconnected_at = {};
  zone.stats.clear();
  introduce(stream);
}

void Core::note_positions(const Sender& sender, ZoneStatus& zone) const {
  if (!sender.started()) return;  // what an earlier stream left is newer knowledge
  zone.left.clear();
  for (const auto* type : catalogue_.types()) {
    auto position = sender.position(*type);
    if (position.is_asked) zone.left[type->name] = std::move(position);
  }
}

void Core::forget(StreamId id, const std::string& why) {
  auto it = streams_.find(id);
  auto stream = std::move(it->second);
  streams_.erase(it);
  if (!is_global()) return;
  auto& zone = zones_.at(stream->peer);
  if (stream->sender && zone.sender_stream == id) {
    for (const auto& [type, state] : stream->sender->types()) zone.stats[type] = state.stats;
    note_positions(*stream->sender, zone);
    zone.sender_stream = 0;
    if (!zone.subscription_id.empty() && stream->sender->started()) {
      zone.disconnected_at = now_;
      zone.insight_dirty = true;
      log(LogEffect::Level::info, "zone=" + stream->peer + " offline reason=" + log_quoted(why));
      write_insights();
    }
  }
  if (zone.receiver_stream == id) zone.receiver_stream = 0;
  const bool last = std::none_of(streams_.begin(), streams_.end(), [&](const auto& other) {
    return other.second->peer == stream->peer && other.second->connection == stream->connection;
  });
  if (last && zone.connection == stream->connection) {
    zone.connection.clear();
    if (!draining_) promote_waiting(stream->peer);
  }
}

Status Core::pinged(const ZoneCredentials& credentials) {
  if (auto proof = authenticate(credentials); !proof.ok()) return proof.status();
  if (!is_global() || !policy::is_zone_name(credentials.zone)) return {};
  if (zones_.find(credentials.zone) == nullptr) {
    // A new zone's first ping and its streams are under way together; nobody else's is remembered for long (9.4).
    early_pings_.push_back({credentials.zone, now_});
    if (early_pings_.size() > limits::early_pings_kept) early_pings_.pop_front();
    return {};
  }
  auto& status = zones_.at(credentials.zone);
  status.last_ping = now_;
  status.ping_dirty = true;
  return {};
}

void Core::take_early_ping(const std::string& name, ZoneStatus& zone) {
  for (const auto& ping : early_pings_) {
    if (ping.zone != name || now_.nanos - ping.at.nanos > limits::early_ping_nanos) continue;
    zone.last_ping = ping.at;
    zone.ping_dirty = true;
  }
}

Result<Timestamp> Core::authenticate(const ZoneCredentials& credentials) {
  if (!is_global()) return Timestamp();
  auto proof = authenticator_.authenticate(credentials, now_);
  if (!proof.ok()) ++counters_.unauthenticated;
  return proof;
}

// What was proved when a stream began holds no longer than its token: that ends, or is revoked, or loses its key.
void Core::check_proofs(bool all) {
  std::vector<std::pair<StreamId, std::string>> lapsed;
  std::map<std::pair<std::string_view, std::string_view>, Status> looked_at;  // zone and token; streams share them
  const auto check = [&](StreamId id, const Proof& proof) {
    if (proof.ends.nanos == 0 || (!all && now_ < proof.ends)) return;
    const auto& credentials = proof.credentials;
    auto [verdict, is_new] = looked_at.try_emplace({credentials.zone, credentials.token});
    if (is_new) verdict->second = authenticate(credentials).status();
    if (!verdict->second.ok()) lapsed.emplace_back(id, verdict->second.message());
  };
  for (const auto& [id, stream] : streams_) check(id, stream->proof);
  for (const auto& [id, stream] : proxy_streams_) check(id, stream.proof);
  for (const auto& [id, why] : lapsed) close(id, CloseCode::denied, why);
}

std::vector<StreamId> Core::streams_of(const std::string& zone, const std::optional<std::string>& connection) const {
  std::vector<StreamId> out;
  const auto is_of = [&](const std::string& connected) { return !connection || connected == *connection; };
  for (const auto& [id, stream] : streams_) {
    if (stream->peer == zone && is_of(stream->connection)) out.push_back(id);
  }
  for (const auto& [id, stream] : proxy_streams_) {
    if (stream.zone == zone && is_of(stream.connection)) out.push_back(id);
  }
  return out;
}

void Core::check_health() {
  if (options_.health_timeout_nanos <= 0) return;
  std::vector<StreamId> lapsed;
  const auto check = [&](StreamId id, const std::string& name, Timestamp opened_at) {
    const auto* zone = zones_.find(name);
    if (zone == nullptr || !zone->pings) return;
    const auto last = std::max(zone->last_ping.nanos, opened_at.nanos);
    if (now_.nanos - last > options_.health_timeout_nanos) lapsed.push_back(id);
  };
  for (const auto& [id, stream] : streams_) check(id, stream->peer, stream->opened_at);
  for (const auto& [id, stream] : proxy_streams_) check(id, stream.zone, stream.opened_at);
  for (auto id : lapsed) close(id, CloseCode::unavailable, "no health check from the zone");
}

void Core::note_streams(const std::string& name, ZoneStatus& zone) const {
  for (const auto& [id, stream] : streams_) {
    if (stream->peer == name && !stream->waiting && stream->connection == zone.connection)
      zone.streams[stream->kind] = stream->opened_at;
  }
  for (const auto& [id, stream] : proxy_streams_) {
    if (stream.zone == name && stream.connection == zone.connection) zone.streams[stream.kind] = stream.opened_at;
  }
}

void Core::write_insights() {
  struct Change {
    std::string zone;
    ZoneStatus status;
  };
  auto changes = std::make_shared<std::vector<Change>>();
  for (auto& [name, zone] : zones_.all()) {
    if (!zone.insight_dirty && !zone.stats_dirty && !zone.ping_dirty) continue;
    auto it = streams_.find(zone.sender_stream);
    if (it != streams_.end() && it->second->sender) {
      for (const auto& [type, state] : it->second->sender->types()) {
        if (catalogue_.find(type) != nullptr) zone.stats[type] = state.stats;
      }
    }
    note_streams(name, zone);
    zone.insight_dirty = zone.stats_dirty = zone.ping_dirty = false;
    changes->push_back({name, zone});
  }
  if (changes->empty()) return;
  InsightOptions options{options_.subscription_limit, options_.compact_finished_subscriptions,
                         options_.node.instance_id};
  Write write;
  write.decide = [this, changes, options](Transaction& transaction) {
    const auto* insight_type = catalogue_.find("ZoneInsight");
    const auto* zone_type = catalogue_.find("Zone");
    for (const auto& change : *changes) {
      if (!transaction.find(*zone_type, "", change.zone)) continue;
      auto stored = transaction.find(*insight_type, "", change.zone);
      system::ZoneInsight insight;
      if (stored) insight.ParseFromString(stored->spec);
      update_insight(insight, change.status, options, transaction.now());
      Resource resource;
      if (stored) resource = *stored;
      resource.type = insight_type;
      resource.name = change.zone;
      resource.spec = serialize_deterministic(insight);
      transaction.put(std::move(resource));
    }
    return Status();
  };
  (void)submit_write(std::move(write), true);
}

// No stream of a former process lives: what its insights call connected ended at the latest now.
void Core::close_stale_insights() {
  Write write;
  write.decide = [this](Transaction& transaction) {
    const auto* type = catalogue_.find("ZoneInsight");
    for (const auto& stored : transaction.list(*type)) {
      system::ZoneInsight insight;
      if (!insight.ParseFromString(stored->spec) || !close_open_subscriptions(insight, transaction.now())) continue;
      Resource resource = *stored;
      resource.spec = serialize_deterministic(insight);
      transaction.put(std::move(resource));
    }
    return Status();
  };
  (void)submit_write(std::move(write), true);
}

}  // namespace kdsd::kds
