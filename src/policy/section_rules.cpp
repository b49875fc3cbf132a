#include <algorithm>

#include "model/json.h"
#include "policy/target_ref.h"
#include "policy/type_rules.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

// The conditions that the catalogue names for whole specs and sections. A condition this program does not know never
// holds: it belongs to a type that is newer than the program.
bool holds(const PolicyView& policy, std::string_view condition) {
  const bool to = policy.has("to");
  const bool from = policy.has("from");
  const bool rules = policy.has("rules");
  const bool gateways = includes_gateways(policy.top());
  if (condition == "rules non-empty and (to or from non-empty)") return rules && (to || from);
  if (condition == "rules non-empty and from non-empty") return rules && from;
  if (condition == "from, to and rules all empty") return !from && !to && !rules;
  if (condition == "from and rules both empty") return !from && !rules;
  if (condition == "to empty or absent") return !to;
  if (condition == "top-level does not include gateways and to is non-empty") return !gateways && to;
  if (condition == "top-level includes gateways and from is non-empty") return gateways && from;
  if (condition == "top-level includes gateways and rules is non-empty") return gateways && rules;
  if (condition == "top-level kind is MeshHTTPRoute or MeshGateway and from is non-empty") {
    return from && (policy.top_kind() == "MeshHTTPRoute" || policy.top_kind() == "MeshGateway");
  }
  return false;
}

bool holds_for_item(const PolicyView& policy, std::string_view condition, const json::value& item) {
  const auto empty = [&](std::string_view list) {
    const auto* found = find(item, {"default", list});
    return found == nullptr || !found->is_array() || found->get_array().empty();
  };
  if (condition == "to[].targetRef.kind is MeshExternalService and the top-level kind is not Mesh") {
    return find_text(item, {"targetRef", "kind"}) == "MeshExternalService" && policy.top_kind() != "Mesh";
  }
  if (condition == "to[].hostnames non-empty and top-level kind is not MeshGateway") {
    const auto* names = find(item, {"hostnames"});
    return names && names->is_array() && !names->get_array().empty() && policy.top_kind() != "MeshGateway";
  }
  if (condition == "allow, allowWithShadowDeny and deny all empty in an item") {
    return empty("allow") && empty("allowWithShadowDeny") && empty("deny");
  }
  if (condition == "default.loadBalancer is set") return find(item, {"default", "loadBalancer"}) != nullptr;
  if (condition == "default.loadBalancer is not set") return find(item, {"default", "loadBalancer"}) == nullptr;
  return false;
}

// Which step of the evaluation order a rule about the whole spec belongs to.
std::string_view step_of(std::string_view condition) {
  if (condition.starts_with("rules non-empty")) return "exclusive";
  return condition == "to empty or absent" ? "toRequired" : "atLeastOne";
}

void check_spec_rules(const PolicyView& policy, std::string_view step, Outcome& outcome) {
  for (const auto& rule : find_list(policy.rules, {"specRules"})) {
    const auto condition = find_text(rule, {"condition"});
    if (step_of(condition) != step || !holds(policy, condition)) continue;
    outcome.refuse(std::string(find_text(rule, {"field"})), std::string(find_text(rule, {"message"})));
  }
}

// The first entry that fits: by the kind on top, and by the conf of the item.
RefRules item_rules(const PolicyView& policy, std::string_view section, const json::value& item) {
  RefRules rules;
  for (const auto& entry : find_list(policy.rules, {section, "kinds"})) {
    const auto when_top = texts(find(entry, {"whenTopLevelKind"}));
    if (!when_top.empty() && std::find(when_top.begin(), when_top.end(), policy.top_kind()) == when_top.end()) continue;
    const auto when_item = find_text(entry, {"whenItem"});
    if (!when_item.empty() && !holds_for_item(policy, when_item, item)) continue;
    rules.kinds = texts(find(entry, {"allowed"}));
    rules.unsupported_text = std::string(find_text(entry, {"unsupportedKindMessage"}));
    break;
  }
  return rules;
}

void check_item(const PolicyView& policy, std::string_view section, std::size_t index, Outcome& outcome) {
  const auto& item = policy.items(section)[index];
  const auto path = element(member("spec", section), index);
  if (!find_list(policy.rules, {section, "kinds"}).empty()) {
    check_target_ref(find(item, {"targetRef"}), item_rules(policy, section, item), path + ".targetRef", outcome);
  }
  for (const auto& rule : find_list(policy.rules, {section, "extraViolations"})) {
    if (!holds_for_item(policy, find_text(rule, {"condition"}), item)) continue;
    outcome.refuse(path + ".targetRef.kind", std::string(find_text(rule, {"message"})));
  }
  for (const auto& rule : find_list(policy.rules, {section, "sectionRules"})) {
    if (!holds_for_item(policy, find_text(rule, {"condition"}), item)) continue;
    const bool hostnames = find_text(rule, {"field"}).ends_with(".hostnames");
    outcome.refuse(hostnames ? path + ".hostnames" : path, std::string(find_text(rule, {"message"})));
  }
  check_item_conf(policy, section, item, path, outcome);
  if (section == "to") check_backend_refs(policy, item, path, outcome);
}

void check_section(const PolicyView& policy, std::string_view section, Outcome& outcome) {
  bool stop = false;
  for (const auto& rule : find_list(policy.rules, {section, "sectionRules"})) {
    if (!holds(policy, find_text(rule, {"condition"}))) continue;
    outcome.refuse(std::string(find_text(rule, {"field"})), std::string(find_text(rule, {"message"})));
    stop = true;
  }
  for (std::size_t i = 0; !stop && i < policy.items(section).size(); ++i) check_item(policy, section, i, outcome);
}

}  // namespace

bool is_section_refused(const PolicyView& policy, std::string_view section) {
  const auto& rules = find_list(policy.rules, {section, "sectionRules"});
  return std::any_of(rules.begin(), rules.end(),
                     [&](const json::value& rule) { return holds(policy, find_text(rule, {"condition"})); });
}

const json::array& PolicyView::items(std::string_view section) const { return find_list(spec, {section}); }

const json::value* PolicyView::top() const { return find(spec, {"targetRef"}); }

std::vector<std::string_view> texts(const json::value* values) {
  std::vector<std::string_view> out;
  if (values == nullptr || !values->is_array()) return out;
  for (const auto& value : values->get_array()) {
    if (const auto* text = value.if_string()) out.emplace_back(text->data(), text->size());
  }
  return out;
}

void check_step(const PolicyView& policy, std::string_view step, Outcome& outcome) {
  if (step == "targetRef") {
    // Without a reference the policy is about the whole mesh.
    if (const auto* ref = policy.top()) {
      check_target_ref(ref, top_level_rules(policy.rules, policy.role, policy.spec), "spec.targetRef", outcome);
    }
  } else if (step == "to" || step == "from" || step == "rules") {
    check_section(policy, step, outcome);
  } else {
    check_spec_rules(policy, step, outcome);
  }
}

}  // namespace kdsd::policy
