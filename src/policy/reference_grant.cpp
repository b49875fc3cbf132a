#include "policy/reference_grant.h"

#include <algorithm>
#include <boost/json/array.hpp>

#include "model/json.h"
#include "policy/names.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

bool names_kind(const json::value& entry, const ObjectKind& object) {
  return plain_group(find_text(entry, {"group"})) == plain_group(object.group) &&
         find_text(entry, {"kind"}) == object.kind;
}

bool grants(const json::value& spec, const CrossNamespaceReference& reference) {
  const auto& from = find_list(spec, {"from"});
  const auto& to = find_list(spec, {"to"});
  return std::any_of(from.begin(), from.end(),
                     [&](const json::value& entry) {
                       return names_kind(entry, reference.from) &&
                              find_text(entry, {"namespace"}) == reference.from.namespace_;
                     }) &&
         std::any_of(to.begin(), to.end(), [&](const json::value& entry) { return names_kind(entry, reference.to); });
}

void check_text(const json::value& entry, std::string_view field, const std::string& path, Outcome& outcome) {
  const auto value = find_text(entry, {field});
  if (value.empty()) {
    outcome.refuse(member(path, field), "must be set");
  } else if (value.size() > limits::name_bytes) {
    outcome.refuse(member(path, field), "must be at most 253 characters long");
  }
}

}  // namespace

GrantDecision grant_allows(const CrossNamespaceReference& reference, const std::vector<Grant>& all) {
  const auto& target = reference.to.namespace_.empty() ? reference.from.namespace_ : reference.to.namespace_;
  if (target == reference.from.namespace_) return {true, "same-namespace"};
  for (const auto& grant : all) {
    if (grant.namespace_ != target || !grants(grant.spec, reference)) continue;
    return {true, "granted-by:" + grant.namespace_ + "/" + grant.name};
  }
  return {false, "no-grant"};
}

void check_reference_grant(const json::value& spec, Outcome& outcome) {
  for (std::string_view section : {"from", "to"}) {
    if (find_list(spec, {section}).empty()) outcome.refuse(member("spec", section), "must have at least one item");
  }
  const auto& from = find_list(spec, {"from"});
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto path = element("spec.from", i);
    check_text(from[i], "kind", path, outcome);
    check_text(from[i], "namespace", path, outcome);
    if (find_text(from[i], {"namespace"}).find('*') != std::string_view::npos) {
      outcome.refuse(path + ".namespace", "must name exactly one namespace");
    }
  }
  const auto& to = find_list(spec, {"to"});
  for (std::size_t i = 0; i < to.size(); ++i) check_text(to[i], "kind", element("spec.to", i), outcome);
}

void check_attached_policy(const json::value& spec, const std::string& namespace_, Outcome& outcome) {
  if (find(spec, {"override"}) == nullptr && find(spec, {"default"}) == nullptr) {
    outcome.refuse("spec", "at least one of 'override' and 'default' has to be defined");
  }
  const auto* ref = find(spec, {"targetRef"});
  if (ref == nullptr || !ref->is_object()) {
    outcome.refuse("spec.targetRef", "must be defined");
    return;
  }
  for (std::string_view field : {"kind", "name"}) {
    if (find_text(*ref, {field}).empty()) outcome.refuse(member("spec.targetRef", field), "must be defined");
  }
  if (!namespace_.empty() && find_text(*ref, {"kind"}) == "GatewayClass") {
    outcome.refuse("spec.targetRef.kind", "GatewayClass is cluster-scoped, a namespaced policy cannot target it");
  }
}

}  // namespace kdsd::policy
