// What the cases about the sync decision describe: a resource as its author's control plane stores it, and zones.
#pragma once

#include <string>
#include <vector>

#include "kds/wire.h"
#include "model/document.h"
#include "policy/labels.h"

#include "../policy/cases.h"

namespace kdsd::kds {

// Of a zone in a case; ours where it says nothing.
inline Features features_of_case(const boost::json::value& zone) {
  const auto* written = find(zone, {"features"});
  if (written == nullptr) return Features(own_node_features());
  std::vector<std::string> names;
  for (const auto& name : written->get_array()) names.emplace_back(name.get_string().c_str());
  return Features(std::move(names));
}

// As the author's control plane stores it.
inline Resource resource_of_case(const boost::json::value& input, const policy::ControlPlaneKind& origin) {
  Resource out;
  const auto& document = *find(input, {"resource"});
  out.type = Catalogue::builtin().find(find_text(document, {"type"}));
  out.mesh = find_text(document, {"mesh"});
  out.name = find_text(document, {"name"});
  const auto& spec = *find(document, {"spec"});
  if (out.type->encoding == SpecEncoding::json) out.spec = to_wire_json(spec);
  const auto written = policy::testing::labels_of(find(document, {"labels"}));
  const std::string namespace_(find_text(document, {"namespace"}));
  out.labels = policy::compute_labels(origin, *out.type, out.mesh, namespace_, spec, written);
  // Cases whose label disagrees with the spec write it themselves.
  if (written.has(label::policy_role)) out.labels.set(label::policy_role, written.get(label::policy_role));
  if (origin.is_zone() && written.get(label::origin) == "global") out.source = "global";
  return out;
}

}  // namespace kdsd::kds
