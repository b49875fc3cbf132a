// What insights count of one proxy: made of a Dataplane and its DataplaneInsight (rest-api.md 8). Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/resource.h"

namespace kdsd::api {

enum class ProxyKind { standard, gateway_builtin, gateway_delegated };
enum class ProxyState { offline, partially_degraded, online };

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

}  // namespace kdsd::api
