#include "api/insight_endpoints.h"

#include <algorithm>
#include <optional>

#include "api/answers.h"
#include "api/errors.h"
#include "api/insights.h"
#include "api/list_query.h"
#include "api/reading.h"
#include "model/document.h"
#include "model/proto_spec.h"

namespace kdsd::api {
namespace json = boost::json;
namespace proto = kuma::mesh::v1alpha1;
namespace {

// Meta of an insight: times of the mesh, none of its labels.
json::object insight_meta(const std::string& type, const std::string& mesh, const std::string& name,
                          const Resource& of) {
  Resource shown;
  shown.type = Catalogue::builtin().find(type);
  shown.mesh = mesh;
  shown.name = name;
  shown.created = of.created;
  shown.modified = of.modified;
  return render_meta(shown, type, false);
}

void append_message(json::object& out, const google::protobuf::Message& message) {
  auto members = proto_to_json(message.GetTypeName(), serialize_deterministic(message));
  if (!members.ok()) return;
  for (auto& member : *members) out.emplace(member.key(), std::move(member.value()));
}

json::object render_mesh_insight(const MeshInsights& insights) {
  auto out = insight_meta("MeshInsight", "", insights.mesh->name, *insights.mesh);
  append_message(out, insights.whole);
  return out;
}

struct ServiceItem {
  ResourcePtr mesh;
  std::string name;
  proto::ServiceInsight::Service service;
};

json::object render_service(const ServiceItem& item) {
  auto out = insight_meta("ServiceInsight", item.mesh->name, item.name, *item.mesh);
  append_message(out, item.service);
  return out;
}

struct TypeFilter {
  bool all = true;
  std::vector<proto::ServiceInsight::Service::Type> types;
};

// `type=internal,external`
Result<TypeFilter> parse_types(const Request& request) {
  TypeFilter filter;
  std::string_view text = request.query_value("type");
  while (!text.empty()) {
    filter.all = false;
    const auto end = std::min(text.find(','), text.size());
    const std::string name(text.substr(0, end));
    proto::ServiceInsight_Service_Type type{};
    if (!proto::ServiceInsight_Service_Type_Parse(name, &type)) {
      return Status(Code::malformed, "bad request: unsupported service type \"" + name + "\"");
    }
    filter.types.push_back(type);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return filter;
}

std::vector<ServiceItem> services_of(const std::vector<MeshInsights>& meshes, const TypeFilter& filter,
                                     std::string_view name) {
  std::vector<ServiceItem> items;
  for (const auto& insights : meshes) {
    for (const auto& [service_name, service] : insights.services.services()) {
      const bool wanted = filter.all || std::find(filter.types.begin(), filter.types.end(), service.servicetype()) !=
                                            filter.types.end();
      if (wanted && service_name.find(name) != std::string::npos)
        items.push_back({insights.mesh, service_name, service});
    }
  }
  std::sort(items.begin(), items.end(), [](const ServiceItem& a, const ServiceItem& b) {
    return std::tie(a.mesh->name, a.name) < std::tie(b.mesh->name, b.name);
  });
  return items;
}

}  // namespace

Answer list_mesh_insights(Backend& backend, InsightViews& views, const Call& call) {
  auto query = parse_list_query(call.request, call.route, *Catalogue::builtin().find("MeshInsight"));
  if (!query.ok()) co_return error_response(query.status(), Operation::list);
  auto meshes = co_await find_insights(backend, views, "");
  std::erase_if(meshes, [&](const MeshInsights& insights) { return !keeps(*query, *insights.mesh); });
  const auto slice = take_page(query->page, meshes.size(), [&](std::size_t i) {
    return std::pair<std::string_view, std::string_view>("", meshes[i].mesh->name);
  });
  json::array items;
  for (auto i = slice.begin; i < slice.end; ++i) items.push_back(render_mesh_insight(meshes[i]));
  co_return list_response(call.request, meshes.size(), std::move(items), slice.next);
}

Answer get_mesh_insight(Backend& backend, InsightViews& views, const Call& call) {
  const auto meshes = co_await find_insights(backend, views, call.parameter("name"));
  if (meshes.empty()) co_return error_response(Status(Code::not_found, ""), Operation::get);
  auto format = parse_format(call.request, backend.facts());
  if (!format.ok()) co_return error_response(format.status(), Operation::get);
  if (!format->kubernetes) co_return json_response(200, render_mesh_insight(meshes[0]));
  Resource shown;
  shown.type = Catalogue::builtin().find("MeshInsight");
  shown.name = meshes[0].mesh->name;
  shown.created = meshes[0].mesh->created;
  shown.spec = serialize_deterministic(meshes[0].whole);
  co_return resource_response(shown, *format, backend.facts().control_plane);
}

Answer list_service_insights(Backend& backend, InsightViews& views, const Call& call) {
  const auto& mesh = call.parameter("mesh");
  const auto meshes = co_await find_insights(backend, views, mesh);
  if (!mesh.empty() && meshes.empty()) co_return error_response(Status(Code::not_found, ""), Operation::mesh);
  auto filter = parse_types(call.request);
  if (!filter.ok()) co_return error_response(filter.status(), Operation::list);
  auto page = parse_page_query(call.request);
  if (!page.ok()) co_return error_response(page.status(), Operation::list);
  const auto services = services_of(meshes, *filter, call.request.query_value("name"));
  const auto slice = take_page(*page, services.size(), [&](std::size_t i) {
    return std::pair<std::string_view, std::string_view>(services[i].mesh->name, services[i].name);
  });
  json::array items;
  for (auto i = slice.begin; i < slice.end; ++i) items.push_back(render_service(services[i]));
  co_return list_response(call.request, services.size(), std::move(items), slice.next);
}

Answer get_service_insight(Backend& backend, InsightViews& views, const Call& call) {
  const auto meshes = co_await find_insights(backend, views, call.parameter("mesh"));
  if (meshes.empty()) co_return error_response(Status(Code::not_found, ""), Operation::mesh);
  ServiceItem item{meshes[0].mesh, call.parameter("name"), {}};
  const auto& services = meshes[0].services.services();
  const auto known = services.find(item.name);
  if (known != services.end()) item.service = known->second;
  item.service.mutable_dataplanes();
  co_return json_response(200, render_service(item));
}

}  // namespace kdsd::api
