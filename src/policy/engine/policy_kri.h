// How answers name a policy (rest-api.md 3.4).
//
// Pure.
#pragma once

#include <string>

#include "policy/engine/applied_policy.h"

namespace kdsd::policy {

std::string kri_text(const AppliedPolicy& policy);

}  // namespace kdsd::policy
