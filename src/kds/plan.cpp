#include "kds/plan.h"

#include <boost/json/array.hpp>
#include <memory>
#include <utility>

#include "kds/explanation_json.h"
#include "model/document.h"
#include "policy/admission.h"
#include "policy/core_name.h"

namespace kdsd::kds {
namespace json = boost::json;
namespace {

constexpr std::string_view default_mesh = "default";

// Where the document would be written: the same as the command line puts into the address.
std::string name_of(const Document& document, const policy::ControlPlaneKind& plane) {
  const auto& type = *document.type;
  if (!policy::has_namespace(plane, type)) return document.name;
  if (!document.namespace_.empty()) return document.name + "." + document.namespace_;
  // In the Kubernetes format dots belong to the name.
  if (document.format == Document::Format::kubernetes) return document.name + "." + plane.system_namespace;
  return policy::core_name(plane, type, document.name);
}

bool is_same(const Resource& before, const Resource& after) {
  return before.labels == after.labels && same_spec(*after.type, before.spec, after.spec);
}

json::array violations_json(const Status& refusal) {
  json::array out;
  for (const auto& violation : refusal.violations()) {
    out.push_back(json::object{{"field", violation.field}, {"reason", violation.reason}});
  }
  return out;
}

// Zones that `a` is sent to and `b` is not. Both are about the same zones, in the same order.
json::array zones_only_of(const Explanation& a, const Explanation* b) {
  json::array out;
  for (std::size_t i = 0; i < a.zones.size(); ++i) {
    if (a.zones[i].sent && (b == nullptr || !b->zones[i].sent)) out.emplace_back(a.zones[i].zone);
  }
  return out;
}

}  // namespace

const char* Plan::action_of(const PlannedDocument& document) const {
  if (!document.refusal.ok()) return "refuse";
  if (!document.existing) return "create";
  const auto& result = *document.result;
  const bool same =
      is_same(*document.existing, seen_by_ ? arriving_copy(result, world_.here, seen_by_->plane(), {}) : result);
  return same ? "unchanged" : "update";
}

json::object Plan::json_of(const PlannedDocument& document) const {
  json::object out;
  out["action"] = action_of(document);
  out["document"] = document.text;
  if (!document.refusal.ok()) {
    out["refusal"] = document.refusal.message();
    out["violations"] = violations_json(document.refusal);
    return out;
  }
  out["warnings"] = json::array(document.warnings.begin(), document.warnings.end());
  if (!document.after) return out;
  const auto* before = document.before ? &*document.before : nullptr;
  out["gains"] = zones_only_of(*document.after, before);
  out["loses"] = before != nullptr ? zones_only_of(*before, &*document.after) : json::array();
  out["explanation"] = explanation_json(*document.after);
  return out;
}

void Plan::add(json::value value) {
  PlannedDocument planned;
  planned.text = "document " + std::to_string(documents_.size() + 1);
  auto document = parse_document(*world_.catalogue, value, nullptr);
  if (!document.ok()) {
    planned.refusal = document.status();
  } else {
    planned.type = document->type;
    if (planned.type->mesh_scoped) planned.mesh = document->has_mesh ? document->mesh : std::string(default_mesh);
    planned.name = name_of(*document, world_.plane());
    planned.text = ResourceKey{planned.type, planned.mesh, planned.name}.text();
  }
  planned.body = std::move(value);
  documents_.push_back(std::move(planned));
}

void Plan::admit() {
  for (auto& document : documents_) {
    if (document.refusal.ok()) admit(document);
    const bool makes_mesh = document.refusal.ok() && document.type->name == "Mesh";
    if (makes_mesh && meshes_) meshes_->insert(document.name);
  }
}

void Plan::admit(PlannedDocument& document) {
  document.refusal = policy::writable(*document.type, world_.plane(), false);
  if (!document.refusal.ok()) return;
  if (!document.mesh.empty() && meshes_ && !meshes_->contains(document.mesh)) {
    document.refusal = Status(Code::not_found, "there is no mesh " + document.mesh);
    return;
  }
  policy::Request request;
  request.catalogue = world_.catalogue;
  request.type = document.type;
  request.mesh = document.mesh;
  request.name = document.name;
  request.body = &document.body;
  request.existing = document.existing.get();
  auto admission = policy::admit(world_.plane(), request);
  document.refusal = admission.result.status();
  if (!document.refusal.ok()) return;
  auto& admitted = *admission.result;
  Resource result;
  result.type = document.type;
  result.mesh = document.mesh;
  result.name = std::move(admitted.name);
  result.labels = std::move(admitted.labels);
  result.spec = std::move(admitted.spec_bytes);
  document.name = result.name;
  document.text = result.key().text();
  document.warnings = std::move(admitted.warnings);
  document.result = std::move(result);
}

policy::ObjectQuestions Plan::questions() const {
  policy::ObjectQuestions questions;
  for (const auto& document : documents_) {
    if (document.refusal.ok()) (void)kds::explain(*document.result, world_, questions.noting());
  }
  return questions;
}

void Plan::explain(policy::ObjectAnswers answers) {
  for (const auto& document : documents_) {
    if (document.refusal.ok())
      answers.overlay(wire_name(*document.result, world_.here), std::make_shared<const Resource>(*document.result));
  }
  const auto objects = answers.lookup();
  for (auto& document : documents_) {
    if (!document.refusal.ok()) continue;
    document.after = kds::explain(*document.result, world_, objects);
    auto& warnings = document.warnings;
    warnings.insert(warnings.end(), document.after->warnings.begin(), document.after->warnings.end());
    if (document.existing) document.before = kds::explain(*document.existing, seen_by_ ? *seen_by_ : world_, objects);
  }
}

json::object Plan::json() const {
  json::array list;
  for (const auto& document : documents_) list.push_back(json_of(document));
  return {{"documents", std::move(list)}};
}

}  // namespace kdsd::kds
