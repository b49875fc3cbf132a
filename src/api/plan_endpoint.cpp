// What would become of documents: POST /_plan, on a global also as if they were written in one of its zones (`?zone=`).
#include <memory>
#include <optional>

#include "api/answers.h"
#include "api/copies.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "api/object_answers.h"
#include "api/reading.h"
#include "kds/plan.h"
#include "kds/unique_name.h"
#include "model/json.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

// Shared by the coroutine and the core executor, one after the other.
struct Planning {
  kds::Plan plan;
  bool is_about_zone = false;  // written elsewhere; what is stored here are copies
};
using PlanningPtr = std::shared_ptr<Planning>;

Result<json::array> documents_of(const Request& request) {
  auto body = parse_json(request.body);
  if (!body.ok()) return Status(Code::malformed, "invalid plan: " + body.status().message());
  const auto* list = find(*body, {"documents"});
  if (list == nullptr || !list->is_array()) {
    return Status(Code::malformed, "invalid plan: member \"documents\" must be a list");
  }
  if (list->get_array().size() > kds::limits::plan_documents) {
    return Status(Code::malformed,
                  "invalid plan: at most " + std::to_string(kds::limits::plan_documents) + " documents at once");
  }
  return list->get_array();
}

Result<PlanningPtr> begin_planning(kds::World world, std::string_view zone) {
  if (zone.empty()) return std::make_shared<Planning>(Planning{kds::Plan(std::move(world)), false});
  if (!world.plane().is_global()) return Status(Code::malformed, "only a global control plane plans for its zones");
  if (world.find(zone) == nullptr) return Status(Code::malformed, "there is no zone " + std::string(zone));
  auto there = kds::seen_from(world, zone);
  if (!there) {
    return Status(Code::malformed,
                  "zone " + std::string(zone) + " has not told what it is: it has not been connected since the start");
  }
  return std::make_shared<Planning>(Planning{kds::Plan(std::move(*there), std::move(world)), true});
}

void refuse_what_may_not_be_seen(kds::Plan& plan, const Caller& caller, const Facts& facts) {
  for (auto& document : plan.documents()) {
    if (document.refusal.ok()) document.refusal = may_touch(caller, *document.type, facts);
  }
}

// Before admission: what stands under the addresses, and which meshes there are.
std::set<std::string> find_existing(Planning& planning, const kds::Core& core) {
  const auto& index = core.index();
  std::set<std::string> meshes;
  const auto* mesh_type = index.catalogue().find("Mesh");
  index.each(*mesh_type, [&](const ResourcePtr& mesh) { meshes.insert(mesh->name); });
  if (planning.is_about_zone) return meshes;
  for (auto& document : planning.plan.documents()) {
    if (document.refusal.ok()) document.existing = index.find(*document.type, document.mesh, document.name);
  }
  return meshes;
}

void refuse_copies(kds::Plan& plan, const policy::ControlPlaneKind& plane) {
  for (auto& document : plan.documents()) {
    const bool is_copy = document.existing && document.existing->is_copy();
    if (is_copy && document.refusal.ok()) document.refusal = managed_elsewhere(*document.existing, plane);
  }
}

// After admission: names that somebody else has, copies of what a zone would write, and the targets of references.
policy::ObjectAnswers ask_store(Planning& planning, const policy::ObjectQuestions& questions, const kds::Core& core) {
  const auto& plan_world = planning.plan.world();
  const kds::Staged nothing;
  kds::Transaction transaction(core.index(), nothing, core.now());
  for (auto& document : planning.plan.documents()) {
    if (!document.refusal.ok()) continue;
    if (planning.is_about_zone) {
      auto copy = core.index().find_by_wire_name(*document.type, document.mesh,
                                                 kds::wire_name(*document.result, plan_world.here));
      if (copy && copy->source == plan_world.plane().zone) document.existing = std::move(copy);
      continue;
    }
    document.refusal = kds::check_unique_name(transaction, *document.result, plan_world.here);
    if (document.refusal.ok()) transaction.put(*document.result);
  }
  return answers_to(questions, core.index());
}

}  // namespace

Answer plan_documents(Backend& backend, const Call& call) {
  const auto& facts = backend.facts();
  auto documents = documents_of(call.request);
  if (!documents.ok()) co_return error_response(documents.status(), Operation::process);
  auto look = [](const kds::Core& core) { return kds::world_of(core); };
  auto world = co_await read_core(backend, std::move(look));
  auto begun = begin_planning(std::move(world), call.request.query_value("zone"));
  if (!begun.ok()) co_return error_response(begun.status(), Operation::process);
  const PlanningPtr planning = *begun;
  auto& plan = planning->plan;
  for (auto& document : *documents) plan.add(std::move(document));
  refuse_what_may_not_be_seen(plan, call.caller, facts);

  auto find = [planning](const kds::Core& core) { return find_existing(*planning, core); };
  plan.set_meshes(co_await read_core(backend, std::move(find)));
  plan.admit();
  refuse_copies(plan, facts.control_plane);

  auto ask = [planning, questions = plan.questions()](const kds::Core& core) {
    return ask_store(*planning, questions, core);
  };
  plan.explain(co_await read_core(backend, std::move(ask)));
  co_return json_response(200, plan.json());
}

}  // namespace kdsd::api
