// The receiving half of one stream: asks for types, turns responses into batches, and answers when a batch is durable
// (kds-protocol.md 3.3, 3.6).
//
// Pure; owned by the core executor. Duties of the caller, in order: send what `start` gives; for each response call
// `accept`; commit the batch it gives; when that is durable send what `answer` gives. Batches are answered in the order
// in which they were accepted.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kds/wire.h"

namespace kdsd::kds {

struct ReceiverOptions {
  std::string node_id;  // the zone name, in both directions
  NodeInfo node;        // what this side tells about itself
  std::vector<const ResourceType*> wanted;
  std::map<std::string, std::string> resume;  // type -> token text of the last exchange, as far as one is stored
};

// One response on its way into the store.
struct Incoming {
  Response response;
  const ResourceType* type = nullptr;
  bool is_full = false;  // the whole state of the type: what is not in it is to be removed
  bool more = false;     // another part of the same full state follows: nothing is removed yet
  std::set<std::pair<std::string, std::string>> seen;  // is_full and last part: (mesh, name) of all parts
  std::string resume_token;                            // to be stored with the batch; empty when the sender gives none
};

class Receiver {
 public:
  // `catalogue` must outlive the receiver.
  Receiver(ReceiverOptions options, const Catalogue& catalogue);

  // What the next `start` offers.
  void set_resume(std::map<std::string, std::string> resume) { options_.resume = std::move(resume); }

  // First requests of all wanted types, encoded.
  std::vector<std::string> start();

  // Decodes a response. An error ends the stream: an undecodable message, or a type that was not asked for.
  Result<Incoming> accept(std::string_view bytes);

  // ACK, or NACK when something was rejected. `text` is the text of a NACK as Kuma peers word it.
  std::string answer(const Incoming& incoming, const std::vector<RejectedResource>& rejected,
                     const std::string& text) const;

  // Something of the type was refused: from now on this stream's tokens of the type are not kept, so that the next
  // stream brings it again.
  void mark_rejected(const std::string& type) { types_[type].rejected = true; }

  // The peer's features, once it is known to take structured rejections.
  void set_peer_features(Features features) { peer_ = std::move(features); }
  // Whether the full state of every type has been taken.
  bool has_every_type() const;
  std::uint64_t responses() const { return responses_; }

 private:
  struct TypeState {
    const ResourceType* type = nullptr;
    bool rejected = false;
    bool done = false;                                   // the full state of this stream has been taken
    std::set<std::pair<std::string, std::string>> seen;  // while the parts of a full state arrive
  };
  ReceiverOptions options_;
  const Catalogue& catalogue_;
  std::map<std::string, TypeState> types_;
  Features peer_;
  std::uint64_t responses_ = 0;
};

}  // namespace kdsd::kds
