#include <boost/json/object.hpp>

#include "api/answers.h"
#include "api/insight_endpoints.h"
#include "api/insights.h"
#include "api/reading.h"
#include "kds/zone_registry.h"
#include "model/timestamp.h"

#include "kuma/mesh/v1alpha1/zone_proxy.pb.h"
#include "kuma/system/v1alpha1/zone.pb.h"

namespace kdsd::api {
namespace json = boost::json;
namespace proto = kuma::mesh::v1alpha1;
namespace {

// Everything the whole insight counts, taken in one look.
struct WholeFacts {
  Collected zones;
  Collected ingresses;
  Collected egresses;
  std::map<const ResourceType*, std::size_t> counts;
};

WholeFacts collect_whole(const kds::Core& core) {
  const auto& index = core.index();
  const auto& catalogue = index.catalogue();
  WholeFacts whole;
  whole.zones = collect(index, *catalogue.find("Zone"), "", catalogue.find("ZoneInsight"));
  whole.ingresses = collect(index, *catalogue.find("ZoneIngress"), "", catalogue.find("ZoneIngressInsight"));
  whole.egresses = collect(index, *catalogue.find("ZoneEgress"), "", catalogue.find("ZoneEgressInsight"));
  for (const auto* type : catalogue.types()) {
    if (type->read_only || type->path.empty()) continue;
    if (const auto number = index.count(*type); number > 0) whole.counts[type] = number;
  }
  return whole;
}

struct Counter {
  std::size_t online = 0;
  std::size_t offline = 0;
  std::size_t partially_degraded = 0;

  void add(const proto::MeshInsight::DataplaneStat& stat) {
    online += stat.online();
    offline += stat.offline();
    partially_degraded += stat.partially_degraded();
  }
  void add(const proto::ServiceInsight::Service& service) {
    if (service.status() == proto::ServiceInsight_Service_Status_online) {
      ++online;
    } else if (service.status() == proto::ServiceInsight_Service_Status_partially_degraded) {
      ++partially_degraded;
    } else {
      ++offline;
    }
  }
  json::object render() const {
    return {{"offline", offline},
            {"online", online},
            {"partiallyDegraded", partially_degraded},
            {"total", online + offline + partially_degraded}};
  }
};

bool is_zone_online(const Resource& zone, const Resource* insight) {
  kuma::system::v1alpha1::Zone spec;
  kuma::system::v1alpha1::ZoneInsight known;
  if (insight == nullptr || !known.ParseFromString(insight->spec) || !kds::is_online(known)) return false;
  return spec.ParseFromString(zone.spec) && (!spec.has_enabled() || spec.enabled().value());
}

template <typename Insight>
bool is_proxy_online(const Resource&, const Resource* insight) {
  Insight known;
  if (insight == nullptr || !known.ParseFromString(insight->spec)) return false;
  for (const auto& subscription : known.subscriptions()) {
    if (subscription.has_connect_time() && !subscription.has_disconnect_time()) return true;
  }
  return false;
}

json::object online_of(const Collected& found, bool (*is_online)(const Resource&, const Resource*)) {
  std::size_t online = 0;
  for (std::size_t i = 0; i < found.resources.size(); ++i) {
    if (is_online(*found.resources[i], found.companions[i].get())) ++online;
  }
  return {{"online", online}, {"total", found.resources.size()}};
}

json::object render_dataplanes(const std::vector<MeshInsights>& meshes) {
  Counter standard;
  Counter builtin;
  Counter delegated;
  for (const auto& mesh : meshes) {
    const auto& by_type = mesh.whole.dataplanesbytype();
    standard.add(by_type.standard());
    builtin.add(by_type.gatewaybuiltin());
    delegated.add(by_type.gatewaydelegated());
  }
  return {
      {"gatewayBuiltin", builtin.render()}, {"gatewayDelegated", delegated.render()}, {"standard", standard.render()}};
}

json::object render_services(const std::vector<MeshInsights>& meshes) {
  std::size_t external = 0;
  Counter builtin;
  Counter delegated;
  Counter internal;
  for (const auto& mesh : meshes) {
    for (const auto& [name, service] : mesh.services.services()) {
      switch (service.servicetype()) {
        case proto::ServiceInsight_Service_Type_external:
          ++external;
          break;
        case proto::ServiceInsight_Service_Type_gateway_builtin:
          builtin.add(service);
          break;
        case proto::ServiceInsight_Service_Type_gateway_delegated:
          delegated.add(service);
          break;
        default:
          internal.add(service);
          break;
      }
    }
  }
  return {{"external", json::object{{"total", external}}},
          {"gatewayBuiltin", builtin.render()},
          {"gatewayDelegated", delegated.render()},
          {"internal", internal.render()}};
}

std::size_t count_of(const WholeFacts& whole, std::string_view type) {
  auto it = whole.counts.find(Catalogue::builtin().find(type));
  return it == whole.counts.end() ? 0 : it->second;
}

}  // namespace

Answer get_global_insight(Backend& backend, InsightViews& views, const Call&) {
  const auto meshes = co_await find_insights(backend, views, "");
  auto look = [](const kds::Core& core) { return collect_whole(core); };
  const auto whole = co_await read_core(backend, std::move(look));
  json::object resources;
  std::size_t policies = 0;
  for (const auto* type : Catalogue::builtin().types()) {
    const auto number = count_of(whole, type->name);
    if (number > 0) resources[type->name] = json::object{{"total", number}};
    if (type->is_policy) policies += number;
  }
  json::object body;
  body["createdAt"] = format_time(backend.now());
  body["dataplanes"] = render_dataplanes(meshes);
  body["meshes"] = json::object{{"total", meshes.size()}};
  body["policies"] = json::object{{"total", policies}};
  body["resources"] = std::move(resources);
  body["services"] = render_services(meshes);
  body["zones"] =
      json::object{{"controlPlanes", online_of(whole.zones, is_zone_online)},
                   {"zoneEgresses", online_of(whole.egresses, is_proxy_online<proto::ZoneEgressInsight>)},
                   {"zoneIngresses", online_of(whole.ingresses, is_proxy_online<proto::ZoneIngressInsight>)}};
  co_return json_response(200, body);
}

Answer get_global_insights(Backend& backend, const Call&) {
  auto look = [](const kds::Core& core) {
    std::map<std::string, std::size_t> totals;
    for (const auto* type : core.index().catalogue().types()) {
      if (type->mesh_scoped || type->read_only || type->path.empty()) continue;
      totals[type->name] = core.index().count(*type);
    }
    return totals;
  };
  const auto totals = co_await read_core(backend, std::move(look));
  json::object resources;
  for (const auto& [name, number] : totals) resources[name] = json::object{{"total", number}};
  json::object body;
  body["type"] = "GlobalInsights";
  body["creationTime"] = format_time(backend.now());
  body["resources"] = std::move(resources);
  co_return json_response(200, body);
}

}  // namespace kdsd::api
