// What is asked of a Mesh that is written here, beside the rules of its document: whether the change is one that its
// certificates survive, and whether there are such authorities.
//
// Pure. A control plane asks nothing of this of meshes that a peer sends.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "model/status.h"

namespace kdsd::policy {

// `before`: the stored document, null for a new mesh.
Violations mesh_change_violations(std::string_view name, const boost::json::value* before,
                                  const boost::json::value& after);

}  // namespace kdsd::policy
