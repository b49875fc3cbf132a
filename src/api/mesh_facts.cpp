#include "api/mesh_facts.h"

#include <algorithm>

#include "api/reading.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"

namespace kdsd::api {
namespace proto = kuma::mesh::v1alpha1;
namespace {

using Stat = proto::MeshInsight::DataplaneStat;
constexpr const char* service_tag = "kuma.io/service";
constexpr const char* zone_tag = "kuma.io/zone";

std::string tag(const google::protobuf::Map<std::string, std::string>& tags, const char* key) {
  auto it = tags.find(key);
  return it == tags.end() ? std::string() : it->second;
}

bool is_ready(const proto::Dataplane::Networking::Inbound& inbound) {
  using Inbound = proto::Dataplane::Networking::Inbound;
  return inbound.state() == Inbound::Ready && (!inbound.has_health() || inbound.health().ready());
}

// The same rule as for zones: some kept subscription is open.
bool is_connected(const proto::DataplaneInsight& insight) {
  return std::any_of(insight.subscriptions().begin(), insight.subscriptions().end(), [](const auto& subscription) {
    return subscription.has_connect_time() && !subscription.has_disconnect_time();
  });
}

void take_gateway(const proto::Dataplane::Networking& networking, bool connected, ProxyFacts& facts) {
  const auto& gateway = networking.gateway();
  const bool builtin = gateway.type() == proto::Dataplane::Networking::Gateway::BUILTIN;
  facts.kind = builtin ? ProxyKind::gateway_builtin : ProxyKind::gateway_delegated;
  facts.state = connected ? ProxyState::online : ProxyState::offline;
  facts.zone = tag(gateway.tags(), zone_tag);
  if (auto service = tag(gateway.tags(), service_tag); !service.empty()) facts.services[service] = connected;
}

void take_inbounds(const proto::Dataplane::Networking& networking, bool connected, ProxyFacts& facts) {
  int counted = 0;
  int ready = 0;
  for (const auto& inbound : networking.inbound()) {
    if (inbound.state() == proto::Dataplane::Networking::Inbound::Ignored) continue;
    ++counted;
    const bool serves = connected && is_ready(inbound);
    if (is_ready(inbound)) ++ready;
    if (facts.zone.empty()) facts.zone = tag(inbound.tags(), zone_tag);
    if (auto service = tag(inbound.tags(), service_tag); !service.empty()) facts.services[service] |= serves;
  }
  if (!connected || (counted > 0 && ready == 0)) {
    facts.state = ProxyState::offline;
  } else {
    facts.state = ready == counted ? ProxyState::online : ProxyState::partially_degraded;
  }
}

void take_insight(const proto::DataplaneInsight& insight, ProxyFacts& facts) {
  facts.issued_backend = insight.mtls().issuedbackend();
  facts.supported_backends.assign(insight.mtls().supportedbackends().begin(), insight.mtls().supportedbackends().end());
  for (const auto& subscription : insight.subscriptions()) {
    if (!subscription.has_version()) continue;  // the newest one comes last
    facts.kuma_version = subscription.version().kumadp().version();
    facts.envoy_version = subscription.version().envoy().version();
  }
}

void count(Stat& stat, ProxyState state) {
  stat.set_total(stat.total() + 1);
  switch (state) {
    case ProxyState::online:
      stat.set_online(stat.online() + 1);
      return;
    case ProxyState::offline:
      stat.set_offline(stat.offline() + 1);
      return;
    case ProxyState::partially_degraded:
      stat.set_partially_degraded(stat.partially_degraded() + 1);
      return;
  }
}

void count_proxy(proto::MeshInsight& insight, const ProxyFacts& proxy) {
  count(*insight.mutable_dataplanes(), proxy.state);
  auto& by_type = *insight.mutable_dataplanesbytype();
  if (proxy.kind == ProxyKind::standard) {
    count(*by_type.mutable_standard(), proxy.state);
  } else {
    count(*by_type.mutable_gateway(), proxy.state);
    count(proxy.kind == ProxyKind::gateway_builtin ? *by_type.mutable_gatewaybuiltin()
                                                   : *by_type.mutable_gatewaydelegated(),
          proxy.state);
  }
  auto& versions = *insight.mutable_dpversions();
  if (!proxy.kuma_version.empty()) count((*versions.mutable_kumadp())[proxy.kuma_version], proxy.state);
  if (!proxy.envoy_version.empty()) count((*versions.mutable_envoy())[proxy.envoy_version], proxy.state);
  auto& mtls = *insight.mutable_mtls();
  if (!proxy.issued_backend.empty()) count((*mtls.mutable_issuedbackends())[proxy.issued_backend], proxy.state);
  for (const auto& backend : proxy.supported_backends) count((*mtls.mutable_supportedbackends())[backend], proxy.state);
}

}  // namespace

MeshFacts collect_mesh_facts(const kds::Index& index, const ResourcePtr& mesh) {
  const auto& catalogue = index.catalogue();
  MeshFacts facts;
  facts.mesh = mesh;
  auto proxies = collect(index, *catalogue.find("Dataplane"), mesh->name, catalogue.find("DataplaneInsight"));
  facts.dataplanes = std::move(proxies.resources);
  facts.insights = std::move(proxies.companions);
  facts.external_services = collect(index, *catalogue.find("ExternalService"), mesh->name, nullptr).resources;
  for (const auto* type : catalogue.types()) {
    if (!type->mesh_scoped || type->read_only || type->path.empty()) continue;
    if (const auto number = index.count(*type, mesh->name); number > 0) facts.counts[type] = number;
  }
  return facts;
}

ProxyFacts proxy_facts(const Resource& dataplane, const Resource* insight) {
  ProxyFacts facts;
  proto::Dataplane spec;
  proto::DataplaneInsight known;
  if (!spec.ParseFromString(dataplane.spec)) return facts;
  if (insight != nullptr && !known.ParseFromString(insight->spec)) known.Clear();
  if (spec.networking().has_gateway()) {
    take_gateway(spec.networking(), is_connected(known), facts);
  } else {
    take_inbounds(spec.networking(), is_connected(known), facts);
  }
  take_insight(known, facts);
  return facts;
}

proto::MeshInsight mesh_insight(const MeshFacts& facts) {
  proto::MeshInsight insight;
  insight.mutable_dataplanes();  // clients need the object even when it is empty
  insight.mutable_dpversions();
  insight.mutable_mtls();
  for (auto* stat :
       {insight.mutable_dataplanesbytype()->mutable_standard(), insight.mutable_dataplanesbytype()->mutable_gateway(),
        insight.mutable_dataplanesbytype()->mutable_gatewaybuiltin(),
        insight.mutable_dataplanesbytype()->mutable_gatewaydelegated()}) {
    stat->Clear();
  }
  for (std::size_t i = 0; i < facts.dataplanes.size(); ++i) {
    count_proxy(insight, proxy_facts(*facts.dataplanes[i], facts.insights[i].get()));
  }
  for (const auto& [type, number] : facts.counts) {
    (*insight.mutable_resources())[type->name].set_total(static_cast<std::uint32_t>(number));
    if (type->is_policy) (*insight.mutable_policies())[type->name].set_total(static_cast<std::uint32_t>(number));
  }
  auto& services = *insight.mutable_services();
  const auto seen = service_insight(facts);  // must outlive the loop
  for (const auto& [name, service] : seen.services()) {
    services.set_total(services.total() + 1);
    if (service.servicetype() == proto::ServiceInsight_Service_Type_external) {
      services.set_external(services.external() + 1);
    } else {
      services.set_internal(services.internal() + 1);
    }
  }
  return insight;
}

}  // namespace kdsd::api
