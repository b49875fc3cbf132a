// What every store asks of a batch before it writes any of it.
//
// Pure. A refusal means that the caller is wrong: Code::internal.
#pragma once

#include "store/store.h"

namespace kdsd::store {

// Upserts have a key, a matching resource, at least one presence, and revisions that rise; purges have a type.
Status validate_batch(const Batch& batch);

// The newest revision that the batch tells of; 0 where it tells of none.
Revision newest_revision(const Batch& batch);

}  // namespace kdsd::store
