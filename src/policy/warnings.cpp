#include "model/json.h"
#include "policy/type_rules.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

// An answer below 400 would not limit anything.
constexpr std::int64_t least_refusing_status = 400;

void warn_top_level(const PolicyView& policy, Outcome& outcome) {
  const auto kind = policy.top_kind();
  if (kind == "MeshService" || kind == "MeshServiceSubset" || kind == "MeshSubset") {
    outcome.warn(std::string(kind) + " value for 'targetRef.kind' is deprecated, use Dataplane with labels instead");
  } else if (kind == "MeshHTTPRoute") {
    outcome.warn("MeshHTTPRoute value for 'targetRef.kind' is deprecated, use MeshHTTPRoute in spec.to[].targetRef");
  }
}

// Old places of hash policies: `set` is the remark about the place, otherwise the one about each SourceIP in it.
void warn_hash_policies(const PolicyView& policy, std::string_view balancer, bool set, Outcome& outcome) {
  const auto& items = policy.items("to");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto* policies = find(items[i], {"default", "loadBalancer", balancer, "hashPolicies"});
    if (policies == nullptr || !policies->is_array()) continue;
    const auto conf = element("spec.to", i) + ".default.";
    const auto place = conf + "loadBalancer." + std::string(balancer) + ".hashPolicies";
    if (set) {
      outcome.warn("configuration '" + place + "' is deprecated, use '" + conf + "hashPolicies' instead");
      continue;
    }
    const auto& list = policies->get_array();
    for (std::size_t j = 0; j < list.size(); ++j) {
      if (find_text(list[j], {"type"}) != "SourceIP") continue;
      outcome.warn("SourceIP type for '" + element(place, j) + ".type' is deprecated, use Connection instead");
    }
  }
}

void warn_rate_limit_status(const PolicyView& policy, Outcome& outcome) {
  for (std::string_view section : {"from", "rules", "to"}) {
    const auto& items = policy.items(section);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto* status = find(items[i], {"default", "local", "http", "onRateLimit", "status"});
      if (status == nullptr || !status->is_int64() || status->get_int64() >= least_refusing_status) continue;
      outcome.warn("'" + element(member("spec", section), i) +
                   ".default.local.http.requestRate.status' must be 400 or higher. Please update your configuration.");
    }
  }
}

void warn_where(const PolicyView& policy, std::string_view condition, std::string_view message, Outcome& outcome) {
  if (condition == "from non-empty") {
    if (policy.has("from")) outcome.warn(std::string(message));
  } else if (condition == "from[].targetRef.kind is MeshService (once per item)") {
    for (const auto& item : policy.items("from")) {
      if (find_text(item, {"targetRef", "kind"}) == "MeshService") outcome.warn(std::string(message));
    }
  } else if (condition == "to[].default.healthyPanicThreshold set (once per item)") {
    for (const auto& item : policy.items("to")) {
      if (find(item, {"default", "healthyPanicThreshold"}) != nullptr) outcome.warn(std::string(message));
    }
  } else if (condition == "to[i].default.loadBalancer.ringHash.hashPolicies set") {
    warn_hash_policies(policy, "ringHash", true, outcome);
  } else if (condition == "to[i].default.loadBalancer.maglev.hashPolicies set") {
    warn_hash_policies(policy, "maglev", true, outcome);
  } else if (condition == "ringHash or maglev hashPolicies[j].type is SourceIP") {
    warn_hash_policies(policy, "ringHash", false, outcome);
    warn_hash_policies(policy, "maglev", false, outcome);
  } else if (condition.starts_with("{section}[i].default.local.http.onRateLimit.status below 400")) {
    warn_rate_limit_status(policy, outcome);
  }
}

}  // namespace

void collect_warnings(const PolicyView& policy, Outcome& outcome) {
  const auto* entries = find(policy.rules, {"warnings"});
  if (entries == nullptr || !entries->is_array()) return;
  for (const auto& entry : entries->get_array()) {
    if (entry.is_string()) {
      warn_top_level(policy, outcome);
    } else {
      warn_where(policy, find_text(entry, {"condition"}), find_text(entry, {"message"}), outcome);
    }
  }
}

}  // namespace kdsd::policy
