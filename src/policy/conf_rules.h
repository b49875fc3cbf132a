// What the validators of the types say about the values inside their confs: durations, counts, ports, patterns, lists.
//
// Pure. For documents that users write here; peers are not held to it, because what another control plane has admitted
// must not be refused later (own_door.h). Fields and texts are those that users of Kuma know, odd ones too.
#pragma once

#include "policy/outcome.h"
#include "policy/type_rules.h"

namespace kdsd::policy {

// Appends in the order in which the type looks at its sections. Sections that may not be there at all are left out.
void check_conf(const PolicyView& policy, Outcome& outcome);

}  // namespace kdsd::policy
