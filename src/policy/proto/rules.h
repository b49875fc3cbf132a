// The rules of each proto-encoded type, for a whole document.
//
// Pure. `spec` is the flat document, so that paths begin with its members: `conf.http[0]`.
#pragma once

#include "policy/conf_checks.h"

namespace kdsd::policy {

void check_circuit_breaker(const ConfValue& spec);
void check_dataplane(const ConfValue& spec);
void check_external_service(const ConfValue& spec);
void check_fault_injection(const ConfValue& spec);
void check_gateway(const ConfValue& spec);
void check_gateway_route(const ConfValue& spec);
void check_health_check(const ConfValue& spec);
void check_mesh(const ConfValue& spec);
void check_proxy_template(const ConfValue& spec);
void check_rate_limit(const ConfValue& spec);
void check_retry(const ConfValue& spec);
void check_timeout(const ConfValue& spec);
void check_traffic_log(const ConfValue& spec);
void check_traffic_permission(const ConfValue& spec);
void check_traffic_route(const ConfValue& spec);
void check_traffic_trace(const ConfValue& spec);
void check_virtual_outbound(const ConfValue& spec);
void check_zone_egress(const ConfValue& spec);
void check_zone_ingress(const ConfValue& spec);

}  // namespace kdsd::policy
