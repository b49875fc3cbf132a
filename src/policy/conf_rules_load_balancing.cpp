// MeshLoadBalancingStrategy.
#include <algorithm>

#include "policy/conf_checks.h"
#include "policy/decimal.h"

namespace kdsd::policy {
namespace {

// The member in which a hash policy of a type says what is hashed.
std::string_view member_of(std::string_view type) {
  if (type == "Header") return "header";
  if (type == "Cookie") return "cookie";
  if (type == "QueryParameter") return "queryParameter";
  if (type == "FilterState") return "filterState";
  return "connection";
}

void check_hash_policy(const ConfValue& policy) {
  if (!check_defined(policy.at(member_of(policy.at("type").text())))) return;
  if (policy.at("type").text() != "Cookie") return;
  const auto path = policy.at("cookie").at("path");
  if (path.is_set() && !path.text().starts_with('/')) path.refuse("must be an absolute path");
}

void check_balancer(const ConfValue& balancer) {
  const auto type = balancer.at("type").text();
  if (type == "RingHash") {
    for_each(balancer.at("ringHash").at("hashPolicies"), check_hash_policy);
  } else if (type == "Maglev") {
    for_each(balancer.at("maglev").at("hashPolicies"), check_hash_policy);
  } else if (type == "LeastRequest") {
    const auto bias = balancer.at("leastRequest").at("activeRequestBias");
    if (!bias.is_set()) return;
    const auto number = decimal_of(*bias.json());
    if (!number) {
      bias.refuse("string must be a valid number");
    } else if (number->sign < 0) {
      bias.refuse("must be greater or equal then: 0");
    }
  }
}

void check_local_zone(const ConfValue& zone) {
  const auto tags = zone.at("affinityTags");
  std::size_t weights = 0;
  for_each(tags, [&](const ConfValue& tag) {
    if (const auto key = tag.at("key"); key.text().empty()) key.refuse("must not be empty");
    check_above_zero(tag.at("weight"));
    weights += tag.has("weight") ? 1 : 0;
  });
  if (weights > 0 && weights != tags.size()) tags.refuse("all or none affinity tags should have weight");
}

void check_failover(const ConfValue& failover) {
  if (const auto from = failover.at("from"); from.is_set()) {
    const auto zones = from.at("zones");
    if (zones.size() == 0) zones.refuse("must not be empty");
    for_each(zones, [](const ConfValue& zone) {
      if (zone.text().empty()) zone.refuse("must not be empty");
    });
  }
  const std::string type(failover.at("to").at("type").text());
  const auto zones = failover.at("to").at("zones");
  const bool takes_zones = type == "Only" || type == "AnyExcept";
  if (takes_zones == (zones.size() > 0)) return;
  zones.refuse(std::string(takes_zones ? "must not be empty" : "must be empty") + " when type is " + type);
}

void check_cross_zone(const ConfValue& zone) {
  for_each(zone.at("failover"), check_failover);
  const auto percentage = zone.at("failoverThreshold").at("percentage");
  check_percentage(percentage);
  if (!percentage.is_set()) return;
  if (const auto number = decimal_of(*percentage.json()); number && number->sign == 0) {
    percentage.refuse("must be greater than 0");
  }
}

}  // namespace

void check_load_balancing_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto conf = item.at("default");
  const auto policies = conf.at("hashPolicies");
  if (item.at("targetRef").at("kind").text() == "MeshHTTPRoute") return for_each(policies, check_hash_policy);
  const auto balancer = conf.at("loadBalancer");
  check_balancer(balancer);
  check_local_zone(conf.at("localityAwareness").at("localZone"));
  check_cross_zone(conf.at("localityAwareness").at("crossZone"));
  for_each(policies, check_hash_policy);
  if (!policies.is_set()) return;
  for (std::string_view kind : {"ringHash", "maglev"}) {
    const auto older = balancer.at(kind).at("hashPolicies");
    if (older.is_set()) older.refuse("hashPolicies already specified in the root level");
  }
}

}  // namespace kdsd::policy
