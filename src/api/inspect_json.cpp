#include "api/inspect_json.h"

#include "policy/engine/policy_kri.h"

namespace kdsd::api {
namespace json = boost::json;

json::object labels_json(const Labels& labels) {
  json::object out;
  for (const auto& [key, value] : labels) out[key] = value;
  return out;
}

json::object meta_json(const Labels& labels, const std::string& mesh, const std::string& name,
                       const std::string& type) {
  return {{"labels", labels_json(labels)}, {"mesh", mesh}, {"name", name}, {"type", type}};
}

json::object meta_json(const policy::AppliedPolicy& policy) {
  return meta_json(policy.labels, policy.mesh, policy.name, policy.type->name);
}

json::array matchers_json(const std::vector<policy::TagMatcher>& matchers) {
  json::array out;
  for (const auto& matcher : matchers) {
    out.push_back(json::object{{"key", matcher.key}, {"not", matcher.negative}, {"value", matcher.value}});
  }
  return out;
}

json::array kri_origins(const std::vector<policy::ToItem>& items) {
  json::array out;
  for (const auto& item : items) out.push_back(json::object{{"kri", kri_text(*item.policy)}});
  return out;
}

json::array kri_origins(const std::vector<const policy::AppliedPolicy*>& policies) {
  json::array out;
  for (const auto* policy : policies) out.push_back(json::object{{"kri", kri_text(*policy)}});
  return out;
}

json::array meta_origins(const std::vector<const policy::AppliedPolicy*>& policies) {
  json::array out;
  for (const auto* policy : policies) out.push_back(meta_json(*policy));
  return out;
}

json::object item_origin(const policy::AppliedPolicy& policy, std::size_t index) {
  return {{"resourceMeta", meta_json(policy)}, {"ruleIndex", index}};
}

}  // namespace kdsd::api
