// A policy with everything spelled out that its author may leave out (policy-semantics.md 2.3).
//
// Pure. The stored policy never changes by it; the view is for use and for showing.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "model/resource.h"
#include "policy/control_plane.h"
#include "policy/role.h"

namespace kdsd::policy {

struct EffectiveScope {
  std::string zone;        // empty: no limit
  std::string namespace_;  // empty: no limit
  friend bool operator==(const EffectiveScope&, const EffectiveScope&) = default;
};

struct ExplicitView {
  boost::json::value spec;
  EffectiveScope scope;
};

// `zone` and `namespace_` are those of the policy; an empty zone means that it originates on the global.
ExplicitView explicit_view(const boost::json::value& spec, Role role, const std::string& zone,
                           const std::string& namespace_);

// Of a stored policy, on the control plane that holds it: the author's words where it has them, which a global keeps.
ExplicitView explicit_view_of(const Resource& policy, const ControlPlaneKind& control_plane);

}  // namespace kdsd::policy
