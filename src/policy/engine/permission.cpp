#include "policy/engine/permission.h"

#include <algorithm>

#include "model/json.h"
#include "policy/engine/item_conf.h"
#include "policy/engine/ordering.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr struct {
  PermissionList list;
  std::string_view member;
} lists[] = {
    {PermissionList::deny, "deny"},
    {PermissionList::allow, "allow"},
    {PermissionList::allow_with_shadow_deny, "allowWithShadowDeny"},
};

void take_matches(const json::value& list, std::vector<SpiffeMatch>& out) {
  if (!list.is_array()) return;
  for (const auto& entry : list.get_array()) {
    const auto type = find_text(entry, {"spiffeID", "type"});
    const auto value = find_text(entry, {"spiffeID", "value"});
    if (type != "Exact" && type != "Prefix") continue;
    out.push_back({type == "Prefix", std::string(value)});
  }
}

}  // namespace

PermissionAction action_from_text(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != '_') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  if (plain == "allow") return PermissionAction::allow;
  if (plain == "deny") return PermissionAction::deny;
  if (plain == "allowwithshadowdeny") return PermissionAction::allow_with_shadow_deny;
  if (plain == "denywithshadowallow") return PermissionAction::deny_with_shadow_allow;
  return PermissionAction::none;
}

PermissionAction action_of(const json::value& conf) { return action_from_text(find_text(conf, {"action"})); }

bool has_rules_form(const AppliedPolicies& policies) {
  return std::any_of(policies.begin(), policies.end(),
                     [](const AppliedPolicyPtr& policy) { return !policy->items("rules").empty(); });
}

std::vector<PermissionEntry> permission_entries(const AppliedPolicies& policies) {
  auto ordered = policies;
  sort_policies(ordered);
  std::vector<PermissionEntry> out;
  const auto collect = [&](bool denies) {
    for (const auto& policy : ordered) {
      for (const auto& [list, member] : lists) {
        if ((list == PermissionList::deny) != denies) continue;
        PermissionEntry entry{policy.get(), list, {}};
        for (const auto& rule : policy->items("rules")) {
          if (const auto* found = find(default_of(rule), {member})) take_matches(*found, entry.matches);
        }
        if (!entry.matches.empty()) out.push_back(std::move(entry));
      }
    }
  };
  collect(true);
  collect(false);
  return out;
}

PermissionDecision decide(const std::vector<PermissionEntry>& entries, std::string_view uri) {
  PermissionDecision out;
  for (const auto& entry : entries) {
    const bool matches = std::any_of(entry.matches.begin(), entry.matches.end(),
                                     [&](const SpiffeMatch& match) { return match.matches(uri); });
    if (!matches) continue;
    if (entry.list == PermissionList::deny) return {false, std::nullopt, entry.policy};
    out.is_allowed = true;
    if (out.policy == nullptr) out.policy = entry.policy;
    if (entry.list == PermissionList::allow_with_shadow_deny) out.shadow = false;
  }
  return out;
}

}  // namespace kdsd::policy
