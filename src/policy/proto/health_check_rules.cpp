// HealthCheck.
#include "policy/proto/rules.h"
#include "policy/proto/tags.h"
#include "policy/proto/values.h"

namespace kdsd::policy {
namespace {

constexpr std::int64_t least_status = 100;
constexpr std::int64_t first_beyond_statuses = 600;
constexpr float whole = 100.0F;
constexpr const char* not_positive = "must have a positive value";

void check_status(const ConfValue& status) {
  const auto number = natural(status);
  if (number < least_status || number >= first_beyond_statuses) status.refuse("must be in range [100, 600)");
}

void check_http(const ConfValue& http) {
  if (!http.is_set()) return;
  const auto path = http.at("path");
  if (path.text().empty()) path.refuse("has to be defined and cannot be empty");
  for_each(http.at("expectedStatuses"), check_status);
  for_each(http.at("requestHeadersToAdd"), [](const ConfValue& option) {
    const auto header = option.at("header");
    if (!header.is_set()) return header.refuse("has to be defined");
    check_not_empty(header.at("key"));
  });
}

// The message has 32 bits for it.
void check_panic_threshold(const ConfValue& threshold) {
  const auto number = static_cast<float>(real(threshold));
  if (number < 0 || number > whole) threshold.refuse("must be in range [0.0 - 100.0]");
}

void check_conf(const ConfValue& conf) {
  if (!conf.is_set()) return conf.refuse("has to be defined");
  for (const auto* name : {"interval", "timeout"}) {
    const auto duration = conf.at(name);
    if (!duration.is_set() || is_zero_duration(duration)) duration.refuse(not_positive);
  }
  for (const auto* name : {"unhealthyThreshold", "healthyThreshold"}) {
    if (natural(conf.at(name)) == 0) conf.at(name).refuse(not_positive);
  }
  for (const auto* name : {"initialJitter", "intervalJitter", "noTrafficInterval"}) {
    if (is_zero_duration(conf.at(name))) conf.at(name).refuse(not_positive);
  }
  check_panic_threshold(conf.at("healthyPanicThreshold"));
  check_http(conf.at("http"));
  if (conf.has("tcp") && conf.has("http")) conf.refuse("http and tcp cannot be defined at the same time");
}

}  // namespace

void check_health_check(const ConfValue& spec) {
  check_selectors(spec.at("sources"), tag_and_service);
  check_service_selectors(spec.at("destinations"));
  check_conf(spec.at("conf"));
}

}  // namespace kdsd::policy
