// Rules for what users write here that peers are not held to (policy-semantics.md 5.2), and with them, in the order in
// which they are told, those that peers are held to as well (validate.h).
//
// Pure. What a Kuma zone has admitted must not be refused later, so nothing of the former touches resources received
// over KDS.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "model/catalogue.h"
#include "model/labels.h"
#include "policy/control_plane.h"
#include "policy/outcome.h"

namespace kdsd::policy {

// A backend reference from a namespaced route into another namespace.
struct BackendUse {
  std::string from_kind;  // MeshHTTPRoute, MeshTCPRoute
  std::string from_namespace;
  std::string to_kind;
  std::string to_namespace;
  std::string to_name;
};
using GrantCheck = std::function<bool(const BackendUse&)>;

struct OwnDoor {
  const ControlPlaneKind* control_plane = nullptr;
  std::string namespace_;  // of the resource; empty without namespaces
  GrantCheck granted;      // empty: nothing is granted
};

// V-NS-1 and V-NS-2.
void check_namespace(const ResourceType& type, const OwnDoor& door, Outcome& outcome);

// V-ROLE, V-RT, V-GW, V-REF-5 for MeshMultiZoneService, V-NS-3, V-MTP, and the warnings W-ZONE-1 and W-NS-1;
// among them the values inside confs (conf_rules.h).
// `semantic` is what validate_spec said; the result holds both, in the order of the rule table.
Outcome check_own_door(const ResourceType& type, const boost::json::value& spec, const OwnDoor& door, Outcome semantic);

// validate_spec with the role that the author's namespace gives, and check_own_door behind it.
Outcome check_spec_of_own(const ResourceType& type, const boost::json::value& spec, const Labels& labels,
                          std::string_view name, const OwnDoor& door);

// Namespace, labels and spec together: the verdict of policy-semantics.md 5 as a whole.
Outcome validate_own(const ResourceType& type, const boost::json::value& spec, const Labels& labels,
                     const std::string& mesh, std::string_view name, const OwnDoor& door);

}  // namespace kdsd::policy
