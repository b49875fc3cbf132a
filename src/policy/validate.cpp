#include "policy/validate.h"

#include "model/hash.h"
#include "model/json.h"
#include "policy/conf_rules.h"
#include "policy/object_rules.h"
#include "policy/proto_rules.h"
#include "policy/role.h"
#include "policy/type_rules.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

// Longest display names: services become host names, which allow 63 bytes a label; workloads are resource names.
std::size_t longest_display_name(const std::string& type) {
  if (type == "MeshService" || type == "MeshExternalService") return 63;
  return type == "Workload" ? 253 : 0;
}

void check_display_name(const ResourceType& type, const Labels& labels, std::string_view name, Outcome& outcome) {
  const auto longest = longest_display_name(type.name);
  if (longest == 0 || display_name(std::string(name), labels).size() <= longest) return;
  outcome.refuse("name", "must not be longer than " + std::to_string(longest) + " characters");
}

}  // namespace

Outcome validate_spec(const ResourceType& type, const json::value& spec, const Labels& labels, std::string_view name) {
  if (type.encoding == SpecEncoding::proto) return validate_proto_spec(type, spec);
  Outcome outcome;
  check_display_name(type, labels, name, outcome);
  check_object(type, spec, outcome);
  if (!type.target_refs.is_object()) return outcome;
  const PolicyView policy{type, type.target_refs, spec, declared_role(labels)};
  for (auto step : texts(find(type.target_refs, {"evaluationOrder"}))) check_step(policy, step, outcome);
  collect_warnings(policy, outcome);
  return outcome;
}

Outcome validate_received(const ResourceType& type, const json::value& spec, const Labels& labels,
                          std::string_view name) {
  auto outcome = validate_spec(type, spec, labels, name);
  if (type.is_target_ref_policy) add_conf_violations({type, type.target_refs, spec}, outcome);
  return outcome;
}

}  // namespace kdsd::policy
