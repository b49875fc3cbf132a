// `_rules`: what all policies together say about one proxy; and `_rbac`: who may call it (policy-semantics.md 12.1, 9).
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "api/answers.h"
#include "api/errors.h"
#include "api/evaluation_query.h"
#include "api/inspect_endpoints.h"
#include "api/inspect_json.h"
#include "api/inspecting.h"
#include "model/json.h"
#include "policy/engine/from_rules.h"
#include "policy/engine/item_conf.h"
#include "policy/engine/origin_json.h"
#include "policy/engine/rbac.h"
#include "policy/engine/single_item.h"
#include "policy/engine/tag_rules.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

using policy::MatchedPolicies;

// An inbound of a sidecar, or a listener of a built-in gateway.
struct Entrance {
  json::object shown;
  std::uint32_t port = 0;
  policy::AppliedPolicies policies;
};

std::vector<Entrance> entrances_of(const policy::Proxy& proxy, const MatchedPolicies& matched) {
  std::vector<Entrance> out;
  for (std::size_t i = 0; i < proxy.inbounds.size(); ++i) {
    const auto& inbound = proxy.inbounds[i];
    json::object shown;
    if (!inbound.name.empty()) shown["name"] = inbound.name;
    shown["port"] = inbound.port;
    shown["tags"] = labels_json(inbound.tags);
    out.push_back({std::move(shown), inbound.port, matched.on_inbound(i)});
  }
  for (std::size_t i = 0; i < proxy.listeners.size(); ++i) {
    const auto& listener = proxy.listeners[i];
    json::object shown{{"port", listener.port}, {"tags", labels_json(proxy.gateway_tags)}};
    out.push_back({std::move(shown), listener.port, matched.on_listener(i)});
  }
  std::stable_sort(out.begin(), out.end(), [](const Entrance& a, const Entrance& b) { return a.port < b.port; });
  return out;
}

// One type, as it is shown.
class TypeRules {
 public:
  TypeRules(const Inspected& inspected, const MatchedPolicies& matched, bool with_origin)
      : inspected_(inspected), matched_(matched), with_origin_(with_origin), warnings_(matched.warnings) {}

  // Nothing where the policies give no rule.
  std::optional<json::object> run(const policy::ObjectLookup& objects) {
    const auto& type = *matched_.type;
    json::object out;
    if (type.has_from) add(out, "fromRules", from_rules());
    if (type.has_rules || type.from_as_rules) add(out, "inboundRules", inbound_rules());
    if (policy::is_single_item(type)) {
      out["proxyRule"] = proxy_rule();
      has_rules_ = true;
    }
    if (type.has_to) {
      add(out, "toResourceRules", to_resource_rules(objects));
      add(out, "toRules", is_exclusive(*inspected_.mesh) ? json::array() : to_rules());
    }
    if (!has_rules_) return std::nullopt;
    out["type"] = type.name;
    out["warnings"] = json::array(warnings_.begin(), warnings_.end());
    return out;
  }

 private:
  void add(json::object& out, const char* name, json::array rules) {
    has_rules_ = has_rules_ || !rules.empty();
    out[name] = std::move(rules);
  }

  void add_fields(json::object& shown, const std::vector<policy::FieldOrigin>& fields,
                  const std::function<std::string(std::size_t)>& name_of) const {
    if (with_origin_) shown["fields"] = policy::origin_json(fields, name_of);
  }

  json::array from_rules() {
    json::array out;
    for (const auto& entrance : entrances_of(*inspected_.proxy, matched_)) {
      if (entrance.policies.empty()) continue;
      policy::FromOptions options;
      options.with_fields = with_origin_;
      const auto merged = policy::merge_from(entrance.policies, options);
      for (const auto& note : merged.notes) warn(note);
      json::array rules;
      for (const auto& rule : merged.rules) {
        json::object shown{
            {"conf", rule.conf}, {"matchers", matchers_json(rule.matchers)}, {"origin", meta_origins(rule.origin)}};
        add_fields(shown, rule.fields, [&](std::size_t source) { return rule.origin[source]->name; });
        rules.push_back(std::move(shown));
      }
      if (rules.empty()) continue;
      out.push_back(json::object{{"inbound", entrance.shown}, {"rules", std::move(rules)}});
    }
    return out;
  }

  json::array inbound_rules() {
    json::array out;
    for (const auto& entrance : entrances_of(*inspected_.proxy, matched_)) {
      json::array rules;
      for (const auto& rule : policy::ordered_inbound_rules(entrance.policies)) {
        json::object shown{{"conf", json::array{policy::default_of(*rule.item)}}};
        if (const auto* matches = find(*rule.item, {"matches"})) shown["matches"] = *matches;
        shown["origin"] = json::array{item_origin(*rule.policy, rule.index)};
        rules.push_back(std::move(shown));
      }
      if (rules.empty()) continue;
      out.push_back(json::object{{"inbound", entrance.shown}, {"rules", std::move(rules)}});
    }
    return out;
  }

  json::object proxy_rule() const {
    const auto merged = policy::merge_single(matched_.policies);
    json::object out{{"conf", merged.conf}, {"origin", meta_origins(merged.origin)}};
    add_fields(out, merged.fields, [&](std::size_t source) { return merged.origin[source]->name; });
    return out;
  }

  json::array to_resource_rules(const policy::ObjectLookup& objects) {
    const auto merged = policy::merge_to(matched_.for_destinations(), Catalogue::builtin(), objects, {}, with_origin_);
    if (!merged.is_complete()) warn(policy::too_many_rules_note);
    std::vector<const policy::ToRule*> sorted;
    for (const auto& rule : merged.all()) sorted.push_back(&rule);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
      return std::tie(a->target.name, a->target.section) < std::tie(b->target.name, b->target.section);
    });
    json::array out;
    for (const auto* rule : sorted) {
      const auto& target = rule->target;
      json::array confs;
      json::array fields;
      for (const auto& conf : rule->confs) {
        confs.push_back(conf.conf);
        fields.push_back(policy::origin_json(conf.fields, [&](std::size_t source) {
          return rule->origin[source].policy->name + "[" + std::to_string(rule->origin[source].index) + "]";
        }));
      }
      json::array origin;
      for (const auto& item : rule->origin) origin.push_back(item_origin(*item.policy, item.index));
      json::object shown{{"conf", std::move(confs)}, {"origin", std::move(origin)}};
      const auto& labels = target.type->name == "Mesh" ? inspected_.mesh->labels : target.labels;
      shown["resourceMeta"] = meta_json(labels, target.mesh, target.name, target.type->name);
      shown["resourceSectionName"] = target.section;
      if (with_origin_) shown["fields"] = std::move(fields);
      out.push_back(std::move(shown));
    }
    return out;
  }

  json::array to_rules() {
    const auto merged = policy::merge_to_by_tags(matched_.policies, inspected_.routes, with_origin_);
    for (const auto& note : merged.notes) warn(note);
    json::array out;
    for (const auto& rule : merged.rules) {
      json::object shown{
          {"conf", rule.conf}, {"matchers", matchers_json(rule.matchers)}, {"origin", meta_origins(rule.origin)}};
      add_fields(shown, rule.fields, [&](std::size_t source) { return rule.origin[source]->name; });
      out.push_back(std::move(shown));
    }
    return out;
  }

  void warn(const std::string& text) {
    if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) warnings_.push_back(text);
  }

  const Inspected& inspected_;
  const MatchedPolicies& matched_;
  const bool with_origin_;
  std::vector<std::string> warnings_;
  bool has_rules_ = false;
};

// The matches in rules by tags of the routes that select the proxy, by their hash; as 2.13 those alone, for which it
// lists them.
json::array http_matches(const Inspected& inspected) {
  std::map<std::string, json::value> by_hash;
  for (const auto& of_type : inspected.matched) {
    if (of_type.type->to_conf != ToConf::routes) continue;
    for (const auto& by_tags : policy::merge_to_by_tags(of_type.policies, inspected.routes).rules) {
      for (const auto& rule : find_list(by_tags.conf, {"rules"})) {
        if (const auto* matches = find(rule, {"matches"})) by_hash[policy::matches_hash(*matches)] = *matches;
      }
    }
  }
  json::array out;
  for (auto& [hash, matches] : by_hash) {
    out.push_back(json::object{{"hash", hash}, {"match", std::move(matches)}});
  }
  return out;
}

std::vector<policy::AppliedPolicies> policies_with_targets(const std::vector<MatchedPolicies>& matched) {
  std::vector<policy::AppliedPolicies> out;
  for (const auto& of_type : matched) {
    if (of_type.type->has_to) out.push_back(of_type.for_destinations());
  }
  return out;
}

}  // namespace

Answer get_rules(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto with_origin = flag_of_query(call.request, "origin");
  if (!with_origin.ok()) co_return error_response(with_origin.status(), Operation::get);
  const auto inspected = co_await inspect(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  const auto targets = co_await find_targets(backend, policies_with_targets(inspected.matched));
  const auto objects = targets->lookup();
  json::array rules;
  for (const auto& matched : inspected.matched) {
    if (auto shown = TypeRules(inspected, matched, *with_origin).run(objects)) rules.push_back(std::move(*shown));
  }
  const auto& resource = *inspected.resource;
  json::object body;
  body["httpMatches"] = http_matches(inspected);
  body["resource"] = meta_json(resource.labels, resource.mesh, resource.name, type.name);
  body["rules"] = std::move(rules);
  co_return json_response(200, body);
}

Answer get_rbac(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call) {
  const auto inspected = co_await inspect(backend, views, type, call);
  if (inspected.refusal) co_return *inspected.refusal;
  const auto permissions =
      std::find_if(inspected.matched.begin(), inspected.matched.end(),
                   [](const MatchedPolicies& matched) { return matched.type->name == policy::permission_type; });
  policy::RbacOptions options;
  options.mesh = inspected.mesh->name;
  options.has_mtls = has_mtls(*inspected.mesh);
  json::array inbounds;
  for (std::size_t i = 0; i < inspected.proxy->inbounds.size(); ++i) {
    const auto& inbound = inspected.proxy->inbounds[i];
    const auto policies =
        permissions == inspected.matched.end() ? policy::AppliedPolicies() : permissions->on_inbound(i);
    auto rbac = policy::rbac_of(policies, options);
    json::object shown;
    if (!inbound.name.empty()) shown["name"] = inbound.name;
    shown["port"] = inbound.port;
    shown["tags"] = labels_json(inbound.tags);
    if (!rbac.ok()) {
      // Without `config`: null would say that there is no filter.
      json::array problem{json::value(rbac.status().message())};
      inbounds.push_back(json::object{{"inbound", std::move(shown)}, {"warnings", std::move(problem)}});
      continue;
    }
    json::array warnings(rbac->warnings.begin(), rbac->warnings.end());
    inbounds.push_back(json::object{
        {"config", std::move(rbac->config)}, {"inbound", std::move(shown)}, {"warnings", std::move(warnings)}});
  }
  const auto& resource = *inspected.resource;
  json::object body;
  body["inbounds"] = std::move(inbounds);
  body["resource"] = meta_json(resource.labels, resource.mesh, resource.name, type.name);
  co_return json_response(200, body);
}

}  // namespace kdsd::api
