// The order in which violations are told: section by section and item by item, whichever rules found them.
//
// Pure.
#pragma once

#include "model/catalogue.h"
#include "model/status.h"

namespace kdsd::policy {

// Puts those of `second` behind those of `first` that are about the same item; sections come in the order in which the
// type looks at them. What is about no section stays behind what it followed, or comes last.
Violations in_order_of_items(const ResourceType& type, Violations first, Violations second);

}  // namespace kdsd::policy
