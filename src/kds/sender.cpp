#include "kds/sender.h"

#include <algorithm>
#include <utility>

#include "model/clipped.h"

namespace kdsd::kds {
namespace {

constexpr std::int64_t held_back_pause_nanos = 2'000'000'000;
constexpr std::int64_t repeated_rejection_nanos = 60'000'000'000;
constexpr std::size_t message_overhead_bytes = 1024;  // of all but the resources

}  // namespace

Sender::Sender(SenderOptions options, const Index& index, EncodedCache& cache)
    : options_(std::move(options)), index_(index), cache_(cache), peer_(KnownFeatures::of(node_)) {}

Status Sender::on_request(const Request& request, Timestamp now) {
  if (request.type.empty()) return Status(Code::malformed, "a request without type_url");
  if (request.type.size() > limits::type_name_bytes) return Status(Code::malformed, "type_url is no name of a type");
  if (!request.has_node || request.node_id.empty()) return Status(Code::malformed, "a request without node id");
  started_ = true;
  if (!introduced_ && request.has_metadata) {
    // They count once, from the first request of the stream that has them (3.3).
    introduced_ = true;
    node_ = request.node;
    features_ = request.node.features;
    peer_ = KnownFeatures::of(node_);
  }
  const auto* type = index_.catalogue().find(request.type);
  if (type == nullptr && !types_.contains(request.type) &&
      types_.size() >= index_.catalogue().types().size() + limits::unknown_types) {
    return Status(Code::exhausted, "too many unknown types asked for");
  }
  auto& state = types_[request.type];
  if (state.mode == Mode::unasked) {
    if (auto status = first_request(request, state, type); !status.ok()) return status;
    state.unsent_since = now;
  } else {
    on_answer(request, state, now);
  }
  dirty_.insert(request.type);
  return {};
}

void Sender::on_change(const ResourceType& type, Timestamp now) {
  dirty_.insert(type.name);
  auto it = types_.find(type.name);
  if (it != types_.end() && it->second.unsent_since.nanos == 0) it->second.unsent_since = now;
  if (type.name != "Mesh") return;
  for (const auto* derived : options_.derived) dirty_.insert(derived->name);
}

Status Sender::first_request(const Request& request, TypeState& state, const ResourceType* type) {
  const bool wildcard = request.subscribe.empty() ||
                        std::find(request.subscribe.begin(), request.subscribe.end(), "*") != request.subscribe.end();
  state.mode = Mode::ready;
  state.peer = peer_;
  state.takes_parts = features_.has(feature::kdsd_chunked);
  state.announced = wildcard;
  if (type != nullptr) state.held = request.held;
  ResumeToken token;
  const bool has_token = ResumeToken::parse(request.node.resume, token);
  if (has_token && token.store_id != options_.store_id) came_from_another_store_ = true;
  if (type != nullptr && has_token && token.store_id == options_.store_id &&
      options_.epochs.knows(token.epoch, token.revision, index_.head()) && token.feature_bits == state.peer.bits &&
      token.revision >= index_.floor(*type)) {
    state.cursor = token.revision;
    state.resumed = true;
    state.held.clear();
  }
  return {};
}

void Sender::on_answer(const Request& request, TypeState& state, Timestamp now) {
  // Nonces are not compared (3.4): any request of the type re-arms it, an empty one forces a response.
  if (request.nonce.empty()) {
    state.announced = true;
  } else if (request.is_nack) {
    ++state.stats.rejected;
    record_rejection(request, state, now);
  } else {
    ++state.stats.acknowledged;
  }
  if (state.mode != Mode::awaiting) return;
  if (!request.nonce.empty()) {
    answers_.push_back({request.type, request.is_nack, now.nanos - state.sent_at.nanos,
                        now.nanos - state.behind_since.nanos, request.error_text,
                        request.is_nack && is_told_already(request, state, now)});
  }
  state.cursor = state.sent;
  state.behind_since = {};
  state.sent_bytes = 0;
  state.mode = Mode::ready;
}

bool Sender::is_told_already(const Request& request, TypeState& state, Timestamp now) const {
  const auto text = clipped(request.error_text, limits::rejection_text_bytes);
  const bool is_same = text == state.told_rejection;
  if (is_same && state.told_at.nanos != 0 && now.nanos - state.told_at.nanos < repeated_rejection_nanos) return true;
  state.told_rejection = text;
  state.told_at = now;
  return false;
}

void Sender::record_rejection(const Request& request, TypeState& state, Timestamp now) {
  auto rejected = request.rejected;
  if (rejected.empty()) rejected.push_back({request.type, "", "", "", request.error_text});
  if (rejected.size() > limits::rejections_kept) rejected.resize(limits::rejections_kept);
  for (auto& item : rejected) {
    for (auto* text : {&item.type, &item.mesh, &item.name, &item.rule, &item.text}) {
      *text = std::string(clipped(*text, limits::rejection_text_bytes));
    }
    state.rejections.insert(state.rejections.begin(), Rejection{std::move(item), state.cursor, state.sent, now});
  }
  if (state.rejections.size() > limits::rejections_kept) state.rejections.resize(limits::rejections_kept);
}

bool Sender::may_have(const Presence& presence, const TypeState& state) const {
  if ((presence.needs & state.peer.bits) != presence.needs) return false;
  return presence.audience.includes(options_.receiver);
}

bool Sender::spares(const Presence& presence) const {
  if (!started_ || (presence.needs & ~peer_.bits) != feature_bit::own_store) return false;
  return presence.audience.includes(options_.receiver);
}

void Sender::collect_entry(const Entry& entry, const TypeState& state, Part& part) const {
  const Presence* before = state.cursor.value == 0 ? nullptr : entry.presence_at(state.cursor);
  const bool had = before != nullptr && may_have(*before, state);
  const bool has = entry.resource != nullptr && may_have(entry.current(), state);
  EncodedPtr encoded;
  if (has) encoded = cache_.get(entry, state.peer.form);
  const std::string mesh = entry.key.type->mesh_scoped ? entry.key.mesh : std::string();
  const bool by_wire_name = state.peer.form.hashed || !entry.key.type->hashed;
  if (had && (!encoded || (by_wire_name && before->wire_name != entry.current().wire_name))) {
    part.removed.push_back((by_wire_name ? before->wire_name : entry.key.name) + "." + mesh);
    part.bytes += part.removed.back().size() + 4;
  }
  if (!encoded) return;
  if (!state.held.empty()) {
    auto held = state.held.find(encoded->key);
    if (held != state.held.end() && held->second == encoded->version) return;
  }
  // Sent all the same, it would end the stream, and the next one.
  if (!part.whole && encoded->bytes.size() + message_overhead_bytes > bytes_max(state)) {
    note_too_large(entry, encoded->bytes.size(), state, part);
    return;
  }
  part.bytes += encoded->bytes.size();
  part.resources.push_back(std::move(encoded));
}

Sender::Part Sender::collect(const ResourceType& type, const TypeState& state, bool whole) const {
  Part part;
  part.until = state.cursor;
  part.whole = whole;
  for (auto entry = index_.next_after(type, state.cursor); entry; entry = index_.next_after(type, part.until)) {
    if (!whole && (part.bytes >= limits::response_bytes || part.resources.size() >= limits::response_resources)) {
      part.complete = false;
      return part;
    }
    collect_entry(*entry, state, part);
    part.until = entry->revision;
  }
  part.until = index_.head();
  return part;
}

void Sender::wait_for_others(std::string reason) { waits_for_ = std::move(reason); }

void Sender::stop_waiting() {
  waits_for_.clear();
  for (auto& [name, state] : types_) {
    if (state.first_done || state.mode == Mode::unasked) continue;
    if (state.mode == Mode::held_back && state.held_back_count == 0) state.mode = Mode::ready;
    if (state.mode != Mode::held_back) state.announced = true;
    dirty_.insert(name);
  }
}

// With a token the peer says what it has, and nothing is deleted because it is not mentioned.
bool Sender::waits(const ResourceType& type, const TypeState& state) const {
  const bool depends_on_others = type.across_zones || options_.derived.contains(&type);
  return is_waiting() && depends_on_others && !state.first_done && !state.resumed;
}

bool Sender::is_unmade(const ResourceType& type) const {
  return options_.derived.contains(&type) && index_.count(type) < index_.count(*index_.catalogue().find("Mesh"));
}

std::size_t Sender::bytes_max(const TypeState& state) const {
  return state.takes_parts ? options_.own_message_bytes_max : options_.message_bytes_max;
}

void Sender::note_too_large(const Entry& entry, std::size_t bytes, const TypeState& state, Part& part) const {
  part.skipped_bytes += bytes;
  if (part.held_until.value == 0) part.held_until = Revision{entry.revision.value - 1};
  part.too_large.emplace_back(entry.key.text(), " has " + std::to_string(bytes) + " bytes for a peer that takes " +
                                                    std::to_string(bytes_max(state)) + " in one message");
}

void Sender::tell_too_large(const Part& part) {
  for (const auto& [key, text] : part.too_large) {
    if (told_too_large_.size() >= limits::too_large_told || !told_too_large_.insert(key).second) continue;
    newly_held_back_.push_back(key + text);
  }
}

void Sender::hold_back(const std::string& name, TypeState& state, std::size_t bytes, Timestamp now) {
  state.mode = Mode::held_back;
  state.held_back_at = now;
  if (const auto* type = index_.catalogue().find(name)) state.held_back_count = index_.count(*type);
  const bool is_new = state.held_back_reason.empty();
  state.held_back_reason = name + " has " + std::to_string(bytes) + " bytes for a peer that takes " +
                           std::to_string(options_.message_bytes_max) + " in one message and no parts";
  if (is_new) newly_held_back_.push_back(state.held_back_reason);
}

std::optional<Message> Sender::respond(const std::string& name, TypeState& state, Timestamp now) {
  const auto* type = index_.catalogue().find(name);
  if (type == nullptr || !options_.provided.contains(type)) {
    // Asked for what this side does not have: one empty answer, never an error (3.9).
    if (!state.announced) return std::nullopt;
    return build(name, state, Part{}, now);
  }
  const bool first = !state.first_done;
  if (first && !state.resumed && is_unmade(*type)) return std::nullopt;
  const bool must_wait = waits(*type, state);
  if (must_wait && !state.takes_parts) {
    state.mode = Mode::held_back;
    state.held_back_count = 0;
    state.held_back_reason = name + " waits for " + waits_for_;
    return std::nullopt;
  }
  // A Kuma peer takes the first response for the full state: it must not be split (pitfall 7).
  const bool whole = first && !state.resumed && !state.takes_parts;
  auto part = collect(*type, state, whole);
  if (must_wait && part.complete) {
    part.complete = false;
    if (part.resources.empty() && part.removed.empty()) {
      state.cursor = part.until;
      return std::nullopt;
    }
  }
  if (first && part.complete && !state.held.empty()) {
    for (const auto& [key, version] : state.held) {
      auto removed = parse_removed(*type, key);
      auto resource = state.peer.form.hashed ? index_.find_by_wire_name(*type, removed.mesh, removed.name)
                                             : index_.find(*type, removed.mesh, removed.name);
      auto entry = resource ? index_.find_entry(resource->key()) : nullptr;
      if (!entry || !entry->resource || !may_have(entry->current(), state)) part.removed.push_back(key);
    }
  }
  tell_too_large(part);
  // Of a first state nothing may be left out: the peer would delete what it has of it.
  if (first && !state.resumed && !part.too_large.empty()) {
    hold_back(name, state, part.bytes + part.skipped_bytes, now);
    return std::nullopt;
  }
  if (part.held_until.value != 0 && state.held_until.value == 0) state.held_until = part.held_until;
  if (whole && part.bytes + message_overhead_bytes > options_.message_bytes_max) {
    hold_back(name, state, part.bytes, now);
    return std::nullopt;
  }
  if (part.resources.empty() && part.removed.empty() && part.complete) {
    state.cursor = part.until;  // everything in between was not for this peer
    state.unsent_since = {};
    if (!state.announced) return std::nullopt;
  }
  return build(name, state, std::move(part), now);
}

std::optional<Message> Sender::build(const std::string& name, TypeState& state, Part part, Timestamp now) {
  ResponseHead head;
  head.type = name;
  head.nonce = std::to_string(++nonce_);
  head.sender = options_.identifier;
  head.removed = std::move(part.removed);
  if (state.takes_parts) {
    // A token says what the peer holds: nothing behind what was left out.
    const auto until = state.held_until.value == 0 ? part.until : std::min(part.until, state.held_until);
    ResumeToken token{options_.store_id, options_.epochs.current(), until, state.peer.bits};
    head.version_info = token.text();
    if (!state.first_done) {
      if (state.resumed) head.version_info += " resumed";
      if (!part.complete) head.version_info += " more";
    }
  }
  Message message;
  message.append(encode_response_head(head));
  for (const auto& encoded : part.resources) {
    message.append(std::shared_ptr<const std::string>(encoded, &encoded->bytes));
  }
  state.mode = Mode::awaiting;
  state.held_back_reason.clear();
  state.announced = !part.complete && !state.first_done;
  if (part.complete) {
    state.first_done = true;
    state.held.clear();
  }
  state.sent = part.until;
  state.behind_since = state.unsent_since.nanos == 0 ? now : state.unsent_since;
  if (part.complete) state.unsent_since = {};
  state.sent_at = now;
  state.sent_bytes = message.bytes;
  state.nonce = head.nonce;
  ++state.stats.sent;
  last_type_ = name;
  return message;
}

std::optional<Message> Sender::next(Timestamp now) {
  while (!dirty_.empty()) {
    auto name = *dirty_.begin();
    dirty_.erase(dirty_.begin());
    auto it = types_.find(name);
    if (it == types_.end()) continue;
    auto& state = it->second;
    // What did not fit may fit when there is less of it; anything else would collect the whole type at every change.
    if (state.mode == Mode::held_back) {
      const auto* type = index_.catalogue().find(name);
      if (state.held_back_count == 0) continue;
      if (type != nullptr && index_.count(*type) >= state.held_back_count) {
        state.has_changed = true;  // what is there may have become smaller
        continue;
      }
      state.mode = Mode::ready;
      state.announced = true;
    }
    if (state.mode != Mode::ready) continue;
    if (auto message = respond(name, state, now)) return message;
  }
  return std::nullopt;
}

bool Sender::retry_held_back(Timestamp now) {
  bool any = false;
  for (auto& [name, state] : types_) {
    if (state.mode != Mode::held_back || !state.has_changed) continue;
    if (now.nanos - state.held_back_at.nanos < held_back_pause_nanos) continue;
    state.has_changed = false;
    state.mode = Mode::ready;
    state.announced = true;
    dirty_.insert(name);
    any = true;
  }
  return any;
}

SenderStats Sender::totals() const {
  SenderStats out;
  for (const auto& [name, state] : types_) {
    out.sent += state.stats.sent;
    out.acknowledged += state.stats.acknowledged;
    out.rejected += state.stats.rejected;
  }
  return out;
}

TypePosition Sender::position(const ResourceType& type) const {
  TypePosition out;
  auto it = types_.find(type.name);
  if (it == types_.end() || it->second.mode == Mode::unasked) return out;
  const auto& state = it->second;
  out.is_asked = true;
  out.is_awaiting = state.mode == Mode::awaiting;
  if (state.mode == Mode::held_back) out.held_back_reason = state.held_back_reason;
  out.cursor = state.cursor;
  out.sent = out.is_awaiting ? state.sent : state.cursor;
  out.rejections = state.rejections;
  const auto head = index_.head(type);
  if (head <= state.cursor) return out;
  out.behind = head.value - state.cursor.value;
  out.behind_since = state.behind_since.nanos != 0 ? state.behind_since : state.unsent_since;
  return out;
}

PeerLag Sender::lag(Timestamp now) const {
  PeerLag out;
  for (const auto& [name, state] : types_) {
    if (state.behind_since.nanos == 0 && state.unsent_since.nanos == 0) continue;
    const auto* type = index_.catalogue().find(name);
    if (type == nullptr) continue;
    const auto behind = position(*type);
    out.revisions = std::max(out.revisions, behind.behind);
    if (behind.behind_since.nanos != 0) out.nanos = std::max(out.nanos, now.nanos - behind.behind_since.nanos);
  }
  return out;
}

std::vector<Sender::Answer> Sender::take_answers() { return std::exchange(answers_, {}); }

std::string Sender::describe(const std::string& type) const {
  auto it = types_.find(type);
  std::string out = options_.receiver + "/" + type;
  if (it == types_.end()) return out + " unasked";
  const auto& state = it->second;
  const auto* known = index_.catalogue().find(type);
  switch (state.mode) {
    case Mode::unasked:
      out += " unasked";
      break;
    case Mode::ready:
      out += " ready";
      break;
    case Mode::awaiting:
      out += " awaiting nonce=" + state.nonce;
      break;
    case Mode::held_back:
      out += " held-back";
      break;
  }
  out += " cursor=" + std::to_string(state.cursor.value);
  if (known != nullptr) out += " head=" + std::to_string(index_.head(*known).value);
  return out;
}

}  // namespace kdsd::kds
