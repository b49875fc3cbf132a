#include "policy/engine/rbac.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "model/json.h"
#include "policy/engine/merge_budget.h"
#include "policy/engine/policy_kri.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::string_view service_tag = "kuma.io/service";
constexpr std::string_view shadow_name = "ShadowMeshTrafficPermission";
constexpr const char* mixed_forms =
    "policies of the form 'rules' select the inbound, so 'from' of MeshTrafficPermissions is ignored";
constexpr const char* nested_note =
    "the principals are nested: the clients cannot be told apart with a bearable number of rules";

std::string uri_of(std::string_view key, const std::string& value, const RbacOptions& options) {
  if (key != service_tag || options.service_principal == ServicePrincipal::kuma_tag) {
    return "kuma://" + std::string(key) + "/" + value;
  }
  const auto slash = value.find('/');
  return "spiffe://" + (slash == std::string::npos ? options.mesh + "/" + value : value);
}

json::value any_principal() { return json::object{{"any", true}}; }
json::value negated(json::value id) { return json::object{{"not_id", std::move(id)}}; }

json::value authenticated(const std::string& uri) {
  return json::object{{"authenticated", json::object{{"principal_name", json::object{{"exact", uri}}}}}};
}

json::value all_of(json::array ids) {
  if (ids.empty()) return any_principal();
  if (ids.size() == 1) return std::move(ids.front());
  return json::object{{"and_ids", json::object{{"ids", std::move(ids)}}}};
}

json::value any_of(json::array ids) {
  if (ids.size() == 1) return std::move(ids.front());
  return json::object{{"or_ids", json::object{{"ids", std::move(ids)}}}};
}

json::value principal_of(const FromRule& rule, const RbacOptions& options) {
  json::array ids;
  for (const auto& matcher : rule.matchers) {
    auto id = authenticated(uri_of(matcher.key, matcher.value, options));
    ids.push_back(matcher.negative ? negated(std::move(id)) : std::move(id));
  }
  return all_of(std::move(ids));
}

json::value section(std::string_view action, std::string_view name, json::array principals) {
  json::object policies;
  if (!principals.empty()) {
    policies[{name.data(), name.size()}] =
        json::object{{"permissions", json::array{any_principal()}}, {"principals", std::move(principals)}};
  }
  return json::object{{"action", action}, {"policies", std::move(policies)}};
}

struct Principals {
  json::array allowed;
  json::array shadow_allowed;  // denied now
  json::array shadow_denied;   // allowed now
};

// D-27: which of the two says what would happen.
json::object filter_of(Principals principals) {
  json::object out;
  out["rules"] = section("ALLOW", permission_type, std::move(principals.allowed));
  if (!principals.shadow_allowed.empty()) {
    out["shadow_rules"] = section("ALLOW", shadow_name, std::move(principals.shadow_allowed));
  } else if (!principals.shadow_denied.empty()) {
    out["shadow_rules"] = section("DENY", permission_type, std::move(principals.shadow_denied));
  }
  return out;
}

Principals principals_of(const FromRules& rules, const RbacOptions& options) {
  Principals out;
  for (const auto& rule : rules.rules) {
    const auto action = action_of(rule.conf);
    const auto principal = principal_of(rule, options);
    if (allows(action)) out.allowed.push_back(principal);
    if (action == PermissionAction::deny_with_shadow_allow) out.shadow_allowed.push_back(principal);
    if (action == PermissionAction::allow_with_shadow_deny) out.shadow_denied.push_back(principal);
  }
  return out;
}

// The clients whose highest item has a wanted action: those of an item that wants it, without those of all higher items
// that do not. Flat, because Envoy bounds the depth of what it reads.
class NestedPrincipal {
 public:
  NestedPrincipal(const std::vector<FromItem>& items, const RbacOptions& options) : options_(options) {
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
      const auto* action = find(*item->clients.conf, {"action"});
      // An item without an action leaves that of the lower ones.
      if (action != nullptr && !action->is_null()) high_to_low_.push_back(&*item);
    }
  }

  // Too many principals end it; `is_too_large` tells.
  template <typename Wanted>
  json::array find_all(Wanted wanted) {
    json::array found;
    json::array run;     // of neighbours that want it
    json::array higher;  // of those above that do not
    const auto close = [&] {
      if (run.empty() || !budget_.take(run.size() + higher.size())) return;
      json::array ids{any_of(std::exchange(run, {}))};
      if (!higher.empty()) ids.push_back(negated(any_of(higher)));
      found.push_back(all_of(std::move(ids)));
    };
    for (const auto* item : high_to_low_) {
      if (wanted(action_of(*item->clients.conf))) {
        run.push_back(clients(*item));
      } else {
        close();
        higher.push_back(clients(*item));
      }
    }
    close();
    return found;
  }

  bool is_too_large() const { return budget_.is_spent(); }

 private:
  json::value clients(const FromItem& item) {
    json::array ids;
    if (!budget_.take(item.clients.tags.size())) return {};
    for (const auto& [key, value] : item.clients.tags) ids.push_back(authenticated(uri_of(key, value, options_)));
    return all_of(std::move(ids));
  }

  std::vector<const FromItem*> high_to_low_;
  const RbacOptions& options_;
  MergeBudget budget_{limits::nested_principals};
};

Result<Principals> nested_principals(const AppliedPolicies& policies, const RbacOptions& options) {
  const auto items = ordered_from_items(policies, options.precedence);
  NestedPrincipal nested(items, options);
  Principals out{nested.find_all(allows),
                 nested.find_all([](auto action) { return action == PermissionAction::deny_with_shadow_allow; }),
                 nested.find_all([](auto action) { return action == PermissionAction::allow_with_shadow_deny; })};
  if (nested.is_too_large()) return Status(Code::exhausted, "the permissions are too many to be written as one filter");
  return out;
}

json::value predicate_of(const SpiffeMatch& match) {
  json::object input_config{
      {"@type", "type.googleapis.com/envoy.extensions.matching.common_inputs.ssl.v3.UriSanInput"}};
  json::object input{{"name", "envoy.matching.inputs.uri_san"}, {"typed_config", std::move(input_config)}};
  json::object value{{match.is_prefix ? "prefix" : "exact", match.value}};
  json::object predicate{{"input", std::move(input)}, {"value_match", std::move(value)}};
  return json::object{{"single_predicate", std::move(predicate)}};
}

json::value action_json(std::string_view name, std::string_view action) {
  json::object config{{"@type", "type.googleapis.com/envoy.config.rbac.v3.Action"}, {"name", name}, {"action", action}};
  json::object named{{"name", "envoy.filters.rbac.action"}, {"typed_config", std::move(config)}};
  return json::object{{"action", std::move(named)}};
}

json::value matcher_of(const PermissionEntry& entry, std::string_view action) {
  json::array predicates;
  for (const auto& match : entry.matches) predicates.push_back(predicate_of(match));
  json::value predicate = std::move(predicates.front());
  if (predicates.size() > 1) {
    predicates.front() = std::move(predicate);
    predicate = json::object{{"or_matcher", json::object{{"predicate", std::move(predicates)}}}};
  }
  return json::object{{"predicate", std::move(predicate)}, {"on_match", action_json(kri_text(*entry.policy), action)}};
}

// All deny entries come first (`permission_entries`), so no allow of another policy can hide one.
json::object matchers_of(const AppliedPolicies& policies) {
  json::array enforced;
  json::array shadow;
  for (const auto& entry : permission_entries(policies)) {
    enforced.push_back(matcher_of(entry, entry.list == PermissionList::deny ? "DENY" : "ALLOW"));
    if (entry.list == PermissionList::allow_with_shadow_deny) shadow.push_back(matcher_of(entry, "DENY"));
  }
  json::object matcher;
  if (!enforced.empty()) matcher["matcher_list"] = json::object{{"matchers", std::move(enforced)}};
  matcher["on_no_match"] = action_json("default", "DENY");
  json::object out{{"matcher", std::move(matcher)}};
  if (!shadow.empty()) {
    out["shadow_matcher"] = json::object{{"matcher_list", json::object{{"matchers", std::move(shadow)}}}};
  }
  return out;
}

}  // namespace

Result<Rbac> rbac_of(const AppliedPolicies& policies, const RbacOptions& options) {
  Rbac out;
  if (!options.has_mtls) return out;
  if (has_rules_form(policies)) {
    for (const auto& policy : policies) {
      if (policy->items("from").empty()) continue;
      out.warnings.emplace_back(mixed_forms);
      break;
    }
    out.config = matchers_of(policies);
    return out;
  }
  const auto rules = merge_from(policies, {PartitionView::automatic, options.precedence});
  out.warnings = rules.notes;
  if (rules.is_complete) {
    out.config = filter_of(principals_of(rules, options));
    return out;
  }
  out.warnings.emplace_back(nested_note);
  auto nested = nested_principals(policies, options);
  if (!nested.ok()) return nested.status();
  out.config = filter_of(std::move(*nested));
  return out;
}

}  // namespace kdsd::policy
