// What the validators of the types say about the values inside their confs: durations, counts, ports, patterns, lists.
//
// Pure. For documents that users write here and for what peers send: a Kuma control plane holds both to the same rules
// (kds-protocol.md 6.1, step 2). Fields and texts are those that users of Kuma know, odd ones too.
#pragma once

#include "policy/outcome.h"
#include "policy/type_rules.h"

namespace kdsd::policy {

// Appends in the order in which the type looks at its sections. Sections that may not be there at all are left out.
void check_conf(const PolicyView& policy, Outcome& outcome);

// The same into what other rules have found, in the order of the items. What they have said about a value already is
// not said again.
void add_conf_violations(const PolicyView& policy, Outcome& semantic);

}  // namespace kdsd::policy
