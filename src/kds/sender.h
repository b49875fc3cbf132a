// The sending half of one stream: decides, type by type, when to respond and with what (kds-protocol.md 3.4, 3.5).
//
// Pure; owned by the core executor. A type is in one of these modes:
//   unasked    no request yet
//   ready      may send as soon as the log has something after the cursor that the peer may have
//   awaiting   a response is out; nothing more of this type until any request for it arrives
//   held_back  the first state does not fit into one message of a peer that cannot take parts, or it waits for what
//   other
//              zones have (reported, other types flow)
// The cursor moves when something is sent and an answer (ACK or NACK) confirms the exchange; what was rejected is
// recorded and not sent again unchanged. No per-peer copy of the resource set exists.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kds/encoded_cache.h"
#include "kds/epochs.h"
#include "kds/index.h"
#include "kds/peer_features.h"
#include "kds/wire.h"

namespace kdsd::kds {

namespace limits {
// A response is closed once it has this many bytes; soft by one resource, or a larger one could never pass.
inline constexpr std::size_t response_bytes = 2 << 20;
inline constexpr std::size_t response_resources = 20'000;
// Rejections remembered for each stream and type, newest first.
inline constexpr std::size_t rejections_kept = 64;
inline constexpr std::size_t rejection_text_bytes = 1024;  // of each text in one; a peer may send what it likes
// Types a peer may ask for beyond those of the catalogue, and texts it may send with them.
inline constexpr std::size_t unknown_types = 64;
// Resources that go into no message and were told of, for each stream.
inline constexpr std::size_t too_large_told = 1000;
}  // namespace limits

struct SenderOptions {
  std::string receiver;                          // zone name, or `global`
  std::string identifier;                        // own name in control_plane.identifier
  std::string store_id;                          // for resume tokens
  Epochs epochs;                                 // of that store, for resume tokens
  std::size_t message_bytes_max = 10 << 20;      // largest message that goes out and a Kuma peer takes
  std::size_t own_message_bytes_max = 10 << 20;  // … and a kdsd peer takes
  // Which types this side provides to this peer.
  std::set<const ResourceType*> provided;
  // Types of which this side makes one for each Mesh out of other resources, once those are there. What the peer holds
  // of them stays until each is made: without a token their first response waits for that.
  std::set<const ResourceType*> derived;
};

struct SenderStats {
  std::uint64_t sent = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t rejected = 0;
};

struct Rejection {
  RejectedResource resource;  // name empty: a Kuma peer, the whole response was meant
  Revision after;             // the rejected response held what changed after this one …
  Revision revision;          // … up to this one
  Timestamp at;
};

// Where a peer stands in the log of one type.
struct TypePosition {
  bool is_asked = false;
  bool is_awaiting = false;
  std::string held_back_reason;  // empty: it is not held back
  Revision cursor;               // everything up to here was answered
  Revision sent;                 // everything up to here was sent
  Timestamp behind_since;        // when the oldest change that the peer has not answered was made; 0: there is none
  std::uint64_t behind = 0;      // revisions between the cursor and the newest change of the type
  std::vector<Rejection> rejections;  // newest first
};

struct PeerLag {
  std::uint64_t revisions = 0;  // between what the peer answered and the newest change, of the type that is most behind
  std::int64_t nanos = 0;       // age of the oldest change that the peer has not answered
};

class Sender {
 public:
  enum class Mode { unasked, ready, awaiting, held_back };

  struct TypeState {
    Mode mode = Mode::unasked;
    KnownFeatures peer;        // as the peer had introduced itself when it asked for the type
    bool takes_parts = false;  // of the first state, as kdsd does
    bool first_done = false;   // the first response of this stream is complete
    bool announced = false;    // an answer is due even if there is nothing to send
    Revision cursor;           // what the peer holds, as far as it was told
    Revision sent;             // awaiting: newest revision in the response that is out
    std::string nonce;         // awaiting: of that response
    Timestamp sent_at;         // awaiting
    std::size_t sent_bytes = 0;
    std::map<std::string, std::string> held;  // versions the peer offered with its first request
    bool resumed = false;
    std::vector<Rejection> rejections;
    SenderStats stats;
    Timestamp unsent_since;  // of the oldest change that is in no response yet, whether or not it is for this peer
    Timestamp behind_since;  // awaiting: of the oldest change in the response that is out
    std::string held_back_reason;     // held_back
    std::size_t held_back_count = 0;  // held_back: live resources of the type then; 0: it waits for other zones
    Timestamp held_back_at;           // held_back: when its size was last looked at
    bool has_changed = false;         // held_back: it may fit now
    Revision held_until;              // 0, or how far the peer holds everything: what came next went into no message
    std::string told_rejection;       // the text of the last one that was told as new
    Timestamp told_at;
  };

  // All must outlive the sender.
  Sender(SenderOptions options, const Index& index, EncodedCache& cache);

  // A request arrived. An error ends the stream (kds-protocol.md 3.10).
  Status on_request(const Request& request, Timestamp now);

  // The next message this stream may send now, if any. `more` in it: another part of the same first state follows.
  std::optional<Message> next(Timestamp now);

  // From now on no first state of a type that zones share is called complete: somebody whose resources belong into it
  // has not sent them yet, and the peer would delete what it has of them. A peer that takes parts gets what there is.
  // Lasts until `stop_waiting`; before the first request.
  void wait_for_others(std::string reason);
  void stop_waiting();
  bool is_waiting() const { return !waits_for_.empty(); }

  // Whether `next` might give something; cheap. `type` changed in the log.
  void on_change(const ResourceType& type, Timestamp now);
  bool idle() const { return dirty_.empty(); }
  // Looks anew at the size of what is held back and has changed, now and then: measuring takes the whole type. Whether
  // `next` might give something.
  bool retry_held_back(Timestamp now);

  const std::map<std::string, TypeState>& types() const { return types_; }
  // Where the peer stands in a type it asked for; the part of `types` that outlives the stream.
  TypePosition position(const ResourceType& type) const;
  // Over all types. Looks up only those that have something unanswered.
  PeerLag lag(Timestamp now) const;
  // Whether the peer offered a token of another store: it has what another global sent it.
  bool came_from_another_store() const { return came_from_another_store_; }
  const Features& features() const { return features_; }
  // Whether the peer would get a resource if its zone kept it in a store of its own, and does not
  // (kds-protocol.md 6.7).
  bool spares(const Presence& presence) const;
  const NodeInfo& node() const { return node_; }
  bool started() const { return started_; }
  // Whether a request had the metadata that say what the peer is and can; until then it can nothing in particular.
  bool introduced() const { return introduced_; }
  const SenderOptions& options() const { return options_; }
  SenderStats totals() const;
  const std::string& last_type() const { return last_type_; }  // of the message that `next` gave last
  // What happened since the last call, for metrics: answers by type.
  struct Answer {
    std::string type;
    bool rejected = false;
    std::int64_t delay_nanos = 0;  // since the response was sent
    std::int64_t age_nanos = 0;    // of the oldest change in it
    std::string text;
    bool is_repeated = false;  // rejected for a reason that was told less than a minute ago
  };
  std::vector<Answer> take_answers();
  // What was held back for its size since the last call: type, size and limit, for people.
  std::vector<std::string> take_held_back() { return std::exchange(newly_held_back_, {}); }

  // One line about a type: `east/MeshTimeout awaiting nonce=7 cursor=1041 head=1052`.
  std::string describe(const std::string& type) const;

 private:
  struct Part {
    std::vector<EncodedPtr> resources;
    std::vector<std::string> removed;
    std::size_t bytes = 0;
    Revision until;
    bool whole = false;                                          // the full state, with nothing left out
    bool complete = true;                                        // everything up to the head is in it
    std::vector<std::pair<std::string, std::string>> too_large;  // what goes into no message: key, why
    std::size_t skipped_bytes = 0;                               // of these
    Revision held_until;                                         // 0, or before the first of these
  };

  Status first_request(const Request& request, TypeState& state, const ResourceType* type);
  void on_answer(const Request& request, TypeState& state, Timestamp now);
  void record_rejection(const Request& request, TypeState& state, Timestamp now);
  Part collect(const ResourceType& type, const TypeState& state, bool whole) const;
  void collect_entry(const Entry& entry, const TypeState& state, Part& part) const;
  std::optional<Message> respond(const std::string& name, TypeState& state, Timestamp now);
  std::optional<Message> build(const std::string& name, TypeState& state, Part part, Timestamp now);
  bool is_told_already(const Request& request, TypeState& state, Timestamp now) const;
  std::size_t bytes_max(const TypeState& state) const;
  void note_too_large(const Entry& entry, std::size_t bytes, const TypeState& state, Part& part) const;
  void tell_too_large(const Part& part);
  void hold_back(const std::string& name, TypeState& state, std::size_t bytes, Timestamp now);
  bool waits(const ResourceType& type, const TypeState& state) const;
  bool is_unmade(const ResourceType& type) const;
  bool may_have(const Presence& presence, const TypeState& state) const;

  SenderOptions options_;
  const Index& index_;
  EncodedCache& cache_;
  Features features_;
  NodeInfo node_;
  bool started_ = false;
  bool introduced_ = false;
  KnownFeatures peer_;
  std::string waits_for_;  // empty: for nobody
  bool came_from_another_store_ = false;
  std::uint64_t nonce_ = 0;
  std::string last_type_;
  std::vector<std::string> newly_held_back_;
  std::set<std::string> told_too_large_;
  std::map<std::string, TypeState> types_;
  std::set<std::string> dirty_;  // types worth a look
  std::vector<Answer> answers_;
};

}  // namespace kdsd::kds
