// MeshTimeout, MeshHealthCheck and MeshRateLimit: times and counts.
#include "policy/conf_checks.h"
#include "policy/text_forms.h"

namespace kdsd::policy {
namespace {

constexpr std::int64_t shortest_interval_ns = 50'000'000;

void check_rate(const ConfValue& rate) {
  if (!rate.is_set()) return;
  check_above_zero(rate.at("num"));
  const auto interval = rate.at("interval");
  if (interval.nanoseconds().value_or(0) <= shortest_interval_ns) interval.refuse("must be greater than: 50ms");
}

void check_local_http(const ConfValue& http) {
  if (!http.is_set()) return;
  if (!http.has_any({"disabled", "requestRate", "onRateLimit"})) {
    return http.refuse(at_least_one_text({"disabled", "requestRate", "onRateLimit"}));
  }
  check_rate(http.at("requestRate"));
  check_above_zero(http.at("onRateLimit").at("status"));
}

void check_local_tcp(const ConfValue& tcp) {
  if (!tcp.is_set()) return;
  if (!tcp.has_any({"disabled", "connectionRate"})) {
    return tcp.refuse(at_least_one_text({"disabled", "connectionRate"}));
  }
  check_rate(tcp.at("connectionRate"));
}

}  // namespace

void check_timeout_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto conf = item.at("default");
  check_positive_duration(conf.at("connectionTimeout"));
  check_duration_not_negative(conf.at("idleTimeout"));
  const auto http = conf.at("http");
  if (!http.is_set()) return;
  // requestHeadersTimeout alone does not count.
  if (!http.has_any({"requestTimeout", "streamIdleTimeout", "maxStreamDuration", "maxConnectionDuration"})) {
    http.refuse("at least one timeout in this section should be configured");
  }
  for (std::string_view field :
       {"requestTimeout", "streamIdleTimeout", "maxStreamDuration", "maxConnectionDuration", "requestHeadersTimeout"}) {
    check_duration_not_negative(http.at(field));
  }
}

void check_health_check_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto conf = item.at("default");
  check_positive_duration(conf.at("interval"));
  check_positive_duration(conf.at("timeout"));
  check_positive_when_defined(conf.at("unhealthyThreshold"));
  check_positive_when_defined(conf.at("healthyThreshold"));
  check_positive_duration(conf.at("initialJitter"));
  check_positive_duration(conf.at("intervalJitter"));
  check_whole_percentage(conf.at("intervalJitterPercent"));
  check_percentage(conf.at("healthyPanicThreshold"));
  check_positive_duration(conf.at("noTrafficInterval"));
  if (const auto log = conf.at("eventLogPath"); log.is_set() && !is_file_path(log.text())) {
    log.refuse("must be a valid path when defined");
  }
  const auto http = conf.at("http");
  if (const auto path = http.at("path"); path.is_set() && path.text().empty()) path.refuse("must be defined");
  for_each(http.at("expectedStatuses"), check_status_code);
}

void check_rate_limit_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto local = item.at("default").at("local");
  if (!check_defined(local)) return;
  if (!local.has_any({"tcp", "http"})) local.refuse(at_least_one_text({"tcp", "http"}));
  check_local_http(local.at("http"));
  check_local_tcp(local.at("tcp"));
}

}  // namespace kdsd::policy
