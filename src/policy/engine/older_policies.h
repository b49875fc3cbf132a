// Policies from before target refs: they select connections by the tags of both ends, or whole proxies by tags. Which
// of them a proxy uses, and for which of its inbounds, outbounds or services (rest-api.md 9, the older endpoints).
//
// Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "model/resource.h"
#include "policy/engine/proxy.h"

namespace kdsd::policy {

bool is_older_policy(const ResourceType& type);

// What a policy is used for. In the order in which these are shown.
enum class UsedFor : std::uint8_t { proxy, inbound, outbound, service };

struct Use {
  UsedFor what = UsedFor::proxy;
  std::string name;     // of an inbound `address:port:service port`, of an outbound `address:port`, else the service
  std::string service;  // empty for a whole proxy
  ResourcePtr policy;
};

// Shown order of what policies are used for: by kind, name and service.
std::strong_ordering compare_places(const Use& a, const Use& b);

class OlderPolicies {
 public:
  // All older policies that may matter; those of other types are left out. To know the uses of one type, that type and
  // TrafficRoute are enough.
  explicit OlderPolicies(const std::vector<ResourcePtr>& policies);

  // Sorted by `compare_places`, then by type, then in the order in which they are used. Where a type takes one policy
  // only, it is the most specific one: the one whose selectors name more tags, then fewer wildcards; then the one
  // created later; then the smaller name.
  std::vector<Use> used_by(const Proxy& proxy) const;

 private:
  struct Policy {
    ResourcePtr resource;
    std::vector<Labels> selectors;
    std::vector<Labels> sources;
    std::vector<Labels> destinations;
    std::vector<Labels> routed_to;  // where a TrafficRoute sends requests instead
  };
  friend class Uses;

  static Policy parsed(const ResourcePtr& resource);

  std::vector<Policy> policies_;  // by type and name
};

}  // namespace kdsd::policy
