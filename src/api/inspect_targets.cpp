// The other way round: the proxies that a policy selects (policy-semantics.md 12.3), and those that a service has.
#include <algorithm>
#include <optional>
#include <utility>

#include "api/answers.h"
#include "api/errors.h"
#include "api/inspect_endpoints.h"
#include "api/inspect_json.h"
#include "api/inspecting.h"
#include "api/list_query.h"
#include "model/document.h"
#include "model/json.h"
#include "policy/core_name.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

constexpr const char* title = "Could not retrieve policy";

struct Subject {
  bool mesh_found = false;
  ResourcePtr resource;
};

// The page of the proxies, those whose name contains the query's `name` alone.
Response page_of(const Call& call, std::vector<policy::ProxyPtr> proxies) {
  const auto page = parse_page_query(call.request);
  if (!page.ok()) return error_response({400, title, page.status().message(), page.status().violations()});
  const auto part = call.request.query_value("name");
  std::erase_if(proxies, [&](const policy::ProxyPtr& proxy) { return proxy->name.find(part) == std::string::npos; });
  const auto slice = take_page(*page, proxies.size(), [&](std::size_t i) {
    return std::pair<std::string_view, std::string_view>(proxies[i]->mesh, proxies[i]->name);
  });
  json::array items;
  for (auto i = slice.begin; i < slice.end; ++i) {
    items.push_back(meta_json(proxies[i]->labels, proxies[i]->mesh, proxies[i]->name, "Dataplane"));
  }
  // Members stand in alphabetical order here, and there is no `next` on the last page.
  const auto listed = list_response(call.request, proxies.size(), {}, slice.next);
  const auto whole = parse_json(listed.body);
  json::object body{{"items", std::move(items)}};
  const auto* next = whole.ok() ? find(*whole, {"next"}) : nullptr;
  if (next != nullptr && !next->is_null()) body["next"] = *next;
  body["total"] = proxies.size();
  return json_response(200, body);
}

// Of an older policy: whether some tag set of the proxy has what one of the selectors demands.
bool selects_by_tags(const json::value& spec, const policy::Proxy& proxy) {
  for (const auto* list : {"selectors", "sources", "destinations"}) {
    for (const auto& selector : policy::array_at(spec, list)) {
      const auto wanted = policy::texts_at(selector, "match");
      const bool matches = policy::has_tags(proxy.gateway_tags, wanted) ||
                           std::any_of(proxy.inbounds.begin(), proxy.inbounds.end(),
                                       [&](const auto& inbound) { return policy::has_tags(inbound.tags, wanted); });
      if (matches) return true;
    }
  }
  return false;
}

bool is_proxy_of_service(const json::value& spec, const policy::Proxy& proxy) {
  const auto name = find_text(spec, {"selector", "dataplaneRef", "name"});
  if (!name.empty()) return proxy.name == name;
  const auto* selector = find(spec, {"selector"});
  const auto* labels = selector == nullptr ? nullptr : find(*selector, {"dataplaneLabels", "matchLabels"});
  if (labels != nullptr) {
    return policy::has_tags(proxy.labels, policy::texts_at(*find(*selector, {"dataplaneLabels"}), "matchLabels"));
  }
  if (selector == nullptr || find(*selector, {"dataplaneTags"}) == nullptr) return false;
  const auto tags = policy::texts_at(*selector, "dataplaneTags");
  return std::any_of(proxy.inbounds.begin(), proxy.inbounds.end(),
                     [&](const auto& inbound) { return policy::has_tags(inbound.tags, tags); });
}

boost::asio::awaitable<Subject> find_subject(Backend& backend, const ResourceType& type, const Call& call) {
  auto look =
      [&type, mesh = call.parameter("mesh"),
       name = policy::core_name(backend.facts().control_plane, type, call.parameter("name"))](const kds::Core& core) {
        const auto* mesh_type = core.index().catalogue().find("Mesh");
        return Subject{core.index().find(*mesh_type, "", mesh) != nullptr, core.index().find(type, mesh, name)};
      };
  co_return co_await read_core(backend, std::move(look));
}

std::optional<Response> problem_of(const Subject& subject) {
  if (!subject.mesh_found) return error_response(Status(Code::not_found, ""), Operation::mesh);
  if (!subject.resource) return refusal(404, title, "Not found");
  return std::nullopt;
}

}  // namespace

Answer list_selected_dataplanes(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto subject = co_await find_subject(backend, type, call);
  if (auto problem = problem_of(subject)) co_return *problem;
  co_await catch_up(backend, views);
  std::vector<policy::ProxyPtr> selected;
  if (type.is_target_ref_policy) {
    const auto view = views.view_policy(subject.resource->mesh, type, subject.resource->name);
    for (const auto& proxy : view.candidates) {
      if (policy::select(*view.policy, *proxy, view.routes).is_selected()) selected.push_back(proxy);
    }
  } else {
    const auto spec = spec_json(*subject.resource);
    for (auto& proxy : views.proxies(subject.resource->mesh)) {
      if (selects_by_tags(spec, *proxy)) selected.push_back(std::move(proxy));
    }
  }
  co_return page_of(call, std::move(selected));
}

Answer list_service_dataplanes(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto subject = co_await find_subject(backend, type, call);
  if (auto problem = problem_of(subject)) co_return *problem;
  co_await catch_up(backend, views);
  const auto spec = spec_json(*subject.resource);
  auto proxies = views.proxies(subject.resource->mesh);
  std::erase_if(proxies, [&](const policy::ProxyPtr& proxy) { return !is_proxy_of_service(spec, *proxy); });
  co_return page_of(call, std::move(proxies));
}

}  // namespace kdsd::api
