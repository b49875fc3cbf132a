// TrafficLog, TrafficPermission, TrafficTrace: types whose selectors are all that can be wrong.
#include "policy/proto/rules.h"
#include "policy/proto/tags.h"

namespace kdsd::policy {

void check_traffic_log(const ConfValue& spec) {
  check_selectors(spec.at("sources"), tag_and_service);
  check_service_selectors(spec.at("destinations"));
}

void check_traffic_permission(const ConfValue& spec) {
  check_selectors(spec.at("sources"), any_tag);
  check_selectors(spec.at("destinations"), any_tag);
}

void check_traffic_trace(const ConfValue& spec) { check_selectors(spec.at("selectors"), any_tag); }

}  // namespace kdsd::policy
