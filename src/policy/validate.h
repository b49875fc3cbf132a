// The semantic rules of a type: what its validator says about a spec that fits the schema.
//
// Pure. Kuma's lists, shapes and texts only, so it serves both the own door and resources that arrive over KDS
// (policy-target-refs.md 4 and 5, kds-protocol.md 6.7). The stricter rules of the own door: own_door.h.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "model/catalogue.h"
#include "model/labels.h"
#include "policy/outcome.h"

namespace kdsd::policy {

// Field paths begin with `spec`; `name` alone where the display name is too long. `labels` tell the role (which decides
// lists of kinds) and the display name; `name` is what counts where there is no such label.
Outcome validate_spec(const ResourceType& type, const boost::json::value& spec, const Labels& labels,
                      std::string_view name = {});

// What a control plane holds a resource to that a peer sent (kds-protocol.md 6.1, step 2): validate_spec, and the rules
// for values inside confs (conf_rules.h).
Outcome validate_received(const ResourceType& type, const boost::json::value& spec, const Labels& labels,
                          std::string_view name);

}  // namespace kdsd::policy
