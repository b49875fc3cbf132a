// MeshCircuitBreaker and MeshFaultInjection: when traffic fails, and how it is made to.
#include "policy/conf_checks.h"
#include "policy/decimal.h"
#include "policy/text_forms.h"

namespace kdsd::policy {
namespace {

void check_standard_deviation(const ConfValue& factor) {
  if (!factor.is_set()) return;
  const auto number = decimal_of(*factor.json());
  if (!number) {
    factor.refuse("invalid number");
  } else if (number->sign <= 0) {
    factor.refuse("must be greater than 0");
  }
}

void check_detectors(const ConfValue& detectors) {
  if (!check_defined(detectors)) return;
  if (!detectors.has_any(
          {"totalFailures", "gatewayFailures", "localOriginFailures", "successRate", "failurePercentage"})) {
    return detectors.refuse(at_least_one_text(
        {"totalFailures", "gatewayFailures", "localOriginFailures", "successRate", "failurePercentage"}));
  }
  for (std::string_view detector : {"totalFailures", "gatewayFailures", "localOriginFailures"}) {
    check_above_zero(detectors.at(detector).at("consecutive"));
  }
  const auto rate = detectors.at("successRate");
  check_above_zero(rate.at("minimumHosts"));
  check_above_zero(rate.at("requestVolume"));
  check_standard_deviation(rate.at("standardDeviationFactor"));
  const auto percentage = detectors.at("failurePercentage");
  check_above_zero(percentage.at("minimumHosts"));
  check_above_zero(percentage.at("requestVolume"));
  check_whole_percentage(percentage.at("threshold"));
}

void check_outlier_detection(const ConfValue& detection) {
  if (!detection.is_set()) return;
  check_positive_duration(detection.at("interval"));
  check_positive_duration(detection.at("baseEjectionTime"));
  check_whole_percentage(detection.at("maxEjectionPercent"));
  check_percentage(detection.at("healthyPanicThreshold"));
  check_detectors(detection.at("detectors"));
}

// Faults are reported as elements of lists by their kind: `http.abort[1]` for `http[1].abort`.
ConfValue fault_at(const ConfValue& http, std::size_t index, std::string_view kind) {
  return http.at(index).at(kind).reported_at(element(member(http.path(), kind), index));
}

void check_limit(const ConfValue& limit) {
  if (limit.text().empty()) {
    limit.refuse("must be defined");
  } else if (!is_bandwidth(limit.text())) {
    limit.refuse("must be in kbps/Mbps/Gbps units");
  }
}

}  // namespace

void check_circuit_breaker_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto conf = item.at("default");
  if (!conf.has_any({"connectionLimits", "outlierDetection"})) {
    return conf.refuse("at least one of: 'connectionLimits' or 'outlierDetection' should be configured");
  }
  for (std::string_view limit :
       {"maxConnections", "maxConnectionPools", "maxPendingRequests", "maxRetries", "maxRequests"}) {
    check_above_zero(conf.at("connectionLimits").at(limit));
  }
  check_outlier_detection(conf.at("outlierDetection"));
}

void check_fault_injection_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto http = item.at("default").at("http");
  for (std::size_t i = 0; i < http.size(); ++i) {
    const auto abort = fault_at(http, i, "abort");
    check_status_code(abort.at("httpStatus"));
    check_percentage(abort.at("percentage"));
    const auto delay = fault_at(http, i, "delay");
    check_duration_not_negative(delay.at("value"));
    check_percentage(delay.at("percentage"));
    const auto bandwidth = fault_at(http, i, "responseBandwidth");
    if (bandwidth.is_set()) check_limit(bandwidth.at("limit"));
    check_percentage(bandwidth.at("percentage"));
  }
}

}  // namespace kdsd::policy
