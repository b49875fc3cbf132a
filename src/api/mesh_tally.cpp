#include "api/mesh_tally.h"

#include <utility>

namespace kdsd::api {
namespace proto = kuma::mesh::v1alpha1;
namespace {

using Stat = proto::MeshInsight::DataplaneStat;

// Unsigned counters: adding -1 wraps round to one less.
void count(Stat& stat, ProxyState state, int by) {
  const auto step = static_cast<std::uint32_t>(by);
  stat.set_total(stat.total() + step);
  switch (state) {
    case ProxyState::online:
      stat.set_online(stat.online() + step);
      return;
    case ProxyState::offline:
      stat.set_offline(stat.offline() + step);
      return;
    case ProxyState::partially_degraded:
      stat.set_partially_degraded(stat.partially_degraded() + step);
      return;
  }
}

void count_under(google::protobuf::Map<std::string, Stat>& stats, const std::string& key, ProxyState state, int by) {
  if (key.empty()) return;
  auto& stat = stats[key];
  count(stat, state, by);
  if (stat.total() == 0) stats.erase(key);
}

void count_under(std::map<std::string, std::uint32_t>& numbers, const std::string& key, int by) {
  if (key.empty()) return;
  auto& number = numbers[key];
  number += static_cast<std::uint32_t>(by);
  if (number == 0) numbers.erase(key);
}

}  // namespace

void MeshTally::put_proxy(const std::string& name, ProxyFacts facts) {
  remove_proxy(name);
  count(facts, 1);
  proxies_[name] = std::move(facts);
}

void MeshTally::remove_proxy(const std::string& name) {
  const auto known = proxies_.find(name);
  if (known == proxies_.end()) return;
  count(known->second, -1);
  proxies_.erase(known);
}

void MeshTally::put_external(const std::string& name, const std::string& service) {
  remove_external(name);
  count_external(service, 1);
  externals_[name] = service;
}

void MeshTally::remove_external(const std::string& name) {
  const auto known = externals_.find(name);
  if (known == externals_.end()) return;
  count_external(known->second, -1);
  externals_.erase(known);
}

void MeshTally::count(const ProxyFacts& proxy, int by) {
  api::count(*counts_.mutable_dataplanes(), proxy.state, by);
  auto& by_type = *counts_.mutable_dataplanesbytype();
  if (proxy.kind == ProxyKind::standard) {
    api::count(*by_type.mutable_standard(), proxy.state, by);
  } else {
    api::count(*by_type.mutable_gateway(), proxy.state, by);
    api::count(proxy.kind == ProxyKind::gateway_builtin ? *by_type.mutable_gatewaybuiltin()
                                                        : *by_type.mutable_gatewaydelegated(),
               proxy.state, by);
  }
  auto& versions = *counts_.mutable_dpversions();
  count_under(*versions.mutable_kumadp(), proxy.kuma_version, proxy.state, by);
  count_under(*versions.mutable_envoy(), proxy.envoy_version, proxy.state, by);
  auto& mtls = *counts_.mutable_mtls();
  count_under(*mtls.mutable_issuedbackends(), proxy.issued_backend, proxy.state, by);
  for (const auto& backend : proxy.supported_backends) {
    count_under(*mtls.mutable_supportedbackends(), backend, proxy.state, by);
  }
  for (const auto& [name, serves] : proxy.services) count_service(name, serves, proxy, by);
}

void MeshTally::count_service(const std::string& name, bool serves, const ProxyFacts& proxy, int by) {
  const auto step = static_cast<std::uint32_t>(by);
  auto& service = services_[name];
  service.proxies += step;
  if (serves) service.serving += step;
  if (proxy.kind == ProxyKind::gateway_builtin) service.builtin_gateways += step;
  if (proxy.kind == ProxyKind::gateway_delegated) service.delegated_gateways += step;
  count_under(service.issued_backends, proxy.issued_backend, by);
  count_under(service.zones, proxy.zone, by);
  forget_if_empty(name);
}

void MeshTally::count_external(const std::string& service, int by) {
  services_[service].external += static_cast<std::uint32_t>(by);
  forget_if_empty(service);
}

void MeshTally::forget_if_empty(const std::string& service) {
  const auto known = services_.find(service);
  if (known->second.proxies == 0 && known->second.external == 0) services_.erase(known);
}

proto::ServiceInsight::Service MeshTally::render(const Service& service, const std::string& address) {
  proto::ServiceInsight::Service out;
  auto& stat = *out.mutable_dataplanes();  // clients need the object even when it is empty
  stat.set_total(service.proxies);
  stat.set_online(service.serving);
  stat.set_offline(service.proxies - service.serving);
  for (const auto& [backend, number] : service.issued_backends) (*out.mutable_issuedbackends())[backend] = number;
  for (const auto& [zone, number] : service.zones) out.add_zones(zone);
  if (service.external > 0) {
    out.set_servicetype(proto::ServiceInsight_Service_Type_external);
    out.set_status(proto::ServiceInsight_Service_Status_not_available);
    return out;
  }
  if (service.delegated_gateways > 0) {
    out.set_servicetype(proto::ServiceInsight_Service_Type_gateway_delegated);
  } else if (service.builtin_gateways > 0) {
    out.set_servicetype(proto::ServiceInsight_Service_Type_gateway_builtin);
  } else {
    out.set_addressport(address);
  }
  if (service.serving == 0) {
    out.set_status(proto::ServiceInsight_Service_Status_offline);
  } else if (service.serving == service.proxies) {
    out.set_status(proto::ServiceInsight_Service_Status_online);
  } else {
    out.set_status(proto::ServiceInsight_Service_Status_partially_degraded);
  }
  return out;
}

proto::ServiceInsight MeshTally::service_insight(const std::string& suffix) const {
  proto::ServiceInsight out;
  for (const auto& [name, service] : services_) (*out.mutable_services())[name] = render(service, name + suffix);
  return out;
}

proto::MeshInsight MeshTally::mesh_insight() const {
  auto out = counts_;
  out.mutable_dataplanes();  // clients need the objects even when they are empty
  out.mutable_dpversions();
  out.mutable_mtls();
  auto& by_type = *out.mutable_dataplanesbytype();
  by_type.mutable_standard();
  by_type.mutable_gateway();
  by_type.mutable_gatewaybuiltin();
  by_type.mutable_gatewaydelegated();
  auto& services = *out.mutable_services();
  for (const auto& [name, service] : services_) {
    services.set_total(services.total() + 1);
    if (service.external > 0) {
      services.set_external(services.external() + 1);
    } else {
      services.set_internal(services.internal() + 1);
    }
  }
  return out;
}

}  // namespace kdsd::api
