// One canonical name, one own resource (policy-semantics.md 4.9): references by name find an object by it, and on the
// wire two resources of one name would be one.
//
// Pure; asks the transaction, so it also sees what earlier writes of the same commit make.
#pragma once

#include "kds/outbound.h"
#include "kds/transaction.h"

namespace kdsd::kds {

// Refuses an own resource whose canonical name another own resource of its type has already: field
// `labels["kuma.io/display-name"]`. Copies are not asked: their names are the business of who sends them.
Status check_unique_name(const Transaction& transaction, const Resource& resource, const Sending& sending);

}  // namespace kdsd::kds
