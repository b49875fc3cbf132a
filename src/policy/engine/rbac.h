// MeshTrafficPermission as the RBAC filter of Envoy that it means (policy-semantics.md 9.2, 9.4). JSON in snake_case.
//
// Pure.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>

#include "model/status.h"
#include "policy/engine/from_rules.h"
#include "policy/engine/permission.h"

namespace kdsd::policy {

enum class ServicePrincipal : std::uint8_t {
  spiffe,    // spiffe://<mesh>/<service>, which certificates have (D-26)
  kuma_tag,  // kuma://kuma.io/service/<service>
};

struct RbacOptions {
  std::string mesh;
  bool has_mtls = true;
  ServicePrincipal service_principal = ServicePrincipal::spiffe;
  ItemPrecedence precedence = ItemPrecedence::last;
};

struct Rbac {
  boost::json::value config;  // null: no filter
  std::vector<std::string> warnings;
};

// `policies`: MeshTrafficPermissions that select the inbound, in any order. Where some have the `rules` form, `from` of
// all counts for nothing.
//
// Where clients cannot be told apart with a bearable number of rules, the principals say the same in nested form.
// Code::exhausted where that has more than `limits::nested_principals`.
Result<Rbac> rbac_of(const AppliedPolicies& policies, const RbacOptions& options);

}  // namespace kdsd::policy
