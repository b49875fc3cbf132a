// The description of a mesh that `kdsd plan --offline --as FILE` works from.
//
// Pure. A YAML or JSON object:
//   mode: zone | global                 where the documents would be written
//   zone: east                          its name, of a zone
//   environment: universal | kubernetes, systemNamespace: kuma-system
//   federated: true                     whether that zone is connected to a global
//   global: {environment, systemNamespace}
//   zones: [{name, enabled, environment, systemNamespace, features: [...]}]
#pragma once

#include <boost/json/value.hpp>

#include "kds/known_world.h"
#include "model/status.h"

namespace kdsd::app::cli {

// Code::invalid names every member that is wrong.
Result<kds::World> world_from(const boost::json::value& description);

}  // namespace kdsd::app::cli
