#include "api/answers.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "api/list_query.h"
#include "api/reading.h"
#include "model/document.h"
#include "policy/core_name.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

// ZoneIngressInsight → zoneIngressInsight
std::string member_name(std::string type) {
  type[0] = static_cast<char>(type[0] - 'A' + 'a');
  return type;
}

// `conflict`, of a Zone: who else uses its name, not stored anywhere; no member when empty.
json::object render_overview(const Resource& resource, const Resource* insight, bool insight_always,
                             const std::string& conflict) {
  const auto& type = *resource.type;
  auto out = render_meta(resource, type.overview_type, false);
  out[member_name(type.name)] = spec_json(resource);
  if (insight != nullptr) {
    out[member_name(type.insight_type)] = spec_json(*insight);
  } else if (insight_always) {
    out[member_name(type.insight_type)] = json::object();
  }
  if (!conflict.empty()) out["conflict"] = conflict;
  return out;
}

}  // namespace

Answer list_overviews(Backend& backend, const ResourceType& type, const Call& call) {
  const auto* insight = Catalogue::builtin().find(type.insight_type);
  struct Found : Collected {
    std::vector<std::string> conflicts;  // as resources, of Zones
  };
  auto look = [&type, insight, mesh = call.parameter("mesh")](const kds::Core& core) {
    Found found{collect(core.index(), type, mesh, insight), {}};
    if (type.name == "Zone") {
      for (const auto& zone : found.resources) found.conflicts.push_back(core.conflict_of(zone->name));
    }
    return found;
  };
  const auto found = co_await read_core(backend, std::move(look));
  if (!found.mesh_found) co_return error_response(Status(Code::not_found, ""), Operation::mesh);
  auto query = parse_list_query(call.request, call.route, type);
  if (!query.ok()) co_return error_response(query.status(), Operation::list);

  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < found.resources.size(); ++i) {
    if (keeps(*query, *found.resources[i])) kept.push_back(i);
  }
  const auto slice = take_page(query->page, kept.size(), [&](std::size_t i) {
    const auto& resource = *found.resources[kept[i]];
    return std::pair<std::string_view, std::string_view>(resource.mesh, resource.name);
  });
  json::array items;
  for (auto i = slice.begin; i < slice.end; ++i) {
    const auto& conflict = found.conflicts.empty() ? std::string() : found.conflicts[kept[i]];
    items.push_back(render_overview(*found.resources[kept[i]], found.companions[kept[i]].get(), false, conflict));
  }
  co_return list_response(call.request, kept.size(), std::move(items), slice.next);
}

Answer get_overview(Backend& backend, const ResourceType& type, const Call& call) {
  struct Found {
    bool mesh_found = false;
    ResourcePtr resource;
    ResourcePtr insight;
    std::string conflict;
  };
  const auto* insight_type = Catalogue::builtin().find(type.insight_type);
  auto look =
      [&type, insight_type, mesh = call.parameter("mesh"),
       name = policy::core_name(backend.facts().control_plane, type, call.parameter("name"))](const kds::Core& core) {
        const auto& index = core.index();
        return Found{has_mesh(index, mesh), index.find(type, mesh, name),
                     insight_type ? index.find(*insight_type, mesh, name) : nullptr,
                     type.name == "Zone" ? core.conflict_of(name) : std::string()};
      };
  auto found = co_await read_core(backend, std::move(look));
  if (!found.mesh_found) co_return error_response(Status(Code::not_found, ""), Operation::mesh);
  if (!found.resource) co_return error_response(Status(Code::not_found, ""), Operation::overview);
  co_return json_response(200, render_overview(*found.resource, found.insight.get(), true, found.conflict));
}

}  // namespace kdsd::api
