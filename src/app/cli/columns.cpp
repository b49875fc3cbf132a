#include "app/cli/columns.h"

#include "app/cli/age.h"
#include "model/json.h"
#include "model/labels.h"

namespace kdsd::app::cli {
namespace json = boost::json;
namespace {

std::string target_of(const json::value& document) {
  const auto kind = std::string(find_text(document, {"spec", "targetRef", "kind"}));
  if (kind.empty()) return "Mesh";  // what a missing top-level reference means
  const auto name = std::string(find_text(document, {"spec", "targetRef", "name"}));
  return name.empty() ? kind : kind + "/" + name;
}

std::string enabled_of(const json::value& zone) {
  const auto* enabled = find(zone, {"enabled"});
  return enabled != nullptr && enabled->is_bool() && !enabled->get_bool() ? "false" : "true";
}

std::string ports_of(const json::value& document) {
  const auto* ports = find(document, {"spec", "ports"});
  std::string out;
  if (ports == nullptr || !ports->is_array()) return out;
  for (const auto& each : ports->get_array()) {
    const auto* port = find(each, {"port"});
    if (port != nullptr) out += (out.empty() ? "" : ",") + to_compact_json(*port);
  }
  return out;
}

// A column that only some types have: its title, and its cell.
struct Extra {
  std::string title;
  std::string (*cell)(const json::value& document);
};

std::vector<Extra> extras_of(const ResourceType& type) {
  if (type.is_target_ref_policy) return {{"TARGET", target_of}};
  if (type.name == "Zone") return {{"ENABLED", enabled_of}};
  if (type.name == "Mesh") {
    return {{"MTLS", [](const json::value& mesh) { return std::string(find_text(mesh, {"mtls", "enabledBackend"})); }}};
  }
  if (type.name == "MeshService" || type.name == "MeshMultiZoneService") return {{"PORTS", ports_of}};
  if (type.is_proxy) {
    return {{"ADDRESS", [](const json::value& proxy) {
               return std::string(find_text(proxy, {"networking", "address"}));
             }}};
  }
  return {};
}

}  // namespace

std::vector<std::string> column_names(const ResourceType& type) {
  std::vector<std::string> names;
  if (type.mesh_scoped) names.emplace_back("MESH");
  names.emplace_back("NAME");
  for (const auto& extra : extras_of(type)) names.push_back(extra.title);
  for (const auto* name : {"ZONE", "ORIGIN", "AGE"}) names.emplace_back(name);
  return names;
}

std::vector<std::string> cells_of(const ResourceType& type, const json::value& document, std::int64_t now_seconds) {
  std::vector<std::string> cells;
  if (type.mesh_scoped) cells.emplace_back(find_text(document, {"mesh"}));
  cells.emplace_back(find_text(document, {"name"}));
  for (const auto& extra : extras_of(type)) cells.push_back(extra.cell(document));
  cells.emplace_back(find_text(document, {"labels", label::zone}));
  cells.emplace_back(find_text(document, {"labels", label::origin}));
  cells.push_back(age_of(find_text(document, {"creationTime"}), now_seconds));
  return cells;
}

}  // namespace kdsd::app::cli
