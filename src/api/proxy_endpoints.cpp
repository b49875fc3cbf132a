// What a proxy tells about itself. On a global the question travels to the zone (rest-api.md 10, kds-protocol.md 10).
#include "api/answers.h"
#include "api/await.h"
#include "api/caller.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "api/reading.h"
#include "model/labels.h"
#include "policy/core_name.h"

namespace kdsd::api {
namespace {

// Where the resource is, seen from its zone.
struct Found {
  bool mesh_found = true;
  ResourcePtr resource;
  bool zone_has_namespaces = false;
};

std::string name_in_zone(const Resource& resource, bool zone_has_namespaces) {
  const auto& shown = resource.labels.get(label::display_name);
  const auto& name = shown.empty() ? resource.name : shown;
  const auto& space = resource.labels.get(label::namespace_);
  return zone_has_namespaces && !space.empty() ? name + "." + space : name;
}

// The coroutine waits for `done`, which the core executor calls.
boost::asio::awaitable<Result<std::string>> ask(Backend& backend, kds::ProxyQuery query) {
  auto start = [&backend](auto handler, kds::ProxyQuery asked) {
    detail::Resumer resume(std::move(handler));
    backend.ask_proxy(std::move(asked), [resume](const Result<std::string>& answer) {
      resume(std::make_shared<const Result<std::string>>(answer));
    });
  };
  using Answered = std::shared_ptr<const Result<std::string>>;
  const auto answer = co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&, void(Answered)>(
      std::move(start), boost::asio::use_awaitable, std::move(query));
  co_return *answer;
}

Response could_not(const std::string& detail) {
  return error_response({400, "Could not execute admin operation", detail, {}});
}

Answer ask_about(Backend& backend, const ResourceType& type, const Call& call, kds::ProxyQuery query) {
  const auto& facts = backend.facts();
  query.type = type.name;
  query.mesh = call.parameter("mesh");
  const auto name = policy::core_name(facts.control_plane, type, call.parameter("name"));
  auto look = [&type, mesh = query.mesh, name](const kds::Core& core) {
    Found found;
    found.mesh_found = has_mesh(core.index(), mesh);
    found.resource = core.index().find(type, mesh, name);
    const auto* zone = found.resource ? core.zones().find(found.resource->source) : nullptr;
    found.zone_has_namespaces = zone != nullptr && zone->kind && zone->kind->has_namespaces();
    return found;
  };
  const auto found = co_await read_core(backend, std::move(look));
  if (!found.mesh_found) co_return error_response(Status(Code::not_found, ""), Operation::mesh);
  if (!found.resource) co_return error_response(Status(Code::not_found, ""), Operation::get);
  if (!facts.control_plane.is_global() || !found.resource->is_copy())
    co_return could_not("no proxy connects to this control plane");
  query.zone = found.resource->source;
  query.name = name_in_zone(*found.resource, found.zone_has_namespaces);
  const bool is_json = query.as_json || query.view == kds::ProxyView::config_dump;
  auto answer = co_await ask(backend, std::move(query));
  if (answer.ok()) co_return text_response(200, is_json ? "application/json" : "text/plain", std::move(*answer));
  const auto status = answer.status();
  if (status.code() == Code::invalid) co_return could_not(status.message());
  co_return error_response({400, "Bad Request", "bad request: " + status.message(), {}});
}

bool wants_json(const Call& call) { return call.request.query_value("format") == "json"; }

}  // namespace

Answer ask_proxy_config(Backend& backend, const ResourceType& type, const Call& call) {
  if (!is_listed(call.caller, backend.facts().config_dumps))
    co_return error_response(denied(call.caller, "envoy proxy info"), Operation::get);
  kds::ProxyQuery query;
  query.view = kds::ProxyView::config_dump;
  const auto* endpoints = call.request.find_query("include_eds");
  query.include_endpoints = endpoints != nullptr && *endpoints != "false";
  co_return co_await ask_about(backend, type, call, std::move(query));
}

Answer ask_proxy_stats(Backend& backend, const ResourceType& type, const Call& call) {
  if (!is_listed(call.caller, backend.facts().stats))
    co_return error_response(denied(call.caller, "envoy proxy info"), Operation::get);
  kds::ProxyQuery query;
  query.view = kds::ProxyView::stats;
  query.as_json = wants_json(call);
  query.used_only = call.request.query_value("usedonly") != "false";
  co_return co_await ask_about(backend, type, call, std::move(query));
}

Answer ask_proxy_clusters(Backend& backend, const ResourceType& type, const Call& call) {
  if (!is_listed(call.caller, backend.facts().clusters))
    co_return error_response(denied(call.caller, "envoy proxy info"), Operation::get);
  kds::ProxyQuery query;
  query.view = kds::ProxyView::clusters;
  query.as_json = wants_json(call);
  co_return co_await ask_about(backend, type, call, std::move(query));
}

}  // namespace kdsd::api
