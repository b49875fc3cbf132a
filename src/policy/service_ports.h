// The ports by which a service can be addressed.
//
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/resource.h"

namespace kdsd::policy {

struct ServicePort {
  std::int64_t number = 0;
  std::string section;  // its name, or its number where it has none
  std::string protocol;
};

// Those of external services are one, under `match`. Other resources have none.
std::vector<ServicePort> service_ports(const Resource& service);

}  // namespace kdsd::policy
