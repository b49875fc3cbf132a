#include "policy/conf_rules.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "model/json.h"
#include "policy/conf_checks.h"
#include "policy/violation_order.h"

namespace kdsd::policy {
namespace {

struct ConfRules {
  std::string_view type;
  void (*check)(const PolicyView&, const ConfValue&);
  bool in_sections = true;
};

// MeshTCPRoute and MeshTrafficPermission hold nothing that other rules do not check.
constexpr std::array<ConfRules, 14> all_rules = {{{"MeshAccessLog", check_access_log_conf},
                                                  {"MeshCircuitBreaker", check_circuit_breaker_conf},
                                                  {"MeshFaultInjection", check_fault_injection_conf},
                                                  {"MeshHTTPRoute", check_http_route_conf},
                                                  {"MeshHealthCheck", check_health_check_conf},
                                                  {"MeshLoadBalancingStrategy", check_load_balancing_conf},
                                                  {"MeshMetric", check_metric_conf, false},
                                                  {"MeshPassthrough", check_passthrough_conf, false},
                                                  {"MeshProxyPatch", check_proxy_patch_conf, false},
                                                  {"MeshRateLimit", check_rate_limit_conf},
                                                  {"MeshRetry", check_retry_conf},
                                                  {"MeshTLS", check_tls_conf},
                                                  {"MeshTimeout", check_timeout_conf},
                                                  {"MeshTrace", check_trace_conf, false}}};

// Kuma looks into the rules of a MeshAccessLog only where there is a `from`, be it empty.
bool is_looked_into(const PolicyView& policy, std::string_view section) {
  if (is_section_refused(policy, section)) return false;
  return policy.type.name != "MeshAccessLog" || section != "rules" || find(policy.spec, {"from"}) != nullptr;
}

// Kuma reports the rules of a MeshCircuitBreaker as items of `from`.
std::string_view reported_section(const PolicyView& policy, std::string_view section) {
  return policy.type.name == "MeshCircuitBreaker" && section == "rules" ? "from" : section;
}

}  // namespace

void check_conf(const PolicyView& policy, Outcome& outcome) {
  const auto* rules = std::find_if(all_rules.begin(), all_rules.end(),
                                   [&](const ConfRules& each) { return each.type == policy.type.name; });
  if (rules == all_rules.end()) return;
  if (!rules->in_sections) return rules->check(policy, ConfValue(&policy.spec, "spec", outcome));
  for (auto section : texts(find(policy.rules, {"evaluationOrder"}))) {
    if (section != "from" && section != "to" && section != "rules") continue;
    if (!is_looked_into(policy, section)) continue;
    const auto& items = policy.items(section);
    const auto path = member("spec", reported_section(policy, section));
    for (std::size_t i = 0; i < items.size(); ++i) {
      rules->check(policy, ConfValue(&items[i], element(path, i), outcome));
    }
  }
}

void add_conf_violations(const PolicyView& policy, Outcome& semantic) {
  Outcome conf;
  check_conf(policy, conf);
  if (conf.ok()) return;
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (const auto& violation : semantic.violations) known.emplace(violation.field, violation.reason);
  std::erase_if(conf.violations, [&](const Violation& violation) {
    return known.contains({violation.field, violation.reason});
  });
  semantic.violations = in_order_of_items(policy.type, std::move(semantic.violations), std::move(conf.violations));
}

}  // namespace kdsd::policy
