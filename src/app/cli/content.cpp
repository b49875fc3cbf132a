#include "app/cli/content.h"

#include <algorithm>

#include "app/cli/refusal.h"
#include "model/json.h"
#include "model/labels.h"

namespace kdsd::app::cli {
namespace {

int place_of(const ResourceType& type) {
  if (type.name == "Mesh") return 0;
  if (type.name == "GlobalSecret" || type.name == "Secret") return 1;
  if (type.name == "Zone") return 2;
  return type.is_policy ? 4 : 3;
}

std::string_view label_of(const boost::json::value& document, std::string_view key) {
  const auto in_body = find_text(document, {"labels", key});
  return in_body.empty() ? find_text(document, {"metadata", "labels", key}) : in_body;
}

}  // namespace

Result<ControlPlaneView> view_control_plane(RestClient& client) {
  auto answer = client.get("/config");
  if (!answer.ok()) return answer.status();
  if (answer->status != 200) return refusal_of(*answer).prefixed("asking the server what it is");
  const auto config = parse_json(answer->body);
  if (!config.ok()) return Status(Code::malformed, "/config: " + config.status().message());
  ControlPlaneView out;
  out.is_global = find_text(*config, {"mode"}) == "global";
  out.zone = find_text(*config, {"multizone", "zone", "name"});
  return out;
}

std::vector<const ResourceType*> exported_types(const Catalogue& catalogue) {
  std::vector<const ResourceType*> out;
  for (const auto* type : catalogue.types()) {
    if (!type->path.empty() && !type->read_only) out.push_back(type);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return place_of(*a) < place_of(*b); });
  return out;
}

bool is_copy(const boost::json::value& document, const ControlPlaneView& control_plane) {
  const auto origin = label_of(document, label::origin);
  if (control_plane.is_global) return origin == "zone";
  return origin == "global" || (origin == "zone" && label_of(document, label::zone) != control_plane.zone);
}

}  // namespace kdsd::app::cli
