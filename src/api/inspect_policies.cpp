// The policies of one proxy, of one inbound, of one outbound and of one route (policy-semantics.md 12.2).
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "api/answers.h"
#include "api/errors.h"
#include "api/inspect_endpoints.h"
#include "api/inspect_json.h"
#include "api/inspecting.h"
#include "model/json.h"
#include "model/kri.h"
#include "policy/engine/from_rules.h"
#include "policy/engine/item_conf.h"
#include "policy/engine/policy_kri.h"
#include "policy/engine/route_conf.h"
#include "policy/engine/single_item.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

// The proxy, or the refusal that all of these have in common.
boost::asio::awaitable<Inspected> inspect_exclusive(Backend& backend, PolicyViews& views, const ResourceType& type,
                                                    const Call& call) {
  auto inspected = co_await inspect(backend, views, type, call);
  if (!inspected.refusal && !is_exclusive(*inspected.mesh)) {
    inspected.refusal =
        refusal(400, "Bad Request", "bad request: can't use _policies endpoint without meshService enabled");
  }
  co_return inspected;
}

// A KRI of the path, apart from its section.
struct PathKri {
  std::optional<Response> refusal;
  std::string object;
  std::string section;
};

PathKri kri_of_path(const Call& call, std::string_view parameter) {
  PathKri out;
  auto kri = parse_kri(Catalogue::builtin(), call.parameter(parameter));
  if (!kri.ok()) {
    out.refusal = refusal(400, "Bad Request", "bad request: " + kri.status().message());
    return out;
  }
  out.section = std::exchange(kri->section, {});
  out.object = kri->text();
  return out;
}

bool is_route(const ResourceType& type) { return type.to_conf != ToConf::ordinary; }

json::array confs_json(const policy::ToRule& rule) {
  json::array out;
  for (const auto& conf : rule.confs) out.push_back(conf.conf);
  return out;
}

// For each type with a rule for the outbound (or, where a route is named, for the route) what `show` makes of it.
boost::asio::awaitable<json::array> outbound_rules(
    Backend& backend, const Inspected& inspected, PathKri outbound, std::string route_kri,
    std::function<bool(const ResourceType&)> takes,
    std::function<json::object(const ResourceType&, const policy::ToRule&)> show) {
  std::vector<policy::AppliedPolicies> policies;
  for (const auto& matched : inspected.matched) {
    if (!matched.type->has_to || !takes(*matched.type)) continue;
    if (auto about = matched.for_destinations(); !about.empty()) policies.push_back(std::move(about));
  }
  const auto targets = co_await find_targets(backend, policies);
  json::array out;
  for (const auto& of_type : policies) {
    const auto rules = policy::merge_to(of_type, Catalogue::builtin(), targets->lookup(), {}, false);
    const auto* rule = rules.find(outbound.object, outbound.section, route_kri);
    if (rule != nullptr) out.push_back(show(*of_type.front()->type, *rule));
  }
  co_return out;
}

json::object policy_of_outbound(const ResourceType& type, const policy::ToRule& rule) {
  return {{"conf", confs_json(rule)}, {"kind", type.name}, {"origins", kri_origins(rule.origin)}};
}

// The highest item that has a rule with these matches.
std::string kri_of_matches(const policy::ToRule& rule, const json::value& matches) {
  const auto wanted = policy::canonical_text(matches);
  for (auto item = rule.origin.rbegin(); item != rule.origin.rend(); ++item) {
    for (const auto& each : find_list(item->policy->items("to")[item->index], {"rules"})) {
      const auto* own = find(each, {"matches"});
      if (own != nullptr && policy::canonical_text(*own) == wanted) return kri_text(*item->policy);
    }
  }
  return {};
}

json::object route_of_outbound(const ResourceType& type, const policy::ToRule& rule) {
  json::array rules;
  for (const auto& conf : rule.confs) {
    if (type.to_conf == ToConf::rule) {
      rules.push_back(json::object{{"conf", policy::default_of(conf.conf)}, {"kri", ""}, {"matches", json::value()}});
      continue;
    }
    for (const auto& each : find_list(conf.conf, {"rules"})) {
      const auto* matches = find(each, {"matches"});
      const auto shown = matches == nullptr ? json::value(json::array()) : *matches;
      rules.push_back(
          json::object{{"conf", policy::default_of(each)}, {"kri", kri_of_matches(rule, shown)}, {"matches", shown}});
    }
  }
  return {{"kind", type.name}, {"origins", kri_origins(rule.origin)}, {"rules", std::move(rules)}};
}

Response list_of(const char* name, json::array entries) {
  json::object body;
  body[name] = std::move(entries);
  return json_response(200, body);
}

}  // namespace

Answer get_proxy_policies(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto inspected = co_await inspect_exclusive(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  json::array policies;
  for (const auto& matched : inspected.matched) {
    if (!policy::is_single_item(*matched.type)) continue;
    auto merged = policy::merge_single(matched.policies);
    policies.push_back(json::object{
        {"conf", std::move(merged.conf)}, {"kind", matched.type->name}, {"origins", kri_origins(merged.origin)}});
  }
  co_return list_of("policies", std::move(policies));
}

Answer get_inbound_policies(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto inspected = co_await inspect_exclusive(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  const auto wanted = kri_of_path(call, "kri");
  if (wanted.refusal) co_return *wanted.refusal;
  const auto& inbounds = inspected.proxy->inbounds;
  const auto found = std::find_if(inbounds.begin(), inbounds.end(),
                                  [&](const policy::Inbound& inbound) { return inbound.section() == wanted.section; });
  if (found == inbounds.end()) {
    co_return refusal(404, "Could not retrieve inbound", "Not found");
  }
  json::array policies;
  for (const auto& matched : inspected.matched) {
    const auto selecting = matched.on_inbound(static_cast<std::size_t>(found - inbounds.begin()));
    json::array rules;
    json::array origins;
    for (const auto& rule : policy::ordered_inbound_rules(selecting)) {
      const auto kri = kri_text(*rule.policy);
      rules.push_back(json::object{{"conf", policy::default_of(*rule.item)}, {"kri", kri}});
      origins.push_back(json::object{{"kri", kri}});
    }
    if (rules.empty()) continue;
    policies.push_back(
        json::object{{"kind", matched.type->name}, {"origins", std::move(origins)}, {"rules", std::move(rules)}});
  }
  co_return list_of("policies", std::move(policies));
}

Answer get_outbound_policies(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto inspected = co_await inspect_exclusive(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  const auto outbound = kri_of_path(call, "kri");
  if (outbound.refusal) co_return *outbound.refusal;
  auto policies = co_await outbound_rules(
      backend, inspected, outbound, "", [](const ResourceType&) { return true; }, policy_of_outbound);
  co_return list_of("policies", std::move(policies));
}

Answer get_outbound_routes(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto inspected = co_await inspect_exclusive(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  const auto outbound = kri_of_path(call, "kri");
  if (outbound.refusal) co_return *outbound.refusal;
  auto routes = co_await outbound_rules(backend, inspected, outbound, "", is_route, route_of_outbound);
  co_return list_of("routes", std::move(routes));
}

Answer get_route_policies(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto inspected = co_await inspect_exclusive(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  const auto outbound = kri_of_path(call, "kri");
  if (outbound.refusal) co_return *outbound.refusal;
  const auto route = kri_of_path(call, "route");
  if (route.refusal) co_return *route.refusal;
  auto policies = co_await outbound_rules(
      backend, inspected, outbound, route.object, [](const ResourceType& each) { return !is_route(each); },
      policy_of_outbound);
  co_return list_of("policies", std::move(policies));
}

}  // namespace kdsd::api
