// Permissions, grants and attachment over what is posted.
#include <boost/json/array.hpp>

#include "model/json.h"
#include "model/timestamp.h"
#include "policy/engine/attachment.h"
#include "policy/engine/evaluation.h"
#include "policy/engine/evaluation_input.h"
#include "policy/engine/item_conf.h"
#include "policy/engine/origin_json.h"
#include "policy/engine/rbac.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

void check_action(const json::value& item, const std::string& path, Outcome& outcome) {
  const auto* action = find(item, {"default", "action"});
  if (action == nullptr || action->is_null()) return;
  if (action_of(default_of(item)) == PermissionAction::none) {
    outcome.refuse(member(path, "default.action"),
                   "must be one of 'Allow', 'Deny', 'AllowWithShadowDeny', 'DenyWithShadowAllow'");
  }
}

void check_matches(const json::value& conf, std::string_view name, const std::string& path, Outcome& outcome) {
  const auto* list = find(conf, {name});
  if (list == nullptr || list->is_null()) return;
  const auto list_path = member(path, name);
  if (!list->is_array()) return outcome.refuse(list_path, "must be a list");
  for (std::size_t i = 0; i < list->get_array().size(); ++i) {
    const auto& entry = list->get_array()[i];
    const auto type = find_text(entry, {"spiffeID", "type"});
    const auto entry_path = member(element(list_path, i), "spiffeID");
    if (type != "Exact" && type != "Prefix") outcome.refuse(member(entry_path, "type"), "must be 'Exact' or 'Prefix'");
    if (find_text(entry, {"spiffeID", "value"}).empty()) outcome.refuse(member(entry_path, "value"), "must be set");
  }
}

void check_permission(const AppliedPolicy& policy, const std::string& path, Outcome& outcome) {
  if (policy.type->name != permission_type) {
    outcome.refuse(path.substr(0, path.rfind('.')) + ".type", "must be '" + std::string(permission_type) + "'");
    return;
  }
  const auto& from = policy.items("from");
  for (std::size_t i = 0; i < from.size(); ++i) check_action(from[i], element(member(path, "from"), i), outcome);
  const auto& rules = policy.items("rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto conf_path = member(element(member(path, "rules"), i), "default");
    for (std::string_view name : {"deny", "allow", "allowWithShadowDeny"}) {
      check_matches(default_of(rules[i]), name, conf_path, outcome);
    }
  }
}

ObjectKind read_object(InputReader reader, bool is_referrer) {
  reader.allow_only({"group", "kind", "name", "namespace"});
  ObjectKind out;
  out.group = reader.text("group");
  out.kind = reader.required_text("kind");
  out.namespace_ = is_referrer ? reader.required_text("namespace") : reader.text("namespace");
  reader.text("name");
  return out;
}

Grant read_grant(InputReader reader, Outcome& outcome) {
  reader.allow_only({"type", "name", "namespace", "spec", "mesh", "labels"});
  Grant out;
  out.name = reader.required_text("name");
  out.namespace_ = reader.required_text("namespace");
  const auto* spec = reader.member("spec");
  if (spec == nullptr || !spec->is_object()) {
    reader.refuse("spec", "must be an object");
    return out;
  }
  out.spec = *spec;
  Outcome of_spec;
  check_reference_grant(*spec, of_spec);
  const auto prefix = reader.path_of("spec").substr(0, reader.path_of("spec").size() - 4);
  for (auto& violation : of_spec.violations) outcome.refuse(prefix + violation.field, std::move(violation.reason));
  return out;
}

ChainElement read_chain_element(InputReader reader) {
  reader.allow_only({"group", "kind", "name", "namespace", "virtual"});
  return {reader.text("group"), reader.required_text("kind"), reader.required_text("name"), reader.text("namespace"),
          reader.flag("virtual", false)};
}

void read_section(InputReader& reader, std::string_view name, bool& has, json::value& value) {
  const auto* found = reader.member(name);
  if (found == nullptr) return;
  if (!found->is_object()) return reader.refuse(name, "must be an object");
  has = true;
  value = *found;
}

AttachedPolicy read_attached(InputReader reader) {
  reader.allow_only({"name", "namespace", "creationTimestamp", "targetRef", "override", "default"});
  AttachedPolicy out;
  out.name = reader.required_text("name");
  out.namespace_ = reader.text("namespace");
  const auto created = reader.required_text("creationTimestamp");
  if (const auto time = parse_time(created)) {
    out.created = *time;
  } else if (!created.empty()) {
    reader.refuse("creationTimestamp", "must be a time as in RFC 3339");
  }
  auto target = reader.object("targetRef", true);
  target.allow_only({"group", "kind", "name", "namespace"});
  if (reader.member("targetRef") != nullptr) {
    out.target = {target.text("group"), target.required_text("kind"), target.required_text("name"),
                  target.text("namespace"), false};
  }
  read_section(reader, "override", out.has_override, out.override_);
  read_section(reader, "default", out.has_default, out.default_);
  if (reader.member("override") == nullptr && reader.member("default") == nullptr) {
    reader.refuse("default", "at least one of 'override' and 'default' has to be defined");
  }
  return out;
}

}  // namespace

Result<json::object> evaluate_rbac(const json::value& value, const Catalogue& catalogue,
                                   const EvaluationOptions& options) {
  Outcome outcome;
  InputReader input(value, "", outcome);
  input.allow_only({"form", "mesh", "mtls", "servicePrincipal", "itemPrecedence", "policies"});
  const auto form = input.word("form", {"any", "from", "rules"});
  RbacOptions rbac;
  rbac.mesh = input.text("mesh", "default");
  rbac.has_mtls = input.flag("mtls", true);
  rbac.service_principal = input.word("servicePrincipal", {"spiffe", "kuma-tag"}) == "kuma-tag"
                               ? ServicePrincipal::kuma_tag
                               : ServicePrincipal::spiffe;
  rbac.precedence =
      input.word("itemPrecedence", {"last", "first"}) == "first" ? ItemPrecedence::first : ItemPrecedence::last;
  const auto policies = read_policies(input, catalogue, options.with_shadow, check_permission);
  if (form == "rules" && !policies.empty() && !has_rules_form(policies)) {
    input.refuse("form", "no policy has the form 'rules'");
  }
  if (form == "from" && has_rules_form(policies)) input.refuse("form", "some policy has the form 'rules'");
  if (!outcome.ok()) return refusal_of_input(outcome);
  auto result = rbac_of(policies, rbac);
  if (!result.ok()) {
    input.refuse("policies", result.status().message());
    return refusal_of_input(outcome);
  }
  json::object out{{"config", std::move(result->config)}};
  if (!result->warnings.empty()) out["warnings"] = json::array(result->warnings.begin(), result->warnings.end());
  return out;
}

Result<json::object> evaluate_grant(const json::value& value, const std::vector<Grant>& stored) {
  Outcome outcome;
  InputReader input(value, "", outcome);
  input.allow_only({"reference", "grants"});
  auto written = input.object("reference", true);
  written.allow_only({"from", "to"});
  CrossNamespaceReference reference;
  if (input.member("reference") != nullptr) {
    auto from = written.object("from", true);
    auto to = written.object("to", true);
    if (written.member("from") != nullptr) reference.from = read_object(from, true);
    if (written.member("to") != nullptr) reference.to = read_object(to, false);
  }
  std::vector<Grant> grants;
  const auto& list = input.list("grants", false, limits::evaluated_documents);
  for (std::size_t i = 0; i < list.size(); ++i) grants.push_back(read_grant(input.element("grants", i), outcome));
  if (!outcome.ok()) return refusal_of_input(outcome);
  const auto decision = grant_allows(reference, input.member("grants") == nullptr ? stored : grants);
  return json::object{{"allowed", decision.allowed}, {"reason", decision.reason}};
}

Result<json::object> evaluate_attachment(const json::value& value, const EvaluationOptions& options) {
  Outcome outcome;
  InputReader input(value, "", outcome);
  input.allow_only({"chain", "policies", "requestNamespace"});
  std::vector<ChainElement> chain;
  const auto& elements = input.list("chain", true, limits::attached_policies);
  for (std::size_t i = 0; i < elements.size(); ++i) chain.push_back(read_chain_element(input.element("chain", i)));
  std::vector<AttachedPolicy> policies;
  const auto& list = input.list("policies", true, limits::attached_policies);
  for (std::size_t i = 0; i < list.size(); ++i) policies.push_back(read_attached(input.element("policies", i)));
  const auto request_namespace = input.text("requestNamespace");
  if (!outcome.ok()) return refusal_of_input(outcome);

  const auto result = attach(chain, policies, request_namespace);
  const auto text_of = [&](std::size_t section) { return result.highest_to_lowest[section].text; };
  json::array order;
  for (const auto& section : result.highest_to_lowest) order.emplace_back(section.text);
  json::object out{{"effective", result.effective}, {"highestToLowest", std::move(order)}};
  if (!options.with_origin) return out;
  out["fields"] = origin_json(result.fields, text_of);
  json::array conflicts;
  for (const auto& conflict : result.conflicts) {
    conflicts.push_back(json::object{
        {"field", conflict.path}, {"winner", text_of(conflict.winner)}, {"loser", text_of(conflict.loser)}});
  }
  out["conflicts"] = std::move(conflicts);
  return out;
}

}  // namespace kdsd::policy
