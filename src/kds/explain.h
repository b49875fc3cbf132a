// Why a resource is where it is: its role, the rule that decides, its name and its references in every place, and who
// gets it (policy-semantics.md 12.5). The same for what is stored and for what somebody is about to write.
//
// Pure. Decides nothing by itself: it asks audience_of, wire_name, the rules for references and the resolver, and puts
// their answers side by side.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kds/known_world.h"
#include "model/resource.h"
#include "policy/control_plane.h"
#include "policy/resolve.h"

namespace kdsd::kds {

struct Origin {
  bool is_global = false;
  std::string zone;
  std::string namespace_;
  std::optional<policy::Environment> environment;  // nothing: the author did not say
};

struct RoleFacts {
  std::string computed;  // `invalid` where there is none
  std::string declared;  // by the author's control plane; `system` where the label is missing
  std::string why;       // a sentence about `computed`
};

struct ZoneDecision {
  std::string zone;
  bool sent = false;
  std::string reason;  // a word of reasons.h
};

// Somewhere the resource is, or will be by the rules.
struct Place {
  bool is_global = false;
  std::string zone;        // empty: the global
  bool is_here = false;    // the control plane that was asked
  bool is_author = false;  // where it is written
  std::string name;
  std::optional<std::string> namespace_;  // empty: there are none; nothing: the control plane never told
};

struct ExplainedReference {
  std::string path;
  boost::json::object written;             // by the author
  boost::json::object here;                // as it is used on the control plane that was asked
  std::vector<boost::json::object> there;  // in each place, in the order of Explanation::places
  std::vector<policy::ResolvedObject> resolved;
};

struct Explanation {
  const ResourceType* type = nullptr;
  std::string mesh;
  std::string canonical_name;
  std::string kri;
  Origin origin;
  std::optional<RoleFacts> role;  // of policies
  std::string reason;
  std::optional<bool> to_global;  // nothing: the global is where it was written
  bool knows_zones = true;
  std::vector<ZoneDecision> zones;  // sorted by name
  std::vector<Place> places;        // the author's first, then the global, then zones by name
  std::vector<ExplainedReference> references;
  std::vector<std::string> warnings;
};

// `objects`: what references resolve to on the control plane that is asked.
Explanation explain(const Resource& resource, const World& world, const policy::ObjectLookup& objects);

// What the control plane `at` makes of a resource that `from` sends it, as far as names, labels and references go.
Resource arriving_copy(const Resource& resource, const Sending& from, const policy::ControlPlaneKind& at,
                       const PeerClass& form);

}  // namespace kdsd::kds
