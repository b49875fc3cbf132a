// A target-ref policy made ready for use: its role, its scope, its explicit spec, and its place in the order of all.
//
// Pure; immutable once it is shared. Preparing a policy parses it, everything after that only compares
// (policy-semantics.md 2.3, 6.2, 7).
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/resource.h"
#include "policy/control_plane.h"
#include "policy/explicit_view.h"
#include "policy/role.h"

namespace kdsd::policy {

// Keys 1 to 5 of policy-semantics.md 7.1, in its order; greater is higher.
struct PolicyRank {
  int kind = 0;
  int dataplane = 0;  // how a Dataplane reference selects; 0 for other kinds
  int origin = 0;
  int gateway_tags = 0;
  int role = 0;
  friend auto operator<=>(const PolicyRank&, const PolicyRank&) = default;
};

struct AppliedPolicy {
  const ResourceType* type = nullptr;
  std::string mesh;
  std::string name;  // as stored
  std::string display_name;
  Labels labels;
  Role role = Role::system;
  EffectiveScope scope;
  bool is_shadow = false;   // `kuma.io/effect: shadow`: takes no part unless somebody asks for it
  boost::json::value spec;  // the explicit view
  PolicyRank rank;

  const boost::json::array& items(std::string_view section) const;  // empty where the section is missing
  const boost::json::value& target() const;                         // the top-level reference; always an object
  const std::string& zone() const { return labels.get(label::zone); }
  const std::string& namespace_() const { return labels.get(label::namespace_); }
};

using AppliedPolicyPtr = std::shared_ptr<const AppliedPolicy>;
using AppliedPolicies = std::vector<AppliedPolicyPtr>;

// A stored policy on the control plane that holds it.
AppliedPolicyPtr apply_policy(const Resource& policy, const ControlPlaneKind& control_plane);

// Created in a zone, whichever way it came here (policy-semantics.md 0.2, D-14).
bool is_zone_originated(const Labels& labels);

// Rank of a kind of reference (7.1, keys 1 and 6); 0 for what is none.
int kind_rank(std::string_view kind);

// A map of texts, as `tags` and `labels` of a reference are; members that are no texts are left out.
Labels texts_at(const boost::json::value& value, std::string_view name);

}  // namespace kdsd::policy
