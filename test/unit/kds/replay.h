// One side of recorded exchanges, played by kdsd.
//
// The peer's messages of a recording are sent to a core. Its answers are compared with the recorded ones. What it sends
// itself follows from what users wrote there, and that is taken from the recording: what the recorded side sent of its
// own was written by somebody before. Compared is what the peer holds of it in the end, by name, with labels and specs:
// how it was cut into responses is each side's own business.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pair.h"
#include "replay_recording.h"
#include "replay_state.h"

namespace kdsd::kds::replay {

struct Difference {
  std::string recording;
  std::string place;  // `event 12`, or whose copy of which resource
  std::string text;
};

struct Counts {
  std::size_t messages = 0;     // of the peer, sent to kdsd
  std::size_t answers = 0;      // of kdsd, compared
  std::size_t responses = 0;    // of the recorded side, that kdsd's state had to equal
  std::size_t requests = 0;     // of the recorded side: first ones, and answers that kdsd's were compared with
  std::size_t comparisons = 0;  // of a resource: what a peer holds of kdsd, what kdsd stored of a peer
  std::size_t left_out = 0;     // messages whose content was not recorded
  std::size_t skipped = 0;

  std::size_t recorded() const { return messages + responses + requests + left_out + skipped; }
  Counts& operator+=(const Counts& other);
};

class Replay {
 public:
  // `zone`: which zone kdsd plays; empty: the global.
  explicit Replay(std::string zone, CoreOptions options = {});

  // What an operator did and no stream shows.
  using Action = std::function<void(TestPlane&)>;
  void before(const std::string& recording, std::size_t event, Action action);

  // Leaves out what would end the stream of all that follows.
  void skip(const std::string& recording, std::size_t event);

  // Recordings of one installation, in their order.
  void play(const Recording& recording);

  const std::vector<Difference>& differences() const { return differences_; }
  const Counts& counts() const { return counts_; }

 private:
  struct Link {
    std::string zone;
    std::string connection;
    std::vector<std::string> features;
    bool is_opening_recorded = false;
    bool is_successor = false;           // of an earlier connection of the zone
    std::optional<StreamId> in;          // the peer sends
    std::optional<StreamId> out;         // kdsd sends
    std::set<std::size_t> first_events;  // of the recording at hand: responses that are the full state of their type
    State recorded;                      // what the peer held of the recorded side
    State sent;                          // what it holds of kdsd
    std::set<std::string> recorded_types;
    std::set<std::string> sent_types;
    std::set<std::string> recorded_asked;  // types
    std::set<std::string> sent_asked;
    std::map<Key, std::optional<Held>> late;  // differed at the last note: what kdsd had then
    std::vector<Request> answers;             // of kdsd, since the last message of the peer
  };
  using LinkPtr = std::shared_ptr<Link>;

  bool is_global() const { return zone_.empty(); }
  Side side() const { return is_global() ? Side::global : Side::zone; }
  Side peer() const { return is_global() ? Side::zone : Side::global; }
  StreamKind in_kind() const { return is_global() ? StreamKind::zone_to_global : StreamKind::global_to_zone; }
  StreamKind out_kind() const { return is_global() ? StreamKind::global_to_zone : StreamKind::zone_to_global; }
  bool is_scripted() const { return recording_->is_scripted(peer()); }
  std::vector<const ResourceType*> types_of(StreamKind stream) const;

  void continue_connections();
  void on_event(const Event& event);
  void on_note();
  void on_message(const Event& event);
  void on_ended(const Event& event);
  LinkPtr link_of(const Event& event);
  std::set<std::size_t> find_first_events(int connection, bool is_opening_recorded) const;
  void open(Link& link, StreamKind stream, int connection);
  void ask(Link& link, int connection);
  void assume_received(Link& link, int connection);
  void prime(Link& link, int connection);
  void find_rejected();

  void on_own_response(Link& link, const Event& event);
  void on_peer_response(Link& link, const Event& event);
  void on_peer_request(Link& link, const Event& event);
  Outcome outcome_of(const Link& link, const Event& event) const;
  void compare_outcomes(const Event& event, const Outcome& recorded, const Outcome& found);

  void settle();
  void on_asked(Link& link, const std::string& bytes);
  void on_sent(Link& link, const std::string& bytes);
  bool is_alive(const std::optional<StreamId>& stream) const;

  // What users wrote.
  void learn(const Response& response, bool is_full);
  std::optional<Resource> own_form(const Resource& sent) const;
  void write(const Resource& resource);

  // What is stored of a peer.
  void expect_stored(Link& link, const Event& event, const Outcome& recorded);
  Held stored_form(const Link& link, const Resource& received) const;
  std::string stored_name(const Link& link, const ResourceType& type, const std::string& name) const;
  void compare_stored(const Link& link, const ResourceType& type);

  void compare_asked();
  void compare_sent(bool is_last);
  void compare_sent(Link& link, bool is_last);
  // `name`: of a copy, where others are shown at the same place.
  void differ(const std::string& place, const std::string& text, const std::string& name = {});

  std::string zone_;
  CoreOptions options_;
  TestPlane plane_;
  std::map<std::pair<std::string, std::size_t>, Action> actions_;
  std::set<std::pair<std::string, std::size_t>> skipped_;
  const Recording* recording_ = nullptr;
  std::map<int, LinkPtr> connections_;      // of the recording at hand
  std::map<std::string, LinkPtr> current_;  // by zone: those that live
  std::map<std::string, LinkPtr> last_;     // by zone, also of former ones
  std::vector<LinkPtr> links_;
  std::size_t compared_at_ = 0;                                 // messages before the last comparison
  std::map<Key, ResourceKey> own_;                              // what users wrote, by its name on the wire
  std::map<std::string, std::map<Key, std::string>> rejected_;  // by zone: what it refused, with the text
  std::map<std::string, State> expected_;                       // by sender
  std::map<std::string, std::set<Key>> unknown_;                // by sender: the recording does not tell
  std::vector<Difference> differences_;
  std::map<std::string, std::string> reported_;  // text by place
  Counts counts_;
};

}  // namespace kdsd::kds::replay
