// What `kdsd export` and `kdsd import` agree on: which types in which order, and which resources come from elsewhere.
//
// The order and the test for copies are pure; `view_control_plane` asks a server.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "app/cli/rest_client.h"
#include "model/catalogue.h"
#include "model/status.h"

namespace kdsd::app::cli {

struct ControlPlaneView {
  bool is_global = false;
  std::string zone;
};
Result<ControlPlaneView> view_control_plane(RestClient& client);

// All types that people write, meshes first, then secrets, then everything that refers to them.
std::vector<const ResourceType*> exported_types(const Catalogue& catalogue);

// Whether a control plane has the resource from another one, which will send it again. `document`: both formats.
bool is_copy(const boost::json::value& document, const ControlPlaneView& control_plane);

}  // namespace kdsd::app::cli
