// Streams of the core: messages in, answers and responses out.
#include <algorithm>

#include "kds/core.h"
#include "model/log_text.h"
#include "policy/names.h"

namespace kdsd::kds {
namespace {

// Requests this side may have queued: first requests of all types and one answer each.
constexpr std::size_t outbox_max = 512;

// Resources of one batch that are named in the log as lost; with a mesh may go thousands.
constexpr std::size_t lost_named_max = 100;

}  // namespace

Result<StreamId> Core::opened(const StreamOpened& opened) {
  if (draining_) return Status(Code::unavailable, "shutting down");
  if (is_global() && !policy::is_zone_name(opened.peer_zone)) {
    return Status(Code::invalid,
                  "\"" + opened.peer_zone + "\" is no zone name: a DNS label of at most 63 lower-case characters");
  }
  if (is_admin(opened.kind)) return open_proxy_stream(opened);
  auto proof = authenticate(opened.credentials());
  if (!proof.ok()) return proof.status();
  auto stream = std::make_unique<Stream>();
  stream->id = ++last_stream_;
  stream->kind = opened.kind;
  stream->peer = is_global() ? opened.peer_zone : std::string(source_global);
  stream->connection = opened.connection;
  stream->request_features = Features(opened.features);
  stream->opened_at = now_;
  stream->proof = {opened.credentials(), *proof};
  auto& added = *stream;
  streams_[added.id] = std::move(stream);
  if (!is_global()) {
    activate(added);
    return added.id;
  }
  const bool is_new = zones_.find(added.peer) == nullptr;
  auto& zone = zones_.at(added.peer);
  if (is_new) take_early_ping(added.peer, zone);
  zone.pings = zone.pings || added.request_features.has(feature::zone_ping_health);
  if (opened.token_provided) zone.token_provided = true;
  if (zone.connected() && zone.connection != added.connection) {
    // Which instance is behind the new connection shows with its first request on the other stream; until then the
    // older connection keeps the zone (design.md, Decisions: two connections of one zone).
    added.waiting = true;
    if (added.kind == StreamKind::global_to_zone) allow_read(added);
    return added.id;
  }
  // A second stream of the same kind on one connection: a client may share a connection between its calls.
  std::vector<StreamId> older;
  for (const auto& [id, other] : streams_) {
    const bool same = other->peer == added.peer && other->kind == added.kind && other->connection == added.connection;
    if (same && id != added.id) older.push_back(id);
  }
  zone.speak_through(added.connection);
  for (auto id : older) supersede(id, added, "superseded by a newer stream of the zone");
  activate(added);
  return added.id;
}

void Core::activate(Stream& stream) {
  stream.waiting = false;
  if (is_global()) register_zone(stream.peer);
  const bool sends = is_global() == (stream.kind == StreamKind::global_to_zone);
  if (sends) {
    begin_sending(stream);
  } else {
    begin_receiving(stream);
  }
  allow_read(stream);
  pump(stream);
}

void Core::begin_sending(Stream& stream) {
  if (is_global()) zones_.at(stream.peer).sender_stream = stream.id;
  SenderOptions options;
  options.receiver = stream.peer;
  options.identifier = is_global() ? std::string(source_global) : options_.control_plane.zone;
  options.store_id = store_id_;
  options.epochs = epochs_;
  options.message_bytes_max = std::min(options_.foreign_message_bytes_max, options_.message_bytes_max);
  options.own_message_bytes_max = options_.message_bytes_max;
  options.provided = provided_types();
  for (const auto& name : options_.derived_types) options.derived.insert(catalogue_.find(name));
  stream.sender.emplace(std::move(options), index_, cache_);
  if (is_global()) hold_relays(stream);
}

void Core::begin_receiving(Stream& stream) {
  if (is_global()) zones_.at(stream.peer).receiver_stream = stream.id;
  ReceiverOptions options;
  options.node_id = is_global() ? stream.peer : options_.control_plane.zone;
  options.node = options_.node;
  if (is_global()) options.node.config.clear();
  options.wanted = wanted_types();
  stream.receiver.emplace(std::move(options), catalogue_);
  // The tokens have to say what is held. What an earlier stream of the peer delivered may still be on its way into the
  // store, so this stream asks when all writes before it are through.
  Write barrier;
  barrier.decide = [](Transaction&) { return Status(); };
  barrier.done = [this, id = stream.id](const Status&) { ask(id); };
  (void)submit_write(std::move(barrier), true);
}

void Core::ask(StreamId id) {
  auto it = streams_.find(id);
  if (it == streams_.end()) return;
  auto& stream = *it->second;
  const auto prefix = "resume." + stream.peer + ".";
  std::map<std::string, std::string> resume;
  for (auto fact = committer_.facts().lower_bound(prefix);
       fact != committer_.facts().end() && fact->first.starts_with(prefix); ++fact) {
    if (!fact->second.empty()) resume[fact->first.substr(prefix.size())] = fact->second;
  }
  stream.receiver->set_resume(std::move(resume));
  stream.heard_at = now_;
  for (auto& request : stream.receiver->start()) stream.outbox.push_back(std::move(request));
  pump(stream);
}

void Core::allow_read(Stream& stream) {
  if (stream.reading || stream.pending >= limits::responses_pending) return;
  stream.reading = true;
  effects_.push_back(ReadEffect{stream.id});
}

void Core::received(StreamId id, std::string_view bytes) {
  if (proxies_.knows(id)) return received_from_proxy_stream(id, bytes);
  auto it = streams_.find(id);
  if (it == streams_.end()) return;
  auto& stream = *it->second;
  stream.reading = false;
  if (bytes.size() > options_.message_bytes_max) {
    const auto text = too_large_text(bytes, options_.message_bytes_max, catalogue_);
    log(LogEffect::Level::warn, "peer=" + stream.peer + " refused=" + log_quoted(text));
    return close(id, CloseCode::resource_exhausted, text);
  }
  if (stream.waiting) {
    auto request = decode_request(bytes);
    if (!request.ok()) return close(id, CloseCode::internal, request.status().message());
    if (!take_over(stream, request->node.instance_id)) return;
  }
  if (stream.sender) {
    on_request(stream, bytes);
  } else {
    on_response(stream, bytes);
  }
}

void Core::on_request(Stream& stream, std::string_view bytes) {
  const auto id = stream.id;
  auto request = decode_request(bytes);
  if (!request.ok()) return close(id, CloseCode::internal, request.status().message());
  if (is_global() && request->has_node && request->node_id != stream.peer) {
    return close(id, CloseCode::internal,
                 "node id \"" + request->node_id + "\" is not the zone name \"" + stream.peer + "\"");
  }
  const bool was_started = stream.sender->started();
  const bool was_introduced = stream.sender->introduced();
  if (auto status = stream.sender->on_request(*request, now_); !status.ok()) {
    return close(id, CloseCode::internal, status.message());
  }
  if (!was_started && is_global()) {
    subscribe(stream);
  } else if (!was_introduced && stream.sender->introduced() && is_global()) {
    introduce(stream);
  }
  if (is_global()) hold_relays(stream);
  if (request->nonce.empty() || !catalogue_.find(request->type)) {
    stream.sender->take_answers();
  } else {
    auto& counters = counters_.types[request->type];
    for (const auto& answer : stream.sender->take_answers()) {
      counters_.delivery_nanos.push_back(answer.delay_nanos);
      if (answer.rejected) {
        const bool by_user = answer.text.starts_with("user error");
        ++(by_user ? counters.rejected_by_user : counters.rejected_otherwise);
        if (answer.is_repeated) continue;
        log(by_user ? LogEffect::Level::info : LogEffect::Level::warn,
            "peer=" + stream.peer + " type=" + request->type + " nonce=" + log_value(request->nonce) +
                " result=nack reason=" + log_quoted(answer.text));
      } else {
        ++counters.acknowledged;
        counters_.propagation_nanos.push_back(answer.age_nanos);
      }
    }
    if (is_global()) zones_.at(stream.peer).stats_dirty = true;
  }
  allow_read(stream);
  pump(stream);
}

void Core::on_response(Stream& stream, std::string_view bytes) {
  const auto id = stream.id;
  auto accepted = stream.receiver->accept(bytes);
  if (!accepted.ok()) return close(id, CloseCode::internal, accepted.status().message());
  auto incoming = std::make_shared<const Incoming>(std::move(*accepted));
  auto applied = std::make_shared<Applied>();

  Receiving receiving;
  receiving.control_plane = options_.control_plane;
  if (is_global()) {
    receiving.zone = stream.peer;
    receiving.relays_as = &sending_;
  }
  receiving.zones_prove_names = is_global() && options_.zone_authentication.is_on();
  receiving.peer_hashes_names = !is_global() || stream.request_features.has(feature::hash_suffix);
  receiving.store_resume_as = "resume." + stream.peer + ".";

  // Structured rejections are understood by who gives resume tokens.
  if (!incoming->response.version_info.empty()) {
    stream.receiver->set_peer_features(Features({std::string(feature::kdsd_structured_nack)}));
  }
  ++stream.pending;
  stream.heard_at = now_;
  counters_.types[incoming->type->name].received += 1;
  Write write;
  write.decide = [this, id, incoming, applied, receiving](Transaction& transaction) {
    // Its zone was deleted meanwhile, or a newer connection took over: the successor starts from what is stored.
    if (!streams_.contains(id)) return Status(Code::unavailable, "the stream has ended");
    if (is_global() && transaction.was_zone_deleted(receiving.zone))
      return Status(Code::not_found, "zone " + receiving.zone + " was deleted");
    if (is_global() && !transaction.find(*catalogue_.find("Zone"), "", receiving.zone)) {
      return Status(Code::not_found, "zone " + receiving.zone + " does not exist");
    }
    *applied = apply_incoming(transaction, *incoming, receiving);
    return Status();
  };
  write.done = [this, id, incoming, applied, at = now_](const Status& status) {
    answer(id, *incoming, *applied, at, status);
  };
  allow_read(stream);
  (void)submit_write(std::move(write), true);
}

void Core::answer(StreamId id, const Incoming& incoming, const Applied& applied, Timestamp received_at,
                  const Status& status) {
  auto it = streams_.find(id);
  if (it == streams_.end()) return;
  auto& stream = *it->second;
  --stream.pending;
  if (!status.ok())
    return close(id, CloseCode::internal, "could not store " + incoming.type->name + ": " + status.message());
  counters_.sync_nanos.push_back(now_.nanos - received_at.nanos);
  auto& counters = counters_.types[incoming.type->name];
  counters.refused += applied.rejected.size();
  counters.misnamed += applied.misnamed;
  for (const auto& refused : applied.rejected)
    ++counters_.refused_of_peers[stream.peer][refused.rule.empty() ? "invalid" : refused.rule];
  stream.conflicts.note(incoming, applied.conflicts);
  if (!applied.rejected.empty()) {
    stream.receiver->mark_rejected(incoming.type->name);
    log(LogEffect::Level::warn, "peer=" + stream.peer + " type=" + incoming.type->name +
                                    " refused=" + std::to_string(applied.rejected.size()) +
                                    " first=" + log_value(applied.rejected.front().name) +
                                    " reason=" + log_quoted(applied.rejected.front().text));
  }
  if (!applied.corrected.empty()) {
    counters_.refused_of_peers[stream.peer]["attribution"] += applied.corrected.size();
    log(LogEffect::Level::warn, "peer=" + stream.peer + " type=" + incoming.type->name +
                                    " attributed=" + std::to_string(applied.corrected.size()) + " first=" +
                                    log_value(applied.corrected.front()) + " reason=\"named another origin\"");
  }
  for (std::size_t i = 0; i < applied.own_lost.size(); ++i) {
    if (i == lost_named_max) {
      log(LogEffect::Level::warn,
          "peer=" + stream.peer + " lost-more=" + std::to_string(applied.own_lost.size() - lost_named_max));
      break;
    }
    const auto& lost = applied.own_lost[i];
    log(LogEffect::Level::warn,
        "peer=" + stream.peer + " lost=" + log_value(lost.resource) + " reason=" + log_quoted(lost.reason));
  }
  if (stream.outbox.size() >= outbox_max)
    return close(id, CloseCode::resource_exhausted, "the peer does not read its answers");
  stream.outbox.push_back(stream.receiver->answer(incoming, applied.rejected, applied.nack_text));
  note_delivery(stream);
  allow_read(stream);
  pump(stream);
}

void Core::pump(Stream& stream) {
  if (stream.writing || stream.waiting) return;
  if (!stream.outbox.empty()) {
    Message message;
    message.append(std::move(stream.outbox.front()));
    stream.outbox.pop_front();
    return write(stream, std::move(message));
  }
  if (!stream.sender) return;
  auto message = stream.sender->next(now_);
  for (const auto& reason : stream.sender->take_held_back()) {
    log(LogEffect::Level::warn, "zone=" + stream.peer + " held-back=" + log_quoted(reason));
  }
  if (!message) return;
  if (catalogue_.find(stream.sender->last_type()) != nullptr) {
    auto& counters = counters_.types[stream.sender->last_type()];
    ++counters.responses_sent;
    counters.response_bytes += message->bytes;
    counters_.sent.push_back({stream.sender->last_type(), message->bytes});
  }
  if (is_global()) zones_.at(stream.peer).stats_dirty = true;
  write(stream, std::move(*message));
}

void Core::write(Stream& stream, Message message) {
  stream.writing = true;
  stream.writing_at = now_;
  effects_.push_back(SendEffect{stream.id, std::move(message)});
}

void Core::check_sends() {
  if (options_.send_timeout_nanos <= 0) return;
  std::vector<StreamId> stuck;
  for (const auto& [id, stream] : streams_) {
    if (stream->writing && now_.nanos - stream->writing_at.nanos > options_.send_timeout_nanos) stuck.push_back(id);
  }
  for (auto id : stuck) close(id, CloseCode::unavailable, "the peer does not take what is sent");
}

void Core::written(StreamId id) {
  if (proxies_.knows(id)) {
    proxies_.written(id);
    return pump_proxy_stream(id);
  }
  auto it = streams_.find(id);
  if (it == streams_.end()) return;
  it->second->writing = false;
  pump(*it->second);
}

void Core::close(StreamId id, CloseCode code, const std::string& text) {
  if (!streams_.contains(id) && !proxies_.knows(id)) return;
  effects_.push_back(CloseEffect{id, code, text});
  closed(id, text);
}

void Core::closed(StreamId id, const std::string& why) {
  if (proxies_.knows(id)) return forget_proxy_stream(id, why);
  if (streams_.contains(id)) forget(id, why);
}

std::vector<StreamInfo> Core::streams() const {
  std::vector<StreamInfo> out;
  for (const auto& [id, stream] : streams_) {
    StreamInfo info;
    info.id = id;
    info.kind = stream->kind;
    info.peer = stream->peer;
    info.sending = stream->sender.has_value();
    if (stream->sender) {
      info.stats = stream->sender->totals();
      for (const auto& [name, state] : stream->sender->types()) {
        if (state.mode == Sender::Mode::awaiting) {
          ++info.outstanding;
          info.outstanding_bytes += state.sent_bytes;
        }
        if (state.mode == Sender::Mode::held_back) ++info.held_back;
      }
    }
    info.buffer_bytes = info.outstanding_bytes;
    for (const auto& message : stream->outbox) info.buffer_bytes += message.size();
    out.push_back(std::move(info));
  }
  return out;
}

const Sender* Core::sender_of(const std::string& peer) const {
  if (is_global()) {
    const auto* zone = zones_.find(peer);
    const auto it = zone == nullptr ? streams_.end() : streams_.find(zone->sender_stream);
    return it != streams_.end() && it->second->sender ? &*it->second->sender : nullptr;
  }
  for (const auto& [id, stream] : streams_) {
    if (stream->peer == peer && stream->sender) return &*stream->sender;
  }
  return nullptr;
}

}  // namespace kdsd::kds
