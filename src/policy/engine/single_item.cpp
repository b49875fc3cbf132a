#include "policy/engine/single_item.h"

#include "policy/engine/item_conf.h"
#include "policy/engine/ordering.h"

namespace kdsd::policy {

ProxyRule merge_single(AppliedPolicies policies) {
  sort_policies(policies);
  ProxyRule out;
  Confs confs;
  for (const auto& policy : policies) {
    confs.push_back(&default_of(policy->spec));
    out.origin.push_back(policy.get());
  }
  if (confs.empty()) return out;
  out.conf = merge_confs(confs);
  out.fields = field_origins(out.conf, confs);
  return out;
}

bool is_single_item(const ResourceType& type) {
  return type.is_target_ref_policy && !type.has_to && !type.has_from && !type.has_rules;
}

}  // namespace kdsd::policy
