// What arrives: the rules by which a batch of a peer becomes changes of the store (kds-protocol.md 6).
//
// Pure: reads and writes through a transaction, so a batch is judged against exactly the state it changes.
#pragma once

#include <string>
#include <vector>

#include "kds/outbound.h"
#include "kds/receiver.h"
#include "kds/transaction.h"
#include "policy/control_plane.h"

namespace kdsd::kds {

namespace limits {
// Of the text of one NACK; what it leaves out is counted in it. A peer that sends much that is refused must not be
// answered with more than it takes in one message.
inline constexpr std::size_t nack_text_bytes = 256 << 10;
inline constexpr std::size_t nack_line_bytes = 4 << 10;  // of one resource
}  // namespace limits

// The receiving control plane and the peer that sends.
struct Receiving {
  policy::ControlPlaneKind control_plane;
  std::string zone;                    // global: the zone that sends
  bool peer_hashes_names = true;       // global: request metadata had `hash-suffix` (6.3, step 1)
  bool zones_prove_names = false;      // global: no zone may take what another one's labels name
  std::string store_resume_as;         // fact under which the sender's resume token is kept
  const Sending* relays_as = nullptr;  // global: how it sends on what it takes in; outlives the call

  bool is_global() const { return control_plane.is_global(); }
};

// A resource that was refused because another one has the name.
struct NameConflict {
  std::string mesh;  // of the refused one, with its name as it came
  std::string name;
  ResourceKey holder;
  std::string relayed_name;  // what both would be called elsewhere; empty where they have one name here
};

// Made here, and replaced or removed because of what the global sent.
struct LostResource {
  std::string resource;
  std::string reason;
};

struct Applied {
  std::vector<RejectedResource> rejected;
  std::vector<NameConflict> conflicts;  // of these, what may be taken once the holder is gone
  std::string nack_text;                // empty: ACK
  std::size_t created = 0;
  std::size_t updated = 0;
  std::size_t removed = 0;
  std::size_t unchanged = 0;
  std::size_t dropped = 0;             // out of scope, acknowledged all the same (6.2)
  std::size_t misnamed = 0;            // names that belong to somebody else
  std::vector<std::string> corrected;  // wire names of what named another zone, or the global, as its origin
  std::vector<LostResource> own_lost;
};

// Never fails as a whole; what is refused is listed. Undoes nothing: the transaction is committed with the rest.
Applied apply_incoming(Transaction& transaction, const Incoming& incoming, const Receiving& receiving);

}  // namespace kdsd::kds
