// Why a resource is where it is, and a policy with everything spelled out (policy-semantics.md 12.5).
#include <map>
#include <memory>
#include <optional>

#include "api/answers.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "api/object_answers.h"
#include "api/reading.h"
#include "kds/explanation_json.h"
#include "kds/known_world.h"
#include "model/document.h"
#include "model/json.h"
#include "policy/core_name.h"
#include "policy/explicit_view.h"
#include "policy/own_door.h"
#include "policy/role.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

// What a path names, and what is around it.
struct Subject {
  bool mesh_found = true;
  EntryPtr entry;  // null: there is no such resource
  std::optional<kds::World> world;
};

EntryPtr find_live(const kds::Index& index, const ResourceKey& key) {
  auto entry = index.find_entry(key);
  return entry && entry->resource ? entry : nullptr;
}

Subject find_subject(const kds::Core& core, const ResourceKey& key, bool with_world) {
  Subject out{has_mesh(core.index(), key.mesh), find_live(core.index(), key), std::nullopt};
  if (out.entry && with_world) out.world = kds::world_of(core);
  return out;
}

// What only the store knows.
struct FromStore {
  policy::ObjectAnswers objects;
  std::map<std::string, kds::Delivery> deliveries;
};

FromStore ask_store(const kds::Core& core, const policy::ObjectQuestions& questions, const Entry& entry,
                    const std::vector<kds::ZoneDecision>& zones) {
  FromStore out{answers_to(questions, core.index()), {}};
  for (const auto& zone : zones) {
    if (zone.reason != "origin-zone") out.deliveries[zone.zone] = delivery_of(core, entry, zone.zone, zone.sent);
  }
  return out;
}

// Remarks that the author got when the policy was written.
void add_warnings_of_own(const Resource& resource, const policy::ControlPlaneKind& plane,
                         std::vector<std::string>& warnings) {
  if (resource.is_copy() || !resource.type->is_target_ref_policy) return;
  const policy::OwnDoor door{&plane, resource.labels.get(label::namespace_), {}};
  auto outcome = policy::check_spec_of_own(*resource.type, spec_json(resource), resource.labels, resource.name, door);
  warnings.insert(warnings.end(), outcome.warnings.begin(), outcome.warnings.end());
}

json::object describe_scope(const policy::EffectiveScope& scope) {
  json::object out;
  if (!scope.namespace_.empty()) out["namespace"] = scope.namespace_;
  if (!scope.zone.empty()) out["zone"] = scope.zone;
  return out;
}

json::object explicit_json(const Resource& resource, const policy::ControlPlaneKind& plane) {
  const auto view = policy::explicit_view_of(resource, plane);
  Resource shown = resource;
  shown.spec = to_compact_json(view.spec);
  json::object out;
  out["effectiveScope"] = describe_scope(view.scope);
  out["resource"] = render(shown);
  out["role"] = policy::text(policy::declared_role(resource.labels));
  return out;
}

ResourceKey key_of(const Facts& facts, const ResourceType& type, const Call& call) {
  return {&type, call.parameter("mesh"), policy::core_name(facts.control_plane, type, call.parameter("name"))};
}

std::optional<Status> problem_of(const Subject& subject) {
  if (subject.mesh_found && subject.entry) return std::nullopt;
  return Status(Code::not_found, "");
}

}  // namespace

Answer explain_resource(Backend& backend, const ResourceType& type, const Call& call) {
  const auto& facts = backend.facts();
  if (auto status = may_touch(call.caller, type, facts); !status.ok()) co_return error_response(status, Operation::get);
  auto find = [key = key_of(facts, type, call)](const kds::Core& core) { return find_subject(core, key, true); };
  const auto subject = co_await read_core(backend, std::move(find));
  if (auto problem = problem_of(subject))
    co_return error_response(*problem, subject.mesh_found ? Operation::get : Operation::mesh);

  const auto& resource = *subject.entry->resource;
  policy::ObjectQuestions questions;
  auto explanation = kds::explain(resource, *subject.world, questions.noting());
  auto ask = [questions, entry = subject.entry, zones = explanation.zones](const kds::Core& core) {
    return ask_store(core, questions, *entry, zones);
  };
  const auto store = co_await read_core(backend, std::move(ask));
  explanation = kds::explain(resource, *subject.world, store.objects.lookup());
  add_warnings_of_own(resource, facts.control_plane, explanation.warnings);
  co_return json_response(200, kds::explanation_json(explanation, store.deliveries));
}

Answer get_explicit_view(Backend& backend, const ResourceType& type, const Call& call) {
  const auto& facts = backend.facts();
  if (auto status = may_touch(call.caller, type, facts); !status.ok()) co_return error_response(status, Operation::get);
  auto find = [key = key_of(facts, type, call)](const kds::Core& core) { return find_subject(core, key, false); };
  const auto subject = co_await read_core(backend, std::move(find));
  if (auto problem = problem_of(subject))
    co_return error_response(*problem, subject.mesh_found ? Operation::get : Operation::mesh);
  co_return json_response(200, explicit_json(*subject.entry->resource, facts.control_plane));
}

}  // namespace kdsd::api
