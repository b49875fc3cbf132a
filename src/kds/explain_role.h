// The role of a policy with the reason for it in words (policy-semantics.md 1).
//
// Pure. The role itself comes from policy::compute_role and role_of_relayed.
#pragma once

#include <boost/json/value.hpp>

#include "kds/explain.h"

namespace kdsd::kds {

// `plane`: the control plane that holds `resource`. `spec` as its author wrote it.
RoleFacts explain_role(const Resource& resource, const boost::json::value& spec, const policy::ControlPlaneKind& plane);

}  // namespace kdsd::kds
