// The proxies and services of one mesh, counted (rest-api.md 8). A proxy that comes, changes or goes costs what it
// counts in, however many others there are. Pure; not thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "api/proxy_facts.h"

#include "kuma/mesh/v1alpha1/insight.pb.h"

namespace kdsd::api {

class MeshTally {
 public:
  void put_proxy(const std::string& name, ProxyFacts facts);
  void remove_proxy(const std::string& name);
  // `service`: the one that the ExternalService of this name stands for.
  void put_external(const std::string& name, const std::string& service);
  void remove_external(const std::string& name);

  // What a MeshInsight says of proxies and services; numbers of resources are left out.
  kuma::mesh::v1alpha1::MeshInsight mesh_insight() const;
  // `suffix`: what makes an address of a service's name, such as `.mesh:80`.
  kuma::mesh::v1alpha1::ServiceInsight service_insight(const std::string& suffix) const;

 private:
  // Every number rises and falls with what it counts; what is at zero is not there.
  struct Service {
    std::uint32_t proxies = 0;
    std::uint32_t serving = 0;
    std::uint32_t builtin_gateways = 0;
    std::uint32_t delegated_gateways = 0;
    std::uint32_t external = 0;
    std::map<std::string, std::uint32_t> issued_backends;
    std::map<std::string, std::uint32_t> zones;
  };

  void count(const ProxyFacts& proxy, int by);
  void count_service(const std::string& name, bool serves, const ProxyFacts& proxy, int by);
  void count_external(const std::string& service, int by);
  void forget_if_empty(const std::string& service);
  static kuma::mesh::v1alpha1::ServiceInsight::Service render(const Service& service, const std::string& address);

  std::map<std::string, ProxyFacts> proxies_;     // by name
  std::map<std::string, std::string> externals_;  // service by name of the ExternalService
  std::map<std::string, Service> services_;       // by name
  kuma::mesh::v1alpha1::MeshInsight counts_;      // of proxies
};

}  // namespace kdsd::api
