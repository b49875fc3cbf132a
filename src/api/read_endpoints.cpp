#include "api/answers.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "api/list_query.h"
#include "api/reading.h"
#include "model/document.h"
#include "policy/core_name.h"
#include "policy/references.h"

namespace kdsd::api {
namespace json = boost::json;

bool has_mesh(const kds::Index& index, const std::string& mesh) {
  if (mesh.empty()) return true;
  const auto* type = index.catalogue().find("Mesh");
  return type != nullptr && index.find(*type, "", mesh) != nullptr;
}

Collected collect(const kds::Index& index, const ResourceType& type, const std::string& mesh,
                  const ResourceType* companion) {
  Collected out;
  out.mesh_found = has_mesh(index, mesh);
  const auto take = [&](const ResourcePtr& resource) {
    out.resources.push_back(resource);
    if (companion != nullptr) out.companions.push_back(index.find(*companion, resource->mesh, resource->name));
  };
  if (mesh.empty()) {
    out.resources.reserve(index.count(type));
    index.each(type, take);
  } else if (out.mesh_found) {
    index.each_in_mesh(type, mesh, take);
  }
  return out;
}

Result<Format> parse_format(const Request& request, const Facts& facts) {
  const auto format = request.query_value("format");
  Format out;
  if (format.empty() || format == "universal") return out;
  if (format != "k8s" && format != "kubernetes") {
    return Status(Code::invalid, "Resource is not valid",
                  {{"", "\"format\" must be one of [\"k8s\", \"kubernetes\", \"universal\"]"}});
  }
  out.kubernetes = true;
  out.namespace_ = request.query_value("namespace");
  if (out.namespace_.empty()) out.namespace_ = facts.control_plane.system_namespace;
  return out;
}

json::object render_here(const Resource& resource, const policy::ControlPlaneKind& control_plane) {
  if (!policy::has_derived_form(resource)) return render(resource);
  return render(policy::derived_form(resource, control_plane));
}

Response resource_response(const Resource& resource, const Format& format,
                           const policy::ControlPlaneKind& control_plane) {
  if (!format.kubernetes) return json_response(200, render_here(resource, control_plane));
  KubernetesPlace place{resource.name, format.namespace_, control_plane.has_namespaces()};
  if (policy::has_namespace(control_plane, *resource.type)) {
    auto name = policy::split_core_name(control_plane, *resource.type, resource.name);
    place = {std::move(name.name), std::move(name.namespace_), true};
  } else if (place.is_native) {
    place.namespace_ = control_plane.system_namespace;
  }
  return json_response(200, render_kubernetes(policy::derived_form(resource, control_plane), place));
}

Answer list_resources(Backend& backend, const ResourceType& type, const Call& call) {
  if (auto status = may_touch(call.caller, type, backend.facts()); !status.ok())
    co_return error_response(status, Operation::list);
  auto look = [&type, mesh = call.parameter("mesh")](const kds::Core& core) {
    return collect(core.index(), type, mesh, nullptr);
  };
  auto found = co_await read_core(backend, std::move(look));
  if (!found.mesh_found) co_return error_response(Status(Code::not_found, ""), Operation::mesh);
  auto query = parse_list_query(call.request, call.route, type);
  if (!query.ok()) co_return error_response(query.status(), Operation::list);

  auto& resources = found.resources;
  std::erase_if(resources, [&](const ResourcePtr& resource) { return !keeps(*query, *resource); });
  const auto slice = take_page(query->page, resources.size(), [&](std::size_t i) {
    return std::pair<std::string_view, std::string_view>(resources[i]->mesh, resources[i]->name);
  });
  json::array items;
  for (auto i = slice.begin; i < slice.end; ++i)
    items.push_back(render_here(*resources[i], backend.facts().control_plane));
  co_return list_response(call.request, resources.size(), std::move(items), slice.next);
}

Answer get_resource(Backend& backend, const ResourceType& type, const Call& call) {
  if (auto status = may_touch(call.caller, type, backend.facts()); !status.ok())
    co_return error_response(status, Operation::get);
  auto look =
      [&type, mesh = call.parameter("mesh"),
       name = policy::core_name(backend.facts().control_plane, type, call.parameter("name"))](const kds::Core& core) {
        return std::pair<bool, ResourcePtr>(has_mesh(core.index(), mesh), core.index().find(type, mesh, name));
      };
  auto [mesh_found, resource] = co_await read_core(backend, std::move(look));
  if (!mesh_found) co_return error_response(Status(Code::not_found, ""), Operation::mesh);
  auto format = parse_format(call.request, backend.facts());
  if (!format.ok()) co_return error_response(format.status(), Operation::get);
  if (!resource) co_return error_response(Status(Code::not_found, ""), Operation::get);
  co_return resource_response(*resource, *format, backend.facts().control_plane);
}

}  // namespace kdsd::api
