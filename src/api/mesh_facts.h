// What insights are made of: the proxies and services of one mesh, and how many resources it holds.
//
// Collecting runs on the core executor and only takes shared pointers and counters; the rest is pure and runs anywhere.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kds/index.h"
#include "model/resource.h"

#include "kuma/mesh/v1alpha1/insight.pb.h"

namespace kdsd::api {

struct MeshFacts {
  ResourcePtr mesh;
  std::vector<ResourcePtr> dataplanes;
  std::vector<ResourcePtr> insights;  // of the data plane at the same position; null where there is none
  std::vector<ResourcePtr> external_services;
  std::map<const ResourceType*, std::size_t> counts;  // of mesh-scoped types, insights left out; only what exists
};

MeshFacts collect_mesh_facts(const kds::Index& index, const ResourcePtr& mesh);

enum class ProxyKind { standard, gateway_builtin, gateway_delegated };
enum class ProxyState { offline, partially_degraded, online };

// One proxy, as far as it is counted.
struct ProxyFacts {
  ProxyKind kind = ProxyKind::standard;
  ProxyState state = ProxyState::offline;
  std::map<std::string, bool> services;  // by name: whether it serves it now
  std::string zone;
  std::string kuma_version;
  std::string envoy_version;
  std::string issued_backend;
  std::vector<std::string> supported_backends;
};

// `insight` may be null.
ProxyFacts proxy_facts(const Resource& dataplane, const Resource* insight);

kuma::mesh::v1alpha1::MeshInsight mesh_insight(const MeshFacts& facts);
kuma::mesh::v1alpha1::ServiceInsight service_insight(const MeshFacts& facts);

}  // namespace kdsd::api
