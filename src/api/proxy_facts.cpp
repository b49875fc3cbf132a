#include "api/proxy_facts.h"

#include <algorithm>

#include "kuma/mesh/v1alpha1/dataplane.pb.h"

namespace kdsd::api {
namespace proto = kuma::mesh::v1alpha1;
namespace {

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

}  // namespace

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

}  // namespace kdsd::api
