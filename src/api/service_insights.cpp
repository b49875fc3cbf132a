#include <algorithm>

#include "api/mesh_facts.h"

#include "kuma/mesh/v1alpha1/external_service.pb.h"

namespace kdsd::api {
namespace proto = kuma::mesh::v1alpha1;
using Service = proto::ServiceInsight::Service;
namespace {

constexpr const char* service_tag = "kuma.io/service";
constexpr const char* address_suffix = ".mesh:80";  // the default DNS domain and virtual port

void take_proxy(const ProxyFacts& proxy, proto::ServiceInsight& insight) {
  for (const auto& [name, serves] : proxy.services) {
    auto& service = (*insight.mutable_services())[name];
    auto& stat = *service.mutable_dataplanes();
    stat.set_total(stat.total() + 1);
    if (serves) {
      stat.set_online(stat.online() + 1);
    } else {
      stat.set_offline(stat.offline() + 1);
    }
    if (!proxy.issued_backend.empty()) ++(*service.mutable_issuedbackends())[proxy.issued_backend];
    if (proxy.kind == ProxyKind::gateway_builtin)
      service.set_servicetype(proto::ServiceInsight_Service_Type_gateway_builtin);
    if (proxy.kind == ProxyKind::gateway_delegated)
      service.set_servicetype(proto::ServiceInsight_Service_Type_gateway_delegated);
    const auto& zones = service.zones();
    if (!proxy.zone.empty() && std::find(zones.begin(), zones.end(), proxy.zone) == zones.end())
      service.add_zones(proxy.zone);
  }
}

void finish(const std::string& name, Service& service) {
  const auto& stat = service.dataplanes();
  if (stat.online() == 0) {
    service.set_status(proto::ServiceInsight_Service_Status_offline);
  } else if (stat.online() == stat.total()) {
    service.set_status(proto::ServiceInsight_Service_Status_online);
  } else {
    service.set_status(proto::ServiceInsight_Service_Status_partially_degraded);
  }
  if (service.servicetype() == proto::ServiceInsight_Service_Type_internal)
    service.set_addressport(name + address_suffix);
  std::sort(service.mutable_zones()->begin(), service.mutable_zones()->end());
}

}  // namespace

proto::ServiceInsight service_insight(const MeshFacts& facts) {
  proto::ServiceInsight insight;
  for (std::size_t i = 0; i < facts.dataplanes.size(); ++i) {
    take_proxy(proxy_facts(*facts.dataplanes[i], facts.insights[i].get()), insight);
  }
  for (auto& [name, service] : *insight.mutable_services()) finish(name, service);
  for (const auto& resource : facts.external_services) {
    proto::ExternalService spec;
    if (!spec.ParseFromString(resource->spec)) continue;
    auto tag = spec.tags().find(service_tag);
    if (tag == spec.tags().end()) continue;
    auto& service = (*insight.mutable_services())[tag->second];
    service.mutable_dataplanes();
    service.set_servicetype(proto::ServiceInsight_Service_Type_external);
    service.set_status(proto::ServiceInsight_Service_Status_not_available);
    service.clear_addressport();
  }
  return insight;
}

}  // namespace kdsd::api
