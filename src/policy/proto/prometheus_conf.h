// The conf of metrics for Prometheus, which meshes and proxies have.
//
// Pure.
#pragma once

#include "policy/conf_checks.h"

namespace kdsd::policy {

// A backend with type and conf; `conf` tells only the first thing that is wrong.
void check_metrics_backend(const ConfValue& backend);

}  // namespace kdsd::policy
