#include "registry.h"

#include "envoy/config/core/v3/core.pb.h"
#include "envoy/service/discovery/v3/discovery.pb.h"
#include "envoy/type/v3/semantic_version.pb.h"
#include "google/rpc/status.pb.h"
#include "kdsd/v1/sync.pb.h"
#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "kuma/mesh/v1alpha1/external_service.pb.h"
#include "kuma/mesh/v1alpha1/gateway.pb.h"
#include "kuma/mesh/v1alpha1/insight.pb.h"
#include "kuma/mesh/v1alpha1/kds.pb.h"
#include "kuma/mesh/v1alpha1/mesh.pb.h"
#include "kuma/mesh/v1alpha1/metrics.pb.h"
#include "kuma/mesh/v1alpha1/proxy_template.pb.h"
#include "kuma/mesh/v1alpha1/resilience.pb.h"
#include "kuma/mesh/v1alpha1/selector.pb.h"
#include "kuma/mesh/v1alpha1/traffic.pb.h"
#include "kuma/mesh/v1alpha1/zone_proxy.pb.h"
#include "kuma/plugins/ca/config.pb.h"
#include "kuma/system/v1alpha1/config.pb.h"
#include "kuma/system/v1alpha1/datasource.pb.h"
#include "kuma/system/v1alpha1/inter_cp_ping.pb.h"
#include "kuma/system/v1alpha1/zone.pb.h"
#include "xds/core/v3/context_params.pb.h"

namespace {

// The descriptor of one message pulls in, and registers, its whole file.
template <typename... Messages>
void link() {
  (static_cast<void>(Messages::descriptor()), ...);
}

}  // namespace

void kdsd_link_protos() {
  namespace mesh = kuma::mesh::v1alpha1;
  namespace system = kuma::system::v1alpha1;
  link<mesh::CircuitBreaker, mesh::Dataplane, mesh::ExternalService, mesh::KumaResource, mesh::Mesh, mesh::MeshGateway,
       mesh::MeshInsight, mesh::MetricsBackend, mesh::ProxyTemplate, mesh::Selector, mesh::TrafficRoute,
       mesh::ZoneIngress>();
  link<system::DataSource, system::PingRequest, system::Secret, system::Zone>();
  link<kuma::plugins::ca::ProvidedCertificateAuthorityConfig>();
  link<envoy::service::discovery::v3::DeltaDiscoveryRequest, envoy::config::core::v3::Node,
       envoy::type::v3::SemanticVersion, google::rpc::Status, xds::core::v3::ContextParams>();
  link<kdsd::v1::Rejection>();
}
