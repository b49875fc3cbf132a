#include "api/inspecting.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "api/errors.h"
#include "api/evaluation_query.h"
#include "api/object_answers.h"
#include "api/reading.h"
#include "model/document.h"
#include "model/json.h"
#include "model/proto_spec.h"
#include "policy/core_name.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "kuma/mesh/v1alpha1/gateway.pb.h"
#include "kuma/mesh/v1alpha1/mesh.pb.h"

namespace kdsd::api {
namespace proto = kuma::mesh::v1alpha1;
namespace {

struct Found {
  ResourcePtr mesh;
  ResourcePtr resource;
  PolicyViews::Changes changes;
};

proto::Mesh mesh_of(const Resource& resource) {
  proto::Mesh mesh;
  if (!mesh.ParseFromString(resource.spec)) mesh.Clear();
  return mesh;
}

// The proxy that would serve a MeshGateway; nothing where its selectors say nothing.
ResourcePtr proxy_for_gateway(const ResourcePtr& resource, const Catalogue& catalogue) {
  proto::MeshGateway gateway;
  if (!gateway.ParseFromString(resource->spec) || gateway.selectors().empty()) return nullptr;
  proto::Dataplane dataplane;
  auto& made = *dataplane.mutable_networking()->mutable_gateway();
  made.set_type(proto::Dataplane::Networking::Gateway::BUILTIN);
  *made.mutable_tags() = gateway.selectors(0).match();
  auto out = std::make_shared<Resource>(*resource);
  out->type = catalogue.find("Dataplane");
  out->spec = serialize_deterministic(dataplane);
  return out;
}

// Routes first, then in the order in which 2.13 applies them; types that do not say stand behind, by name.
std::int64_t shown_at(const ResourceType& type) {
  const auto* order = find(type.target_refs, {"inspectOrder"});
  return order != nullptr && order->is_int64() ? order->get_int64() : std::int64_t{1'000};
}

}  // namespace

bool is_exclusive(const Resource& mesh) {
  return mesh_of(mesh).meshservices().mode() == proto::Mesh::MeshServices::Exclusive;
}

bool has_mtls(const Resource& mesh) { return !mesh_of(mesh).mtls().enabledbackend().empty(); }

Response refusal(int status, const std::string& title, const std::string& detail) {
  return error_response({status, title, detail, {}});
}

boost::asio::awaitable<void> catch_up(Backend& backend, PolicyViews& views) {
  auto look = [&views, position = views.position()](const kds::Core& core) {
    return std::make_shared<PolicyViews::Changes>(views.changes_since(core.index(), position));
  };
  const auto changes = co_await read_core(backend, std::move(look));
  views.apply(*changes);
}

boost::asio::awaitable<InspectSubject> find_inspect_subject(Backend& backend, const ResourceType& type,
                                                            const Call& call) {
  auto look =
      [&type, mesh = call.parameter("mesh"),
       name = policy::core_name(backend.facts().control_plane, type, call.parameter("name"))](const kds::Core& core) {
        return InspectSubject{has_mesh(core.index(), mesh), core.index().find(type, mesh, name)};
      };
  co_return co_await read_core(backend, std::move(look));
}

std::optional<Response> problem_of(const InspectSubject& subject, const std::string& title) {
  if (!subject.mesh_found) return error_response(Status(Code::not_found, ""), Operation::mesh);
  if (!subject.resource) return refusal(404, title, "Not found");
  return std::nullopt;
}

boost::asio::awaitable<Selected> find_selected(Backend& backend, PolicyViews& views, const ResourceType& type,
                                               const Call& call, Shadow shadow) {
  Selected out;
  const auto with_shadow = flag_of_query(call.request, "shadow");
  if (!with_shadow.ok()) {
    out.refusal = error_response(with_shadow.status(), Operation::get);
    co_return out;
  }
  const auto subject = co_await find_inspect_subject(backend, type, call);
  out.refusal = problem_of(subject, policy_title);
  out.is_missing = subject.mesh_found && !subject.resource;
  if (out.refusal) co_return out;
  co_await catch_up(backend, views);
  const auto& policy = *subject.resource;
  if (!type.is_target_ref_policy) {
    const auto spec = spec_json(policy);
    out.proxies = views.proxies(policy.mesh);
    std::erase_if(out.proxies, [&](const policy::ProxyPtr& proxy) { return !policy::select_by_tags(spec, *proxy); });
    co_return out;
  }
  auto view = views.view_policy(policy.mesh, type, policy.name);
  const bool takes_shadow = *with_shadow || shadow == Shadow::as_written;
  if (!view.policy || policy::taking_part({view.policy}, takes_shadow).empty()) co_return out;
  std::copy_if(
      view.candidates.begin(), view.candidates.end(), std::back_inserter(out.proxies),
      [&](const policy::ProxyPtr& proxy) { return policy::select(*view.policy, *proxy, view.routes).is_selected(); });
  co_return out;
}

boost::asio::awaitable<Inspected> inspect(Backend& backend, PolicyViews& views, const ResourceType& type,
                                          const Call& call) {
  Inspected out;
  const auto& facts = backend.facts();
  const auto mesh = call.parameter("mesh");
  const auto name = policy::core_name(facts.control_plane, type, call.parameter("name"));
  const auto with_shadow = flag_of_query(call.request, "shadow");
  if (!with_shadow.ok()) {
    out.refusal = error_response(with_shadow.status(), Operation::get);
    co_return out;
  }
  auto look = [&type, mesh, name](const kds::Core& core) {
    const auto* mesh_type = core.index().catalogue().find("Mesh");
    return std::pair(core.index().find(*mesh_type, "", mesh), core.index().find(type, mesh, name));
  };
  std::tie(out.mesh, out.resource) = co_await read_core(backend, std::move(look));
  if (!out.mesh) {
    out.refusal = error_response(Status(Code::not_found, ""), Operation::mesh);
    co_return out;
  }
  if (!out.resource) {
    out.refusal = refusal(404, "Could not retrieve " + type.name, "Not found");
    co_return out;
  }
  co_await catch_up(backend, views);

  PolicyViews::ProxyView view;
  if (type.name == "MeshGateway") {
    const auto made_up = proxy_for_gateway(out.resource, Catalogue::builtin());
    if (!made_up) {
      out.refusal = refusal(400, "Invalid MeshGateway", "bad request: the MeshGateway has no selectors");
      co_return out;
    }
    view = views.view_made_up(made_up);
  } else {
    view = views.view_proxy(mesh, name);
  }
  if (!view.proxy) {  // deleted between the two looks
    out.refusal = refusal(404, "Could not retrieve " + type.name, "Not found");
    co_return out;
  }
  out.proxy = view.proxy;
  out.routes = view.routes;
  out.matched = policy::match_policies(*out.proxy, view.candidates, out.routes, *with_shadow);
  std::stable_sort(out.matched.begin(), out.matched.end(),
                   [](const auto& a, const auto& b) { return shown_at(*a.type) < shown_at(*b.type); });
  co_return out;
}

boost::asio::awaitable<std::shared_ptr<const policy::ObjectAnswers>> find_targets(
    Backend& backend, std::vector<policy::AppliedPolicies> policies) {
  auto questions = std::make_shared<policy::ObjectQuestions>();
  const auto noting = questions->noting();
  for (const auto& of_type : policies) policy::ask_for_targets(of_type, Catalogue::builtin(), noting);
  auto look = [questions](const kds::Core& core) {
    return std::make_shared<const policy::ObjectAnswers>(answers_to(*questions, core.index()));
  };
  co_return co_await read_core(backend, std::move(look));
}

}  // namespace kdsd::api
