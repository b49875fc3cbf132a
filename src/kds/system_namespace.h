// A system namespace that is called otherwise from this start on (namespaces.md 1): everything that stands in it moves.
//
// Pure; one transaction, before any stream is open. References need nothing: they are derived from what was received
// (policy/references.h).
#pragma once

#include "kds/transaction.h"
#include "model/status.h"
#include "policy/control_plane.h"

namespace kdsd::kds {

// The namespace a store was last used with is one of its facts. If the control plane has another one now, own resources
// of the old one move with labels to match, copies move with the labels their authors gave them, and policies of what
// was a custom namespace until now become policies of the system. Code::conflict, and nothing moves, when a name is
// taken in the new namespace already.
Status rename_system_namespace(Transaction& transaction, const policy::ControlPlaneKind& control_plane);

}  // namespace kdsd::kds
