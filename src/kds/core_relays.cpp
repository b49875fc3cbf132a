// Which zones have delivered what they have, and who waits for those that have not (relay_hold.h).
#include "kds/core.h"
#include "model/log_text.h"

namespace kdsd::kds {
namespace {

// A Kuma zone says nothing about types that it has nothing of (kds-protocol.md 3.4): silence for so long, after its
// other types have come, means that there is nothing more.
constexpr std::int64_t silence_nanos = 3'000'000'000;

std::string delivered_fact(const std::string& zone) { return "delivered." + zone; }

}  // namespace

void Core::expect_zone(const std::string& zone) {
  const Staged nothing;
  const Transaction view(index_, nothing, now_);
  const auto fact = committer_.facts().find(delivered_fact(zone));
  const bool has_delivered = fact != committer_.facts().end() && !fact->second.empty();
  if (view.find(*catalogue_.find("Zone"), "", zone) && zone_enabled(view, zone) && !has_delivered) {
    relay_hold_.expect(zone);
  } else if (relay_hold_.remove(zone)) {
    release_waiting();
  }
}

bool Core::has_to_wait(const Stream& stream) const {
  return relay_hold_.has_to_wait(stream.peer) ||
         (stream.sender->came_from_another_store() && relay_hold_.may_expect_unknown(now_));
}

// Before the first response of a stream, and again when it shows that its zone comes from another global.
void Core::hold_relays(Stream& stream) {
  if (stream.sender->came_from_another_store()) relay_hold_.expect_unknown(now_);
  if (stream.sender->is_waiting() || !has_to_wait(stream)) return;
  auto whom = relay_hold_.begin(stream.peer, now_);
  if (whom.empty()) whom = "zones that this global does not know yet";
  log(LogEffect::Level::info, "zone=" + stream.peer + " relays=wait for=" + log_quoted(whom));
  stream.sender->wait_for_others(whom + " to send what it has");
}

void Core::note_delivery(Stream& stream) {
  if (!is_global() || stream.pending > 0 || !relay_hold_.is_missing(stream.peer)) return;
  // Looked at with every tick: a slow store would be given one write for each.
  if (stream.noting_delivery) return;
  const bool is_silent = stream.heard_at.nanos != 0 && now_.nanos - stream.heard_at.nanos >= silence_nanos;
  if (!stream.receiver->has_every_type() && !is_silent) return;
  stream.noting_delivery = true;
  Write write;
  write.decide = [this, zone = stream.peer](Transaction& transaction) {
    // Meanwhile deleted: a zone of that name has to deliver again.
    if (transaction.find(*catalogue_.find("Zone"), "", zone)) transaction.set_fact(delivered_fact(zone), "yes");
    return Status();
  };
  write.done = [this, id = stream.id, zone = stream.peer](const Status& status) {
    if (auto it = streams_.find(id); it != streams_.end()) it->second->noting_delivery = false;
    if (status.ok()) expect_zone(zone);
  };
  (void)submit_write(std::move(write), true);
}

void Core::check_deliveries() {
  for (auto& [id, stream] : streams_) {
    if (stream->receiver && !stream->waiting) note_delivery(*stream);
  }
  const auto given_up = relay_hold_.give_up(now_);
  for (const auto& zone : given_up) {
    log(LogEffect::Level::warn,
        "zone=" + zone +
            " delivered=no reason=\"it has sent nothing yet; other zones now get their state without it\"");
  }
  release_waiting();
}

void Core::release_waiting() {
  for (auto& [id, stream] : streams_) {
    if (!stream->sender || !stream->sender->is_waiting() || has_to_wait(*stream)) continue;
    stream->sender->stop_waiting();
    pump(*stream);
  }
}

}  // namespace kdsd::kds
