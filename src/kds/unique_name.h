// One canonical name, one resource (policy-semantics.md 4.9): references by name find an object by it, and on the
// wire two resources of one name would be one.
//
// Pure; asks the transaction, so it also sees what earlier writes of the same commit make.
#pragma once

#include "kds/outbound.h"
#include "kds/transaction.h"

namespace kdsd::kds {

// Refuses an own resource whose canonical name another one of its type has already: field
// `labels["kuma.io/display-name"]`. On a global that other one may be a copy, since a global relays it under that name.
Status check_unique_name(const Transaction& transaction, const Resource& resource, const Sending& sending);

}  // namespace kdsd::kds
