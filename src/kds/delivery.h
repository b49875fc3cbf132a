// How far each peer is: which zone holds a resource in which version, since when, and what it refused last. Explain and
// metrics read the same positions.
//
// Pure; on the core executor.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kds/core.h"

namespace kdsd::kds {

// Every zone that has been connected since this process began; on a zone, `global`. Zones that left count as behind
// since they left, as soon as something changed.
std::map<std::string, PeerLag> lags_of(const Core& core);

// How many resources of each type are such that a connected peer refused their newest version, by peer and name of the
// type; a refusal that names none counts all that were in the refused response. Types without any are left out.
std::map<std::string, std::map<std::string, std::size_t>> rejected_of(const Core& core);

// How many resources of each type a connected zone does not get because its API server would refuse them, by zone and
// name of the type. Zones without any are left out.
std::map<std::string, std::map<std::string, std::size_t>> spared_of(const Core& core);

enum class DeliveryState : std::uint8_t {
  held,        // the zone answered for the newest version
  rejected,    // it refused it
  on_the_way,  // sent, no answer yet
  pending,     // not sent yet
  held_back,   // the first state of the type does not fit into one message of this peer
  not_asked,   // its control plane never asked for the type
  absent,      // it does not get the resource, and has none
  offline,     // no stream; `holds` is what it had when it left
  unknown,     // not connected since this process began
};
std::string_view text(DeliveryState state);

enum class Holds : std::uint8_t { unknown, nothing, older, newest };
std::string_view text(Holds holds);

struct Delivery {
  bool is_online = false;
  Timestamp since;  // connected since, or gone since; 0: unknown
  DeliveryState state = DeliveryState::unknown;
  Holds holds = Holds::unknown;
  Revision revision;      // newest one of the resource
  Revision sent;          // of the type: everything up to here was sent
  Revision acknowledged;  // of the type: everything up to here was answered
  PeerLag lag;            // of the type
  std::string held_back_reason;
  std::optional<Rejection> last_rejection;  // that names the resource, or a whole response that held it
};

// `gets`: whether the rules send the newest version to the zone.
Delivery delivery_of(const Core& core, const Entry& entry, const std::string& zone, bool gets);

}  // namespace kdsd::kds
