#include "policy/engine/selection.h"

#include <algorithm>

#include "model/hash.h"
#include "model/json.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::string_view service_tag = "kuma.io/service";

// `proxyTypes`: an empty list means both.
bool takes_proxy_type(const json::value& target, const Proxy& proxy) {
  const auto& types = find_list(target, {"proxyTypes"});
  const std::string_view wanted = proxy.is_gateway() ? "Gateway" : "Sidecar";
  return types.empty() || std::any_of(types.begin(), types.end(), [&](const json::value& type) {
           return type.is_string() && std::string_view(type.get_string()) == wanted;
         });
}

void add_missing(std::vector<std::size_t>& to, const std::vector<std::size_t>& from) {
  for (const auto position : from) {
    if (std::find(to.begin(), to.end(), position) == to.end()) to.push_back(position);
  }
  std::sort(to.begin(), to.end());
}

class Selector {
 public:
  Selector(const AppliedPolicy& policy, const Proxy& proxy, const AppliedPolicies& routes)
      : policy_(policy), target_(policy.target()), proxy_(proxy), routes_(routes) {}

  Selection run() {
    if (!in_scope(policy_, proxy_.labels)) return {};
    const auto kind = find_text(target_, {"kind"});
    if (kind == "Mesh" || kind == "MeshSubset") {
      if (takes_proxy_type(target_, proxy_)) by_tags(wanted_tags());
    } else if (kind == "MeshService" || kind == "MeshServiceSubset") {
      auto wanted = kind == "MeshServiceSubset" ? wanted_tags() : Labels();
      wanted.set(service_tag, find_text(target_, {"name"}));
      by_tags(wanted);
    } else if (kind == "Dataplane") {
      if (proxy_.kind != ProxyKind::builtin_gateway && is_named_dataplane()) by_section();
    } else if (kind == "MeshGateway") {
      by_gateway();
    } else if (kind == "MeshHTTPRoute" || kind == "MeshTCPRoute") {
      by_route();
    }
    return std::move(out_);
  }

 private:
  // What the scope has checked already need not be a tag as well, so that a policy and its explicit view are alike.
  Labels wanted_tags() const {
    auto wanted = texts_at(target_, "tags");
    if (!is_limited(policy_.role)) return wanted;
    if (wanted.get(label::zone) == policy_.scope.zone) wanted.erase(label::zone);
    if (wanted.get(label::namespace_) == policy_.scope.namespace_) wanted.erase(label::namespace_);
    return wanted;
  }

  void by_tags(const Labels& wanted) {
    for (std::size_t i = 0; i < proxy_.inbounds.size(); ++i) {
      if (has_tags(proxy_.inbounds[i].tags, wanted)) out_.inbounds.push_back(i);
    }
    for (std::size_t i = 0; i < proxy_.listeners.size(); ++i) {
      if (has_tags(proxy_.listeners[i].tags, wanted)) out_.listeners.push_back(i);
    }
    out_.is_delegated_gateway = proxy_.kind == ProxyKind::delegated_gateway && has_tags(proxy_.gateway_tags, wanted);
  }

  bool is_named_dataplane() const {
    const auto labels = texts_at(target_, "labels");
    if (!labels.empty()) {
      return std::all_of(labels.begin(), labels.end(), [&](const auto& wanted) {
        return proxy_.labels.has(wanted.first) && proxy_.labels.get(wanted.first) == wanted.second;
      });
    }
    const auto name = find_text(target_, {"name"});
    const auto written = find_text(target_, {"namespace"});
    const auto& own = proxy_.labels.get(label::namespace_);
    if (name.empty()) return written.empty() || own == written;
    return display_name(proxy_.name, proxy_.labels) == name && proxy_.labels.get(label::zone) == policy_.zone() &&
           own == (written.empty() ? std::string_view(policy_.namespace_()) : written);
  }

  void by_section() {
    const auto section = find_text(target_, {"sectionName"});
    for (std::size_t i = 0; i < proxy_.inbounds.size(); ++i) {
      if (section.empty() || proxy_.inbounds[i].section() == section) out_.inbounds.push_back(i);
    }
    // It has no inbounds that a section could tell apart; 2.13 selects it all the same.
    out_.is_delegated_gateway = proxy_.kind == ProxyKind::delegated_gateway;
  }

  void by_gateway() {
    if (proxy_.kind != ProxyKind::builtin_gateway || proxy_.gateway.empty()) return;
    if (proxy_.gateway != find_text(target_, {"name"})) return;
    const auto wanted = texts_at(target_, "tags");
    for (std::size_t i = 0; i < proxy_.listeners.size(); ++i) {
      if (has_tags(proxy_.listeners[i].tags, wanted)) out_.listeners.push_back(i);
    }
  }

  bool is_named_route(const AppliedPolicy& route) const {
    if (route.type->name != find_text(target_, {"kind"})) return false;
    const auto labels = texts_at(target_, "labels");
    if (labels.empty()) return route.display_name == find_text(target_, {"name"});
    return std::all_of(labels.begin(), labels.end(), [&](const auto& wanted) {
      return route.labels.has(wanted.first) && route.labels.get(wanted.first) == wanted.second;
    });
  }

  // A route that is attached to a route selects nothing, so the recursion ends.
  void by_route() {
    bool exists = false;
    for (const auto& route : routes_) {
      if (!is_named_route(*route)) continue;
      exists = true;
      auto part = select(*route, proxy_, {});
      add_missing(out_.inbounds, part.inbounds);
      add_missing(out_.listeners, part.listeners);
      out_.is_delegated_gateway = out_.is_delegated_gateway || part.is_delegated_gateway;
    }
    if (exists) return;
    out_.warnings.push_back("the " + std::string(find_text(target_, {"kind"})) + " that " + policy_.name +
                            " is attached to does not exist");
  }

  const AppliedPolicy& policy_;
  const json::value& target_;
  const Proxy& proxy_;
  const AppliedPolicies& routes_;
  Selection out_;
};

}  // namespace

bool Selection::has_inbound(std::size_t position) const {
  return std::find(inbounds.begin(), inbounds.end(), position) != inbounds.end();
}

bool in_scope(const AppliedPolicy& policy, const Labels& proxy_labels) {
  if (policy.role == Role::producer || !is_zone_originated(policy.labels)) {
    if (!is_limited(policy.role)) return true;
  }
  const auto& zone = proxy_labels.get(label::zone);
  if (!zone.empty() && zone != policy.scope.zone) return false;
  if (!is_limited(policy.role)) return true;
  const auto& namespace_ = proxy_labels.get(label::namespace_);
  return !namespace_.empty() && namespace_ == policy.scope.namespace_;
}

bool select_by_tags(const json::value& spec, const Proxy& proxy) {
  for (const auto* list : {"selectors", "sources", "destinations"}) {
    for (const auto& selector : find_list(spec, {list})) {
      const auto wanted = texts_at(selector, "match");
      const bool matches = has_tags(proxy.gateway_tags, wanted) ||
                           std::any_of(proxy.inbounds.begin(), proxy.inbounds.end(),
                                       [&](const Inbound& inbound) { return has_tags(inbound.tags, wanted); });
      if (matches) return true;
    }
  }
  return false;
}

Selection select(const AppliedPolicy& policy, const Proxy& proxy, const AppliedPolicies& routes) {
  return Selector(policy, proxy, routes).run();
}

}  // namespace kdsd::policy
