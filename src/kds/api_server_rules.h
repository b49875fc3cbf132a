// What the API server of a Kubernetes zone would refuse. A plain Kuma zone that gets such a resource ends its
// connection, and does so again after every reconnect; so it is held back from such zones, and only from them.
//
// Pure. Specification: kds-protocol.md 6.7.
#pragma once

#include <string>

#include "model/resource.h"

namespace kdsd::kds {

// What is wrong with a resource as it travels: `label team: must be no more than 63 characters`. Empty: it can be
// stored. `wire_name`, `labels`: under which it travels.
std::string refused_by_api_server(const Resource& resource, const std::string& wire_name, const Labels& labels);

}  // namespace kdsd::kds
