// Actions of MeshTrafficPermission, and what it means for one client (policy-semantics.md 9.1, 9.4).
//
// Pure.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/engine/applied_policy.h"

namespace kdsd::policy {

inline constexpr std::string_view permission_type = "MeshTrafficPermission";

enum class PermissionAction : std::uint8_t { none, allow, deny, allow_with_shadow_deny, deny_with_shadow_allow };

// Spellings are compared without case and underscores (D-28); anything else is `none`, which allows nothing.
PermissionAction action_from_text(std::string_view text);
PermissionAction action_of(const boost::json::value& conf);

inline bool allows(PermissionAction action) {
  return action == PermissionAction::allow || action == PermissionAction::allow_with_shadow_deny;
}

// An entry of `deny`, `allow` or `allowWithShadowDeny` of the `rules` form.
struct SpiffeMatch {
  bool is_prefix = false;
  std::string value;

  bool matches(std::string_view uri) const { return is_prefix ? uri.starts_with(value) : uri == value; }
};

enum class PermissionList : std::uint8_t { deny, allow, allow_with_shadow_deny };

// All entries of one list of one policy.
struct PermissionEntry {
  const AppliedPolicy* policy = nullptr;
  PermissionList list = PermissionList::deny;
  std::vector<SpiffeMatch> matches;  // any of them
};

// Of the `rules` form: the deny lists of all policies before all others, each from low to high.
std::vector<PermissionEntry> permission_entries(const AppliedPolicies& policies);

bool has_rules_form(const AppliedPolicies& policies);

struct PermissionDecision {
  bool is_allowed = false;
  std::optional<bool> shadow;             // whether the shadow rules would allow; nothing: they say nothing
  const AppliedPolicy* policy = nullptr;  // whose entry decided; null: none matched
};

// The `rules` form, for the SPIFFE id of a client.
PermissionDecision decide(const std::vector<PermissionEntry>& entries, std::string_view uri);

}  // namespace kdsd::policy
