#include "kds/api_server_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/document.h"
#include "model/json.h"
#include "policy/names.h"

namespace kdsd::kds {
namespace {

namespace json = boost::json;

// These become annotations there, which may hold any text.
bool is_annotation(std::string_view key) {
  constexpr std::array<std::string_view, 3> keys = {label::display_name, "k8s.kuma.io/service-account",
                                                    "kuma.io/workload"};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string bad_label(const Labels& labels) {
  for (const auto& [key, value] : labels) {
    if (is_annotation(key)) continue;
    auto problems = policy::label_key_problems(key);
    if (problems.empty()) problems = policy::label_value_problems(value);
    if (!problems.empty()) return "label " + key + ": " + problems.front();
  }
  return {};
}

// Kuma takes actions in capitals; the definition of the type on Kubernetes does not.
std::string bad_action(const json::value& spec) {
  for (const auto& item : find_list(spec, {"from"})) {
    const auto action = find_text(item, {"default", "action"});
    if (!action.empty() && action != "Allow" && action != "Deny" && action != "AllowWithShadowDeny")
      return "action " + std::string(action) + ": is spelled otherwise than Allow, Deny or AllowWithShadowDeny";
  }
  return {};
}

}  // namespace

std::string refused_by_api_server(const Resource& resource, const std::string& wire_name, const Labels& labels) {
  if (auto problem = policy::name_problem(wire_name)) return "name " + wire_name + ": " + *problem;
  if (auto text = bad_label(labels); !text.empty()) return text;
  if (resource.type->name == "MeshTrafficPermission") return bad_action(spec_json(resource));
  return {};
}

}  // namespace kdsd::kds
