// A stored resource and the entry that the change log keeps of it.
//
// Values. A Resource is immutable once it is shared (`ResourcePtr`); whoever changes one makes a new one.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/catalogue.h"
#include "model/labels.h"

namespace kdsd {

// Position in the change log of one store; every committed change of a resource gets its own, rising. 0 is before all.
struct Revision {
  std::uint64_t value = 0;
  friend auto operator<=>(const Revision&, const Revision&) = default;
};

// Nanoseconds since 1970 in UTC; 0 means unknown and is shown as the year 1.
struct Timestamp {
  std::int64_t nanos = 0;
  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

// Identity of a resource within a control plane.
struct ResourceKey {
  const ResourceType* type = nullptr;
  std::string mesh;  // empty for global scope
  std::string name;

  std::string text() const;  // MeshTimeout/default/slow
  friend bool operator==(const ResourceKey&, const ResourceKey&) = default;
  // By type name, mesh, name, bytewise: the order of lists, and a fixed one wherever order is seen.
  friend bool operator<(const ResourceKey& a, const ResourceKey& b);
};

struct Resource {
  const ResourceType* type = nullptr;
  std::string mesh;
  std::string name;
  Labels labels;
  // Proto types: deterministic binary of the message. JSON types: the JSON text. As received, byte for byte, if it came
  // over KDS.
  std::string spec;
  // JSON text; empty where the type has no status or none is known.
  std::string status;
  Timestamp created;
  Timestamp modified;
  // Who sent it: empty for what was created here, else the zone's name, or `global` on a zone. A copy is never edited
  // here.
  std::string source;
  // The version text the sender gave it (copies only); offered back to a sender that can resume from versions.
  std::string source_version;

  bool is_copy() const { return !source.empty(); }
  ResourceKey key() const { return {type, mesh, name}; }
};

using ResourcePtr = std::shared_ptr<const Resource>;

inline constexpr std::string_view source_global = "global";

// Who may receive a resource (policy-semantics.md 3.5). A zone's own sender knows one receiver only and uses
// nobody/everybody.
struct Audience {
  enum class Kind : std::uint8_t { nobody, everybody, everybody_but, only };
  Kind kind = Kind::nobody;
  std::string zone;  // for everybody_but and only

  bool includes(std::string_view receiver) const;
  std::string text() const;  // nobody, everybody, everybody-but:east, only:west
  static Audience parse(std::string_view text);
  friend bool operator==(const Audience&, const Audience&) = default;
};

// What a peer can take, where that decides whether a resource may be sent to it (kds-protocol.md 5.1, rules 4, 5 and 7,
// and 6.7).
namespace feature_bit {
inline constexpr std::uint8_t producer_policy_flow = 1;
inline constexpr std::uint8_t optional_target_ref = 2;
inline constexpr std::uint8_t multizone_generator = 4;
// Keeps resources in a store of its own; no API server stands between that could refuse one.
inline constexpr std::uint8_t own_store = 8;
}  // namespace feature_bit

// From `since` on, until the next one in the list begins, these receivers had the resource under this name.
struct Presence {
  Revision since;
  Audience audience;
  std::string wire_name;
  std::uint8_t needs = 0;  // bits of `feature_bit`: receivers without one of them do not get it
  friend bool operator==(const Presence&, const Presence&) = default;
};

// Newest state of one key in the change log: a live resource, or a tombstone that remembers who may still hold it.
struct Entry {
  ResourceKey key;
  Revision revision;
  ResourcePtr resource;             // null: deleted
  std::vector<Presence> presences;  // oldest first, rising `since`; the last one is in effect

  const Presence& current() const { return presences.back(); }
  // What was in effect when `at` was the newest revision; null if the resource did not exist then.
  const Presence* presence_at(Revision at) const;
};

using EntryPtr = std::shared_ptr<const Entry>;

}  // namespace kdsd
