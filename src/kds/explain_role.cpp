#include "kds/explain_role.h"

#include "model/json.h"
#include "policy/role.h"

namespace kdsd::kds {
namespace {

std::string why_system(const Resource& resource, const std::string& namespace_) {
  if (namespace_.empty()) return "it was written where there are no namespaces, which only the mesh operator does";
  if (resource.is_copy()) return "its author's control plane declared it so";
  return namespace_ + " is the system namespace";
}

std::string why(policy::Role role, const Resource& resource, const boost::json::value& spec) {
  const auto& namespace_ = resource.labels.get(label::namespace_);
  switch (role) {
    case policy::Role::producer:
      return "every item of spec.to names a service or route of namespace " + namespace_;
    case policy::Role::consumer:
      return "no item of spec.to names a service or route of namespace " + namespace_;
    case policy::Role::workload_owner:
      return find(spec, {"from"}) != nullptr || find(spec, {"rules"}) != nullptr
                 ? "it has no spec.to, so it is about inbound traffic of proxies in namespace " + namespace_
                 : "it has no spec.to, so it configures the proxies of namespace " + namespace_;
    case policy::Role::system:
      break;
  }
  return why_system(resource, namespace_);
}

}  // namespace

RoleFacts explain_role(const Resource& resource, const boost::json::value& spec,
                       const policy::ControlPlaneKind& plane) {
  RoleFacts facts;
  facts.declared = resource.labels.get(label::policy_role);
  if (facts.declared.empty()) facts.declared = policy::text(policy::Role::system);
  if (resource.is_copy() && plane.is_zone()) {
    // Its references may point into the system namespace by now, and would read as those of a consumer (1.3).
    facts.computed = facts.declared;
    facts.why = "it is a copy, and keeps the role that it came with";
    return facts;
  }
  const auto role = resource.is_copy() ? role_of_relayed(resource, spec)
                                       : policy::compute_role(spec, resource.labels.get(label::namespace_),
                                                              plane.environment, plane.system_namespace);
  if (!role.ok()) {
    facts.computed = "invalid";
    facts.why = role.status().message();
    return facts;
  }
  facts.computed = policy::text(*role);
  facts.why = why(*role, resource, spec);
  return facts;
}

}  // namespace kdsd::kds
