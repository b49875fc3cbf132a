// The synchronising control plane without its surroundings: streams, writes and time go in, effects come out.
//
// Pure: no clock, socket, thread or file. One executor (the core executor) owns it and calls it; nothing in here
// blocks. What a caller has to do, in this order, after every call: take the effects and carry them out. A message
// effect may be sent at once; a commit effect goes to the store and its outcome comes back through `committed`; nothing
// that depends on the commit is sent before that. The simulation and the daemon drive the same object.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "kds/committer.h"
#include "kds/conflicts.h"
#include "kds/inbound.h"
#include "kds/index.h"
#include "kds/proxy_queries.h"
#include "kds/receiver.h"
#include "kds/relay_hold.h"
#include "kds/sender.h"
#include "kds/stream_kind.h"
#include "kds/zone_authentication.h"
#include "kds/zone_registry.h"
#include "policy/control_plane.h"

namespace kdsd::kds {

namespace limits {
inline constexpr std::size_t encoded_cache_bytes = 64 << 20;
// Responses of one stream that may wait for the store before reading stops.
inline constexpr std::size_t responses_pending = 8;
inline constexpr std::size_t tombstones_kept = 50'000;  // of one type; older ones are compacted
inline constexpr std::size_t tombstones_per_purge = 1'000;
// Health pings of zones that have not opened a stream yet; a stranger can send any number.
inline constexpr std::size_t early_pings_kept = 1'000;
inline constexpr std::int64_t early_ping_nanos = 10'000'000'000;
inline constexpr std::size_t touched_per_write = 500;  // resources looked at again when a zone is enabled or disabled
}  // namespace limits

using StreamId = std::uint64_t;

struct CoreOptions {
  policy::ControlPlaneKind control_plane;
  NodeInfo node;  // what this side tells in its first requests; features are filled in
  std::vector<std::string> skip_label_prefixes;
  std::set<std::string> disabled_types;      // not provided, not asked for
  std::set<std::string> derived_types;       // one for each Mesh, made here out of other resources; see SenderOptions
  std::size_t message_bytes_max = 10 << 20;  // of what is received
  std::size_t foreign_message_bytes_max = 10 << 20;
  std::int64_t insight_flush_nanos = 10'000'000'000;
  std::int64_t health_timeout_nanos = 0;           // 0: zones are not cut for missing pings
  std::int64_t send_timeout_nanos = 0;             // a message may wait this long to be taken; 0: for ever
  std::int64_t relay_hold_nanos = 60'000'000'000;  // how long zones wait for what another has not sent yet; 0: not
  std::size_t subscription_limit = 10;
  bool compact_finished_subscriptions = false;
  ZoneAuthentication zone_authentication;
  std::uint64_t seed = 1;  // of ids
};

// What the store held when it was opened.
struct CoreState {
  std::string store_id;
  std::uint64_t epoch = 1;  // a new random number at every start
  Revision revision;
  std::vector<EntryPtr> entries;
  std::map<std::string, std::string> facts;
};

struct StreamOpened {
  StreamKind kind = StreamKind::global_to_zone;
  std::string peer_zone;              // on a global: the client-id
  std::string connection;             // same text for streams of one connection
  std::vector<std::string> features;  // request metadata, on a global
  bool token_provided = false;
  std::string token;                           // of a zone, on a global
  std::vector<std::string> certificate_names;  // likewise

  ZoneCredentials credentials() const { return {peer_zone, token, certificate_names}; }
};

enum class CloseCode { unavailable, internal, invalid_argument, resource_exhausted, denied };

struct SendEffect {
  StreamId stream = 0;
  Message message;
};
struct ReadEffect {  // one more message may be read from the stream
  StreamId stream = 0;
};
struct CloseEffect {
  StreamId stream = 0;
  CloseCode code = CloseCode::unavailable;
  std::string text;
};
struct CommitEffect {
  CommitBatch batch;
};
struct LogEffect {
  enum class Level { debug, info, warn, error };
  Level level = Level::info;
  std::string text;
};
using Effect = std::variant<SendEffect, ReadEffect, CloseEffect, CommitEffect, LogEffect>;

// Counters for metrics; rising, by type name.
struct CoreCounters {
  struct OfType {
    std::uint64_t responses_sent = 0;
    std::uint64_t response_bytes = 0;
    std::uint64_t acknowledged = 0;
    std::uint64_t rejected_by_user = 0;
    std::uint64_t rejected_otherwise = 0;
    std::uint64_t received = 0;
    std::uint64_t refused = 0;  // resources refused by this side
    std::uint64_t misnamed = 0;
  };
  std::map<std::string, OfType> types;
  std::vector<std::int64_t> delivery_nanos;     // since the last look; the reader clears it
  std::vector<std::int64_t> propagation_nanos;  // likewise: from a commit here to its ACK there
  std::vector<std::int64_t> sync_nanos;         // likewise: from a received batch to its commit
  struct Sent {
    std::string type;
    std::size_t bytes = 0;
  };
  std::vector<Sent> sent;  // likewise: responses
  // Resources that a peer tried to write and may not, by peer and rule.
  std::map<std::string, std::map<std::string, std::uint64_t>> refused_of_peers;
  std::uint64_t takeovers = 0;
  std::uint64_t zone_conflicts = 0;
  std::uint64_t unauthenticated = 0;  // calls of zones that could not prove their name
};

// One stream, for diagnostics.
struct StreamInfo {
  StreamId id = 0;
  StreamKind kind = StreamKind::global_to_zone;
  std::string peer;
  bool sending = false;
  std::size_t outstanding = 0;  // types with an unanswered response
  std::size_t outstanding_bytes = 0;
  std::size_t buffer_bytes = 0;  // what is kept for the peer: unanswered responses and messages that wait to be written
  std::size_t held_back = 0;
  SenderStats stats;
};

class Core {
 public:
  // `catalogue` must outlive the core.
  Core(CoreOptions options, const Catalogue& catalogue);

  // Before anything else: what the store holds.
  void load(CoreState state);

  // The time of everything that follows.
  void set_now(Timestamp now) { now_ = now; }

  // A stream began. On a global: refused with an error (the caller ends it) when the zone name is no zone name, or the
  // zone does not prove that it is its own.
  Result<StreamId> opened(const StreamOpened& stream);
  void received(StreamId stream, std::string_view bytes);
  void written(StreamId stream);  // the last SendEffect of the stream is on its way; the next one may follow
  void closed(StreamId stream, const std::string& why);  // unknown ids are ignored

  // A health ping of a zone (kds-protocol.md 9.4). Fails only for a zone that does not prove its name.
  Status pinged(const ZoneCredentials& zone);

  // On a global: asks a proxy of a zone; `done` is called once, maybe at once. `id`: a new one for each question.
  void ask_proxy(const ProxyQuery& query, std::string id, ProxyAnswer done);

  // A write of a user or of this program itself.
  Status submit(Write write) { return submit_write(std::move(write), false); }
  void committed(const Status& status);

  // At least once a second.
  void tick();

  // Before a stop: all streams end, insights are written.
  void drain();

  std::vector<Effect> take_effects() { return std::exchange(effects_, {}); }

  const Index& index() const { return index_; }
  const CoreOptions& options() const { return options_; }
  const Sending& sending() const { return sending_; }
  const ZoneRegistry& zones() const { return zones_; }
  Timestamp now() const { return now_; }
  // Whether a zone may still have resources that this global does not know, since its store was made or put back.
  bool expects_zones() const { return relay_hold_.expects_any(now_); }
  CoreCounters& counters() { return counters_; }
  const std::string& store_id() const { return store_id_; }
  std::vector<StreamInfo> streams() const;
  // On a global: who else uses the name of a zone, as text; empty when there is no such conflict now.
  std::string conflict_of(const std::string& zone) const;
  // The stream that sends to a zone, or to the global; null when there is none.
  const Sender* sender_of(const std::string& peer) const;
  std::uint64_t encodes() const { return cache_.encodes(); }
  std::uint64_t encode_reuses() const { return cache_.reuses(); }
  std::uint64_t commits() const { return committer_.commits(); }
  std::uint64_t zone_tokens_verified() const { return authenticator_.tokens_verified(); }
  std::size_t writes_queued() const { return committer_.queued(); }
  bool idle() const { return !committer_.in_flight() && !committer_.waiting(); }

 private:
  // What a stream of a zone proved when it began.
  struct Proof {
    ZoneCredentials credentials;
    Timestamp ends;  // 0: with the connection
  };
  // A health ping of a zone that has no stream yet.
  struct EarlyPing {
    std::string zone;
    Timestamp at;
  };
  // An admin stream; its messages are ProxyQueries' own.
  struct ProxyStream {
    StreamKind kind = StreamKind::config_dumps;
    std::string zone;
    std::string connection;
    Timestamp opened_at;
    Proof proof;
  };
  struct Stream {
    StreamId id = 0;
    StreamKind kind = StreamKind::global_to_zone;
    std::string peer;  // zone name, or `global`
    std::string connection;
    Features request_features;
    std::optional<Sender> sender;
    std::optional<Receiver> receiver;
    Conflicts conflicts;             // receiving
    std::deque<std::string> outbox;  // requests; bounded by types and pending responses
    bool writing = false;
    bool waiting = false;     // for an older connection of the zone to be superseded
    bool reading = false;     // a read is allowed and has not come back
    std::size_t pending = 0;  // responses that wait for the store
    Timestamp opened_at;
    Timestamp writing_at;          // when the message that is on its way out was handed over
    Timestamp heard_at;            // receiving: when it was asked, or last sent a response
    bool noting_delivery = false;  // a write that says so is on its way
    Proof proof;
    std::uint64_t sent_total = 0;
  };

  bool is_global() const { return options_.control_plane.is_global(); }
  Status submit_write(Write write, bool internal);
  void run_commits();
  void begin_epoch(std::uint64_t epoch);
  // Changes that a zone is spared because its API server would refuse them go to the log.
  void tell_spared(const Stream& stream, const std::vector<EntryPtr>& entries);
  void after_apply(const Committed& changes);
  void end_deleted_zones();
  void end_behind(const ResourceType& type);
  void end_freed();
  void touch_zone(const std::string& zone);
  void touch_some(const std::string& zone, std::shared_ptr<std::vector<ResourceKey>> keys, std::size_t from);

  void activate(Stream& stream);
  void begin_sending(Stream& stream);
  void begin_receiving(Stream& stream);
  void ask(StreamId id);
  void on_request(Stream& stream, std::string_view bytes);
  void on_response(Stream& stream, std::string_view bytes);
  void answer(StreamId id, const Incoming& incoming, const Applied& applied, Timestamp received_at,
              const Status& status);
  void allow_read(Stream& stream);
  void pump(Stream& stream);
  void write(Stream& stream, Message message);
  // Ends streams whose peers have not taken the message that is on its way out.
  void check_sends();
  void close(StreamId id, CloseCode code, const std::string& text);
  void forget(StreamId id, const std::string& why);
  void note_positions(const Sender& sender, ZoneStatus& zone) const;
  bool take_over(Stream& stream, const std::string& instance);
  void supersede(StreamId id, const Stream& by, const std::string& why);
  void note_streams(const std::string& name, ZoneStatus& zone) const;
  void take_early_ping(const std::string& name, ZoneStatus& zone);
  void promote_waiting(const std::string& zone);
  void subscribe(const Stream& stream);
  void introduce(const Stream& stream);
  void register_zone(const std::string& zone);
  void write_insights();
  void close_stale_insights();
  void compact();
  // Admin streams too. Without a connection: of all.
  std::vector<StreamId> streams_of(const std::string& zone, const std::optional<std::string>& connection = {}) const;
  void check_health();
  void expect_zone(const std::string& zone);
  void hold_relays(Stream& stream);
  bool has_to_wait(const Stream& stream) const;
  void note_delivery(Stream& stream);
  void check_deliveries();
  void release_waiting();
  Result<Timestamp> authenticate(const ZoneCredentials& credentials);
  // `all`: also those that have not lapsed yet.
  void check_proofs(bool all);
  Result<StreamId> open_proxy_stream(const StreamOpened& opened);
  void received_from_proxy_stream(StreamId id, std::string_view bytes);
  void forget_proxy_stream(StreamId id, const std::string& why);
  void pump_proxy_stream(StreamId id);
  void pump_proxies();
  std::set<const ResourceType*> provided_types() const;
  std::vector<const ResourceType*> wanted_types() const;
  void log(LogEffect::Level level, std::string text) { effects_.push_back(LogEffect{level, std::move(text)}); }

  CoreOptions options_;
  const Catalogue& catalogue_;
  Sending sending_;
  Index index_;
  EncodedCache cache_;
  Committer committer_;
  ZoneRegistry zones_;
  std::deque<EarlyPing> early_pings_;  // oldest first
  RelayHold relay_hold_;
  ProxyQueries proxies_;
  ZoneAuthenticator authenticator_;
  std::map<StreamId, ProxyStream> proxy_streams_;
  std::map<StreamId, std::unique_ptr<Stream>> streams_;
  StreamId last_stream_ = 0;
  std::vector<Effect> effects_;
  Timestamp now_;
  Timestamp insights_written_;
  std::string store_id_;
  Epochs epochs_;
  std::set<std::string> zones_to_touch_;  // whose enabling or disabling could not be written
  std::mt19937_64 random_;
  CoreCounters counters_;
  bool draining_ = false;
  bool running_commits_ = false;
};

}  // namespace kdsd::kds
