#include "policy/engine/policy_kri.h"

#include "model/kri.h"

namespace kdsd::policy {

std::string kri_text(const AppliedPolicy& policy) {
  return Kri{policy.type, policy.mesh, policy.zone(), policy.namespace_(), policy.display_name, ""}.text();
}

}  // namespace kdsd::policy
