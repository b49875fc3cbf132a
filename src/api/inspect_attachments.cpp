// The older inspect endpoints, which kumactl and older GUIs ask: policies by what they are attached to, and rules by
// tags (rest-api.md 9).
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "api/answers.h"
#include "api/errors.h"
#include "api/inspect_endpoints.h"
#include "api/inspect_json.h"
#include "api/inspecting.h"
#include "model/document.h"
#include "model/hash.h"
#include "model/json.h"
#include "policy/engine/from_rules.h"
#include "policy/engine/older_policies.h"
#include "policy/engine/ordering.h"
#include "policy/engine/single_item.h"
#include "policy/engine/tag_rules.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "kuma/mesh/v1alpha1/gateway.pb.h"

namespace kdsd::api {
namespace json = boost::json;
namespace proto = kuma::mesh::v1alpha1;
namespace {

constexpr const char* service_tag = "kuma.io/service";

const char* kind_of(const policy::Proxy& proxy) {
  return proxy.kind == policy::ProxyKind::builtin_gateway ? "MeshGatewayDataplane" : "SidecarDataplane";
}

json::object key_json(const std::string& mesh, const std::string& name) { return {{"mesh", mesh}, {"name", name}}; }

json::object list_json(json::array items) {
  json::object out;
  out["total"] = items.size();
  out["items"] = std::move(items);
  return out;
}

// The older policies of a mesh: those of one type with what decides about them, or all.
boost::asio::awaitable<policy::OlderPolicies> read_older(Backend& backend, std::string mesh, const ResourceType* only) {
  auto look = [mesh, only](const kds::Core& core) {
    const auto& index = core.index();
    std::vector<ResourcePtr> found;
    for (const auto* type : index.catalogue().types()) {
      const bool is_wanted = only == nullptr || type == only || type->name == "TrafficRoute";
      if (!is_wanted || !policy::is_older_policy(*type)) continue;
      index.each_in_mesh(*type, mesh, [&](const ResourcePtr& policy) { found.push_back(policy); });
    }
    return found;
  };
  co_return policy::OlderPolicies(co_await read_core(backend, std::move(look)));
}

// Resources of the policies with target refs that select the proxy: by type, the lowest first.
boost::asio::awaitable<std::vector<ResourcePtr>> find_matched(Backend& backend, const Inspected& inspected) {
  std::vector<ResourceKey> keys;
  for (const auto& matched : inspected.matched) {
    auto policies = matched.policies;
    policy::sort_policies(policies);
    for (const auto& policy : policies) keys.push_back({policy->type, policy->mesh, policy->name});
  }
  auto look = [keys](const kds::Core& core) {
    std::vector<ResourcePtr> found;
    for (const auto& key : keys) found.push_back(core.index().find(*key.type, key.mesh, key.name));
    return found;
  };
  auto found = co_await read_core(backend, std::move(look));
  std::erase(found, nullptr);
  co_return found;
}

const char* text_of(policy::UsedFor what) {
  switch (what) {
    case policy::UsedFor::proxy:
      return "dataplane";
    case policy::UsedFor::inbound:
      return "inbound";
    case policy::UsedFor::outbound:
      return "outbound";
    case policy::UsedFor::service:
      return "service";
  }
  return "";
}

json::object place_json(const policy::Use& use) {
  return {{"type", text_of(use.what)}, {"name", use.name}, {"service", use.service}};
}

// Policies with target refs belong to the proxy as a whole, older ones to what they are used for.
boost::asio::awaitable<json::array> matched_json(Backend& backend, const Inspected& inspected) {
  std::vector<policy::Use> uses;
  for (auto& resource : co_await find_matched(backend, inspected)) {
    uses.push_back({policy::UsedFor::proxy, "", "", std::move(resource)});
  }
  const auto older = co_await read_older(backend, inspected.proxy->mesh, nullptr);
  for (auto& use : older.used_by(*inspected.proxy)) uses.push_back(std::move(use));
  std::stable_sort(uses.begin(), uses.end(),
                   [](const auto& a, const auto& b) { return policy::compare_places(a, b) < 0; });
  json::array out;
  for (auto use = uses.begin(); use != uses.end();) {
    auto item = place_json(*use);
    json::object policies;
    const auto& place = *use;
    for (; use != uses.end() && policy::compare_places(place, *use) == 0; ++use) {
      const auto& type = use->policy->type->name;
      auto& metas = policies[type];
      if (!metas.is_array()) metas = json::array();
      metas.get_array().push_back(render_meta(*use->policy, type, true));
    }
    item["matchedPolicies"] = std::move(policies);
    out.push_back(std::move(item));
  }
  co_return out;
}

// The MeshGateway that a built-in gateway serves; empty when it is gone.
boost::asio::awaitable<proto::MeshGateway> find_gateway(Backend& backend, const policy::Proxy& proxy) {
  auto look = [mesh = proxy.mesh, name = proxy.gateway](const kds::Core& core) {
    ResourcePtr found;
    const auto& index = core.index();
    index.each_in_mesh(*index.catalogue().find("MeshGateway"), mesh, [&](const ResourcePtr& gateway) {
      if (display_name(gateway->name, gateway->labels) == name) found = gateway;
    });
    return found;
  };
  const auto found = co_await read_core(backend, std::move(look));
  proto::MeshGateway out;
  if (!found || !out.ParseFromString(found->spec)) out.Clear();
  co_return out;
}

// By port, with the hosts of all listeners on it.
json::array listeners_json(const proto::MeshGateway& gateway) {
  std::map<std::uint32_t, std::set<std::string>> hosts;
  std::map<std::uint32_t, proto::MeshGateway::Listener::Protocol> protocols;
  for (const auto& listener : gateway.conf().listeners()) {
    hosts[listener.port()].insert(listener.hostname().empty() ? "*" : listener.hostname());
    protocols.emplace(listener.port(), listener.protocol());
  }
  json::array out;
  for (const auto& [port, names] : hosts) {
    json::array shown;
    for (const auto& name : names) shown.push_back(json::object{{"hostName", name}, {"routes", json::array()}});
    out.push_back(json::object{{"port", port},
                               {"protocol", proto::MeshGateway_Listener_Protocol_Name(protocols[port])},
                               {"hosts", std::move(shown)}});
  }
  return out;
}

// A rule as these endpoints show it.
struct OldRule {
  std::string type;
  std::string policy_type;
  std::string name;
  Labels tags;
  json::array addresses;
  std::vector<policy::TagMatcher> matchers;
  json::value conf;
  std::vector<const policy::AppliedPolicy*> origin;
};

json::object rule_json(OldRule& rule) {
  json::object subset;
  for (const auto& matcher : rule.matchers) subset[matcher.key] = (matcher.negative ? "!" : "") + matcher.value;
  json::array origins;
  for (const auto* policy : rule.origin) origins.push_back(key_json(policy->mesh, policy->name));
  json::object out;
  out["type"] = rule.type;
  out["name"] = rule.name;
  out["addresses"] = std::move(rule.addresses);
  out["service"] = rule.tags.get(service_tag);
  out["tags"] = labels_json(rule.tags);
  out["policyType"] = rule.policy_type;
  out["subset"] = std::move(subset);
  out["conf"] = std::move(rule.conf);
  out["origins"] = std::move(origins);
  return out;
}

void add_client_rules(const Inspected& inspected, const policy::MatchedPolicies& matched, const proto::Dataplane& spec,
                      std::vector<OldRule>& out) {
  for (std::size_t i = 0; i < inspected.proxy->inbounds.size(); ++i) {
    const auto& inbound = inspected.proxy->inbounds[i];
    const auto& written = spec.networking().inbound(static_cast<int>(i));
    const auto& address = written.address().empty() ? spec.networking().address() : written.address();
    for (auto& rule : policy::merge_from(matched.on_inbound(i)).rules) {
      out.push_back({"ClientSubset", matched.type->name, inbound.tags.get(service_tag), inbound.tags,
                     json::array{json::value(address + ":" + std::to_string(inbound.port))}, std::move(rule.matchers),
                     std::move(rule.conf), std::move(rule.origin)});
    }
  }
}

bool holds_for(const policy::TagRule& rule, const Labels& tags) {
  return std::all_of(rule.matchers.begin(), rule.matchers.end(), [&](const policy::TagMatcher& matcher) {
    const bool has = tags.has(matcher.key) && tags.get(matcher.key) == matcher.value;
    return has != matcher.negative;
  });
}

void add_destination_rules(const Inspected& inspected, const policy::MatchedPolicies& matched,
                           const proto::Dataplane& spec, std::vector<OldRule>& out) {
  const auto merged = policy::merge_to_by_tags(matched.policies, inspected.routes);
  std::map<std::string, std::size_t> known;  // service to its rule
  for (const auto& outbound : spec.networking().outbound()) {
    Labels tags;
    for (const auto& [key, value] : outbound.tags()) tags.set(key, value);
    if (!tags.has(service_tag)) continue;
    const auto rule = std::find_if(merged.rules.begin(), merged.rules.end(),
                                   [&](const policy::TagRule& each) { return holds_for(each, tags); });
    if (rule == merged.rules.end()) continue;
    const auto& service = tags.get(service_tag);
    const auto [it, is_new] = known.emplace(service, out.size());
    if (is_new) {
      out.push_back(
          {"DestinationSubset", matched.type->name, service, tags, {}, rule->matchers, rule->conf, rule->origin});
    }
    const auto& address = outbound.address().empty() ? "127.0.0.1" : outbound.address();
    out[it->second].addresses.emplace_back(address + ":" + std::to_string(outbound.port()));
  }
}

void add_single_rule(const policy::MatchedPolicies& matched, std::vector<OldRule>& out) {
  if (!policy::is_single_item(*matched.type)) return;
  auto merged = policy::merge_single(matched.policies);
  out.push_back({"SingleItem", matched.type->name, "", {}, {}, {}, std::move(merged.conf), std::move(merged.origin)});
}

json::object attachments_json(const policy::Proxy& proxy, json::array attachments) {
  return {{"kind", kind_of(proxy)},
          {"dataplane", key_json(proxy.mesh, proxy.name)},
          {"attachments", std::move(attachments)}};
}

// Any proxy may use it: what it calls decides as well as what it is.
Answer list_older_attachments(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto subject = co_await find_inspect_subject(backend, type, call);
  if (!subject.mesh_found) co_return *problem_of(subject, "");
  json::array items;
  if (!subject.resource) co_return json_response(200, list_json(std::move(items)));
  const auto& policy = *subject.resource;
  const auto older = co_await read_older(backend, policy.mesh, &type);
  co_await catch_up(backend, views);
  for (const auto& proxy : views.proxies(policy.mesh)) {
    json::array attachments;
    for (const auto& use : older.used_by(*proxy)) {
      if (use.policy->key() == policy.key()) attachments.push_back(place_json(use));
    }
    if (!attachments.empty()) items.push_back(attachments_json(*proxy, std::move(attachments)));
  }
  co_return json_response(200, list_json(std::move(items)));
}

}  // namespace

Answer list_matched_policies(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto inspected = co_await inspect(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  auto items = co_await matched_json(backend, inspected);
  json::object body{{"kind", kind_of(*inspected.proxy)}};
  if (inspected.proxy->kind == policy::ProxyKind::builtin_gateway) {
    body["gateway"] = key_json(inspected.proxy->mesh, inspected.proxy->gateway);
    body["listeners"] = listeners_json(co_await find_gateway(backend, *inspected.proxy));
  }
  for (auto& member : list_json(std::move(items))) body[member.key()] = std::move(member.value());
  co_return json_response(200, body);
}

Answer list_old_rules(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto inspected = co_await inspect(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  // Of the version that the proxy was made of: its inbounds are looked up by position.
  proto::Dataplane spec;
  if (!spec.ParseFromString(inspected.proxy->resource->spec)) spec.Clear();
  std::vector<OldRule> rules;
  for (const auto& matched : inspected.matched) {
    if (matched.type->has_from) add_client_rules(inspected, matched, spec, rules);
    if (matched.type->has_to) add_destination_rules(inspected, matched, spec, rules);
    add_single_rule(matched, rules);
  }
  std::stable_sort(rules.begin(), rules.end(), [](const OldRule& a, const OldRule& b) {
    return std::tie(a.name, a.type, a.policy_type) < std::tie(b.name, b.type, b.policy_type);
  });
  json::array items;
  for (auto& rule : rules) items.push_back(rule_json(rule));
  co_return json_response(200, list_json(std::move(items)));
}

Answer list_attachments(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  if (policy::is_older_policy(type)) co_return co_await list_older_attachments(backend, views, type, call);
  const auto selected = co_await find_selected(backend, views, type, call, Shadow::in_force);
  // Kuma looks for the mesh only: a policy that is not there selects nobody.
  if (selected.refusal && !selected.is_missing) co_return *selected.refusal;
  json::array items;
  for (const auto& proxy : selected.proxies) {
    // Clients show of a built-in gateway what older policies do at its listeners, and that is not what these are.
    if (proxy->kind == policy::ProxyKind::builtin_gateway) continue;
    items.push_back(attachments_json(*proxy, json::array{place_json(policy::Use())}));
  }
  co_return json_response(200, list_json(std::move(items)));
}

Answer list_gateway_dataplanes(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto subject = co_await find_inspect_subject(backend, type, call);
  if (auto problem = problem_of(subject, "Could not find " + type.name)) co_return *problem;
  co_await catch_up(backend, views);
  const auto spec = spec_json(*subject.resource);
  json::array items;
  for (const auto& proxy : views.proxies(subject.resource->mesh)) {
    if (proxy->kind != policy::ProxyKind::builtin_gateway) continue;
    const auto& selectors = find_list(spec, {"selectors"});
    const bool is_selected = std::any_of(selectors.begin(), selectors.end(), [&](const json::value& selector) {
      const auto wanted = policy::texts_at(selector, "match");
      return policy::has_tags(proxy->gateway_tags, wanted) ||
             std::any_of(proxy->listeners.begin(), proxy->listeners.end(),
                         [&](const policy::Listener& listener) { return policy::has_tags(listener.tags, wanted); });
    });
    if (is_selected) items.push_back(json::object{{"dataplane", key_json(proxy->mesh, proxy->name)}});
  }
  co_return json_response(200, list_json(std::move(items)));
}

}  // namespace kdsd::api
