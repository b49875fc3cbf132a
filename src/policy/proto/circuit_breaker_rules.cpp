// CircuitBreaker.
#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

constexpr std::int64_t whole = 100;

void check_whole_percent(const ConfValue& value) {
  if (natural(value) > whole) value.refuse("has to be in [0.0 - 100.0] range");
}

void check_conf(const ConfValue& conf) {
  const auto detectors = conf.at("detectors");
  const auto thresholds = conf.at("thresholds");
  const bool has_detectors =
      detectors.has_any({"totalErrors", "gatewayErrors", "localErrors", "standardDeviation", "failure"});
  const bool has_thresholds = thresholds.has_any({"maxConnections", "maxPendingRequests", "maxRetries", "maxRequests"});
  if (!has_detectors && !has_thresholds) {
    return conf.refuse("must have at least one of the detector or threshold configured");
  }
  if (detectors.is_set() && !has_detectors) detectors.refuse("can't be empty");
  check_whole_percent(conf.at("maxEjectionPercent"));
  check_whole_percent(detectors.at("failure").at("threshold"));
  if (thresholds.is_set() && !has_thresholds) thresholds.refuse("can't be empty");
}

}  // namespace

void check_circuit_breaker(const ConfValue& spec) {
  check_selectors(spec.at("sources"), tag_and_service);
  check_service_selectors(spec.at("destinations"));
  check_conf(spec.at("conf"));
}

}  // namespace kdsd::policy
