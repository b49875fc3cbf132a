// Copies of resources that another control plane manages: they are shown here and changed there. Pure.
#pragma once

#include "model/resource.h"
#include "model/status.h"
#include "policy/control_plane.h"

namespace kdsd::api {

// Code::not_writable, naming who manages the resource (rest-api.md 6.6, 6.7).
Status managed_elsewhere(const Resource& copy, const policy::ControlPlaneKind& control_plane);

}  // namespace kdsd::api
