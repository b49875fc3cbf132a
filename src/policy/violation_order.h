// The order in which violations are told: by item of a section, whichever rules found them.
//
// Pure.
#pragma once

#include "model/status.h"

namespace kdsd::policy {

// Puts those of `second` behind those of `first` that are about the same and earlier items of their section; what is
// about no item comes last.
Violations in_order_of_items(Violations first, Violations second);

}  // namespace kdsd::policy
