#include "replay.h"

#include <algorithm>
#include <regex>

#include "envoy/service/discovery/v3/discovery.pb.h"

namespace kdsd::kds::replay {
namespace {

// What a Kuma zone announces with each call; for connections whose beginning was not recorded.
const std::vector<std::string> kuma_request_features = {"zone-ping-health", "hash-suffix"};

// What a Kuma control plane announces in its first requests.
const std::vector<std::string> kuma_node_features = {"zone-token", "hash-suffix", "hg-mz-selector",
                                                     "producer-policy-flow", "optional-top-level-target-ref"};

std::string type_of(const std::string& response) {
  envoy::service::discovery::v3::DeltaDiscoveryResponse message;
  EXPECT_TRUE(message.ParseFromString(response));
  return message.type_url();
}

Request answer_to(const Response& response, const std::string& zone) {
  Request out;
  out.type = response.type;
  out.node_id = zone;
  out.nonce = response.nonce;
  return out;
}

// The recorded global let no zone wait for another.
CoreOptions without_hold(CoreOptions options) {
  options.relay_hold_nanos = 0;
  return options;
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  messages += other.messages;
  answers += other.answers;
  responses += other.responses;
  requests += other.requests;
  comparisons += other.comparisons;
  left_out += other.left_out;
  skipped += other.skipped;
  return *this;
}

Replay::Replay(std::string zone, CoreOptions options)
    : zone_(std::move(zone)), options_(without_hold(std::move(options))), plane_(zone_, options_) {
  options_ = plane_.core->options();
}

void Replay::skip(const std::string& recording, std::size_t event) { skipped_.emplace(recording, event); }

void Replay::before(const std::string& recording, std::size_t event, Action action) {
  actions_[{recording, event}] = std::move(action);
}

void Replay::play(const Recording& recording) {
  recording_ = &recording;
  connections_.clear();
  find_rejected();
  continue_connections();
  for (const auto& event : recording.events()) {
    if (auto action = actions_.find({recording.name(), event.index}); action != actions_.end()) {
      action->second(plane_);
      settle();
    }
    if (skipped_.contains({recording.name(), event.index})) {
      ++counts_.skipped;
    } else {
      on_event(event);
    }
  }
  compare_sent(true);
  compare_asked();
}

// A connection that neither begins in this recording nor shows the beginning of a stream goes on from an earlier one.
void Replay::continue_connections() {
  std::set<int> begun;
  for (const auto& event : recording_->events()) {
    if (event.kind == Event::Kind::connected || event.kind == Event::Kind::opened) begun.insert(event.connection);
    if (event.kind != Event::Kind::message || begun.contains(event.connection)) continue;
    const auto found = current_.find(recording_->zone_of(event.connection));
    if (found == current_.end()) continue;
    found->second->first_events.clear();
    connections_[event.connection] = found->second;
  }
}

void Replay::on_event(const Event& event) {
  if (event.kind == Event::Kind::note) return on_note();
  if (!is_global() && recording_->zone_of(event.connection) != zone_) return;  // another zone's
  switch (event.kind) {
    case Event::Kind::note:
      break;
    case Event::Kind::connected:
      break;
    case Event::Kind::opened: {
      const auto link = link_of(event);
      link->features = event.features;
      open(*link, *event.stream, event.connection);
      break;
    }
    case Event::Kind::message:
      on_message(event);
      break;
    case Event::Kind::ended:
      on_ended(event);
      break;
  }
}

// Notes that follow each other at once are one step.
void Replay::on_note() {
  if (counts_.messages + counts_.responses == compared_at_) return;
  compared_at_ = counts_.messages + counts_.responses;
  compare_sent(false);
}

void Replay::on_message(const Event& event) {
  const auto link = link_of(event);
  if (!link->in && *event.stream == in_kind()) open(*link, in_kind(), event.connection);
  if (!link->out && *event.stream == out_kind()) open(*link, out_kind(), event.connection);
  if (event.from == peer()) {
    if (event.is_left_out) {
      ++counts_.left_out;
    } else {
      ++counts_.messages;
      event.is_response ? on_peer_response(*link, event) : on_peer_request(*link, event);
    }
  } else if (event.is_response) {
    on_own_response(*link, event);
  } else {
    ++counts_.requests;
    if (event.nonce.empty()) link->recorded_asked.insert(event.type);
  }
}

// The transport is gone, whoever ended it.
void Replay::on_ended(const Event& event) {
  const auto found = connections_.find(event.connection);
  if (found == connections_.end()) return;
  auto& link = *found->second;
  const bool ends_out = !event.stream || event.stream == out_kind();
  if (ends_out && is_alive(link.out)) compare_sent(link, true);
  const auto end = [&](std::optional<StreamId>& stream) {
    if (is_alive(stream)) {
      plane_.core->closed(*stream, "recorded end");
      plane_.ended[*stream] = "recorded end";
    }
  };
  if (!event.stream || event.stream == in_kind()) end(link.in);
  if (ends_out) end(link.out);
  if (!event.stream && current_[link.zone] == found->second) current_.erase(link.zone);
  settle();
}

Replay::LinkPtr Replay::link_of(const Event& event) {
  if (auto found = connections_.find(event.connection); found != connections_.end()) return found->second;
  auto link = std::make_shared<Link>();
  link->zone = recording_->zone_of(event.connection);
  links_.push_back(link);
  link->connection = "connection " + std::to_string(links_.size());
  link->features = kuma_request_features;
  link->is_opening_recorded = recording_->is_opening_recorded(event.connection);
  link->first_events = find_first_events(event.connection, link->is_opening_recorded);
  link->is_successor = last_.contains(link->zone);
  if (!link->is_opening_recorded && !is_scripted()) assume_received(*link, event.connection);
  current_[link->zone] = last_[link->zone] = link;
  return connections_[event.connection] = link;
}

std::vector<const ResourceType*> Replay::types_of(StreamKind stream) const {
  std::vector<const ResourceType*> out;
  for (const auto* type : Catalogue::builtin().types()) {
    if (stream == StreamKind::global_to_zone ? type->wanted_by_zone() : type->zone_to_global()) out.push_back(type);
  }
  return out;
}

// Responses that are the first of their type on a connection. Where the beginning was not recorded their numbers tell:
// the first ones of all types come before everything else.
std::set<std::size_t> Replay::find_first_events(int connection, bool is_opening_recorded) const {
  std::set<std::size_t> out;
  std::set<std::pair<StreamKind, std::string>> seen;
  for (const auto& event : recording_->events()) {
    if (event.connection != connection || event.kind != Event::Kind::message || !event.is_response) continue;
    if (!seen.emplace(*event.stream, event.type).second) continue;
    const auto number = std::strtoull(event.nonce.c_str(), nullptr, 10);
    if (is_opening_recorded || number <= types_of(*event.stream).size()) out.insert(event.index);
  }
  return out;
}

void Replay::open(Link& link, StreamKind stream, int connection) {
  const bool sends = stream == out_kind();
  if (sends) {
    // A recorded side had its resources before the peer asked.
    for (const auto& event : recording_->events()) {
      if (event.connection != connection || event.stream != stream || !link.first_events.contains(event.index))
        continue;
      if (auto response = decode_response(event.bytes, Catalogue::builtin()); response.ok()) learn(*response, true);
    }
  }
  StreamOpened opened{stream, is_global() ? link.zone : "", link.connection, link.features, false};
  auto id = plane_.core->opened(opened);
  if (!id.ok()) return differ("connection " + std::to_string(connection), "is refused: " + id.status().text());
  (sends ? link.out : link.in) = *id;
  settle();
  sends ? ask(link, connection) : prime(link, connection);
}

// First requests of the peer: all a Kuma control plane has, whether they were recorded or not; of a test peer those
// that its recording left out.
void Replay::ask(Link& link, int connection) {
  NodeInfo node;
  node.instance_id = link.zone + "-1";
  node.features = Features(kuma_node_features);
  std::set<std::string> types;
  bool is_recorded = false;
  for (const auto& event : recording_->events()) {
    if (event.connection != connection || event.stream != out_kind() || event.kind != Event::Kind::message) continue;
    if (event.is_response) types.insert(event.type);
    if (event.is_response || event.from != peer() || !event.nonce.empty() || is_recorded) continue;
    is_recorded = true;
    if (auto request = decode_request(event.bytes); request.ok() && !is_scripted()) node = request->node;
  }
  if (is_scripted() && is_recorded) return;
  if (!is_scripted()) {
    for (const auto* type : types_of(out_kind())) types.insert(type->name);
  }
  for (const auto& type : types) {
    Request request;
    request.type = type;
    request.node_id = link.zone;
    request.node = node;
    request.subscribe = {"*"};
    if (!is_alive(link.out)) return;
    plane_.core->received(*link.out, encode_request(request));
    settle();
  }
}

// Where the beginning was not recorded, the peer had been sent everything there was: what the last connection of the
// zone brought, or of what a global wrote the same as another zone. Of some types the recording does tell.
void Replay::assume_received(Link& link, int connection) {
  std::set<std::string> told;
  for (const auto& event : recording_->events()) {
    const bool tells = event.stream == out_kind() && !event.is_left_out && link.first_events.contains(event.index);
    if (event.connection == connection && tells) told.insert(event.type);
  }
  const auto& source = link.is_successor ? last_.at(link.zone) : links_.front();
  for (const auto& [key, held] : source->recorded.held()) {
    const bool is_for_all = link.is_successor || !held.labels.has(label::zone);
    if (is_for_all && !told.contains(key.type)) link.recorded.put(key, held);
  }
}

// First responses of the peer that came before the recording begins: empty ones, so that what follows is a change.
// Those that a later connection of a zone brought again are not needed.
void Replay::prime(Link& link, int connection) {
  if (link.is_opening_recorded || link.is_successor) return;
  std::set<std::string> recorded;
  for (const auto& event : recording_->events()) {
    if (event.connection == connection && event.stream == in_kind() && link.first_events.contains(event.index))
      recorded.insert(event.type);
  }
  for (const auto* type : types_of(in_kind())) {
    if (recorded.contains(type->name)) continue;
    ResponseHead head{type->name, "before", is_global() ? link.zone : "global", "", {}};
    plane_.core->received(*link.in, encode_response_head(head));
    settle();
  }
}

void Replay::find_rejected() {
  for (const auto& event : recording_->events()) {
    if (event.kind != Event::Kind::message || !event.is_response || event.from != side()) continue;
    const auto outcome = recording_->outcome(event);
    if (outcome.kind != Outcome::Kind::nack) continue;
    auto response = decode_response(event.bytes, Catalogue::builtin());
    if (!response.ok()) continue;
    for (const auto& received : response->resources)
      rejected_[recording_->zone_of(event.connection)][key_of(received.resource)] = outcome.text;
  }
}

void Replay::on_own_response(Link& link, const Event& event) {
  ++counts_.responses;
  if (!is_alive(link.out)) return differ("event " + std::to_string(event.index), "kdsd had ended the stream");
  link.recorded_types.insert(event.type);
  auto response = decode_response(event.bytes, Catalogue::builtin());
  if (!response.ok()) return;
  const bool is_full = link.first_events.contains(event.index);
  learn(*response, is_full);
  link.recorded.apply(*response, is_full);
  settle();
}

void Replay::on_peer_response(Link& link, const Event& event) {
  link.answers.clear();
  if (is_alive(link.in)) plane_.core->received(*link.in, event.bytes);
  settle();
  const auto recorded = recording_->outcome(event);
  compare_outcomes(event, recorded, outcome_of(link, event));
  expect_stored(link, event, recorded);
}

// Answers of a Kuma control plane belong to the responses as its peer cut them; kdsd's get their own (on_sent).
void Replay::on_peer_request(Link& link, const Event& event) {
  if (!is_scripted() || !link.out) return;
  if (recording_->outcome(event).kind == Outcome::Kind::ended && is_alive(link.out)) compare_sent(link, true);
  if (is_alive(link.out)) plane_.core->received(*link.out, event.bytes);
  settle();
  Outcome found;
  if (!is_alive(link.out)) found.kind = Outcome::Kind::ended;
  compare_outcomes(event, recording_->outcome(event), found);
}

Outcome Replay::outcome_of(const Link& link, const Event& event) const {
  if (!is_alive(link.in)) return {Outcome::Kind::ended, ""};
  for (const auto& answer : link.answers) {
    if (answer.type != event.type || answer.nonce != event.nonce) continue;
    return {answer.is_nack ? Outcome::Kind::nack : Outcome::Kind::ack, answer.error_text};
  }
  return {};
}

void Replay::compare_outcomes(const Event& event, const Outcome& recorded, const Outcome& found) {
  ++counts_.answers;
  // Kuma does not name the resources that it rejects, nor whose a name is that is taken.
  static const std::regex naming(R"re(^[A-Za-z]+ "[^"]*"( mesh "[^"]*")?: |; it is of .* and was sent by .*$)re");
  // Plain ACKs are what recordings leave out.
  const auto kind = recorded.kind == Outcome::Kind::none && event.is_response ? Outcome::Kind::ack : recorded.kind;
  const auto lines = [](const std::string& text) {
    std::multiset<std::string> out;
    for (std::size_t from = 0; from <= text.size();) {
      const auto end = std::min(text.find('\n', from), text.size());
      out.insert(std::regex_replace(text.substr(from, end - from), naming, ""));
      from = end + 1;
    }
    return out;
  };
  if (kind == found.kind && lines(recorded.text) == lines(found.text)) return;
  differ("event " + std::to_string(event.index), found.describe() + " instead of " + recorded.describe());
}

bool Replay::is_alive(const std::optional<StreamId>& stream) const { return stream && !plane_.ended.contains(*stream); }

// Delivers what kdsd sends until nothing moves.
void Replay::settle() {
  plane_.step();
  while (!plane_.outgoing.empty()) {
    for (const auto& sent : std::exchange(plane_.outgoing, {})) {
      for (const auto& link : links_) {
        if (link->in == sent.stream) {
          on_asked(*link, sent.bytes);
        } else if (link->out == sent.stream) {
          on_sent(*link, sent.bytes);
        } else {
          continue;
        }
        break;
      }
    }
    plane_.step();
  }
}

void Replay::on_asked(Link& link, const std::string& bytes) {
  auto request = decode_request(bytes);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->node_id, link.zone);
  if (request->is_nack || request->subscribe.empty()) {
    link.answers.push_back(std::move(*request));
  } else {
    EXPECT_EQ(request->subscribe, std::vector<std::string>{"*"});
    link.sent_asked.insert(request->type);
  }
}

// The types that a control plane asks for; no side depends on their order.
void Replay::compare_asked() {
  for (const auto& [number, link] : connections_) {
    if (link->recorded_asked.empty() || recording_->leaves_out()) continue;
    if (link->recorded_asked != link->sent_asked)
      differ("connection " + std::to_string(number), "asks for other types");
  }
}

void Replay::on_sent(Link& link, const std::string& bytes) {
  const auto type = type_of(bytes);
  const bool is_full = link.sent_types.insert(type).second;
  // A type that nobody knows may be asked for, and is answered.
  if (Catalogue::builtin().find(type) == nullptr) return;
  auto response = decode_response(bytes, Catalogue::builtin());
  ASSERT_TRUE(response.ok()) << response.status().text();
  link.sent.apply(*response, is_full);
  if (is_scripted() || !is_alive(link.out)) return;
  auto answer = answer_to(*response, link.zone);
  for (const auto& received : response->resources) {
    const auto& rejected = rejected_[link.zone];
    const auto found = rejected.find(key_of(received.resource));
    if (found == rejected.end()) continue;
    answer.is_nack = true;
    answer.subscribe = {"*"};
    answer.error_text = found->second;
  }
  plane_.core->received(*link.out, encode_request(answer));
}

// One that goes on is told once.
void Replay::differ(const std::string& place, const std::string& text, const std::string& name) {
  const auto id = place.starts_with("event ") ? recording_->name() + place : place + name;
  if (std::exchange(reported_[id], text) != text) differences_.push_back({recording_->name(), place, text});
}

}  // namespace kdsd::kds::replay
