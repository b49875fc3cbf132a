// What should be where, computed slowly and plainly from the specification (kds-protocol.md 5, 7, 8;
// policy-semantics.md 1.2 and 3), without the code under test: only the name hash is shared with it.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "sim_store.h"

namespace kdsd::sim {

// A control plane as far as the rules depend on it.
struct Place {
  std::string zone;            // empty: the global
  bool is_kubernetes = false;  // stores namespaced kinds with a suffix
  std::string system_namespace = "kuma-system";
  std::set<std::string> features;
};

// A resource as it should stand at its destination.
struct Wanted {
  ResourceKey key;  // as stored there
  std::string wire_name;
  Labels labels;
  std::string spec;
  std::string status;            // compared on the global only
  ResourceKey from;              // where the sender has it
  bool only_if_enabled = false;  // relayed: hangs on the Zone object of its origin
};

using WantedMap = std::map<ResourceKey, Wanted>;

// What a zone's resource becomes on the global; nothing when it stays.
std::optional<Wanted> reaches_global(const Resource& resource, const Place& zone, const Place& global);

// What a resource of the global becomes in a zone. `ignore_disabled`: as if every Zone were enabled.
std::optional<Wanted> reaches_zone(const Resource& resource, const Resources& of_global, const Place& global,
                                   const Place& zone, bool ignore_disabled = false);

// All of it, of one type or (null) of all.
WantedMap wanted_by_global(const Resources& of_zone, const Place& zone, const Place& global, const ResourceType* type);
WantedMap wanted_by_zone(const Resources& of_global, const Place& global, const Place& zone, const ResourceType* type);

// Whether something stands there that was not made there.
bool is_foreign(const Resource& resource, const Place& place);

// The name under which a receiver keeps what arrives as `wire_name`.
std::string kept_as(const ResourceType& type, const std::string& wire_name, const Place& place);

bool keeps_name_on_the_way_down(const ResourceType& type);

// Whether two specs of a type mean the same: JSON whatever its spelling, everything else byte for byte.
bool same_meaning(const ResourceType& type, const std::string& a, const std::string& b);

}  // namespace kdsd::sim
