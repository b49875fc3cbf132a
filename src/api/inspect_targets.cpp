// The other way round: the proxies that a policy selects (policy-semantics.md 12.3), and those that a service has.
#include <algorithm>
#include <utility>

#include "api/answers.h"
#include "api/errors.h"
#include "api/inspect_endpoints.h"
#include "api/inspect_json.h"
#include "api/inspecting.h"
#include "api/list_query.h"
#include "model/document.h"
#include "model/json.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

// The page of the proxies, those whose name contains the query's `name` alone.
Response page_of(const Call& call, std::vector<policy::ProxyPtr> proxies) {
  const auto page = parse_page_query(call.request);
  if (!page.ok()) return error_response({400, policy_title, page.status().message(), page.status().violations()});
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

}  // namespace

Answer list_selected_dataplanes(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  auto selected = co_await find_selected(backend, views, type, call, Shadow::as_written);
  if (selected.refusal) co_return *selected.refusal;
  co_return page_of(call, std::move(selected.proxies));
}

Answer list_service_dataplanes(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto subject = co_await find_inspect_subject(backend, type, call);
  if (auto problem = problem_of(subject, policy_title)) co_return *problem;
  co_await catch_up(backend, views);
  const auto spec = spec_json(*subject.resource);
  auto proxies = views.proxies(subject.resource->mesh);
  std::erase_if(proxies, [&](const policy::ProxyPtr& proxy) { return !is_proxy_of_service(spec, *proxy); });
  co_return page_of(call, std::move(proxies));
}

}  // namespace kdsd::api
