// Addresses of the inspect endpoints (rest-api.md 9), made from the catalogue.
#include <memory>

#include "api/inspect_endpoints.h"
#include "api/inspecting.h"

namespace kdsd::api {
namespace {

using InspectHandler = Answer (*)(Backend&, PolicyViews&, const ResourceType&, const Call&);

// The views are made once and live as long as the routes.
class InspectAdder {
 public:
  InspectAdder(Router& router, Backend& backend)
      : router_(router),
        backend_(backend),
        views_(std::make_shared<PolicyViews>(Catalogue::builtin(), backend.facts().control_plane,
                                             backend.facts().disabled_types)) {}

  void add(const ResourceType& type, const std::string& segment, const std::string& rest, InspectHandler handler) {
    router_.add("GET", "/meshes/{mesh}/" + segment + "/{name}/" + rest,
                [handler, &backend = backend_, views = views_, &type](const Call& call) {
                  return handler(backend, *views, type, call);
                });
  }

 private:
  Router& router_;
  Backend& backend_;
  std::shared_ptr<PolicyViews> views_;
};

void add_of_proxy(InspectAdder& adder, const ResourceType& type) {
  adder.add(type, type.path, "_rules", get_rules);
  adder.add(type, type.path, "_config", refuse_config);
  if (type.name != "Dataplane") return;
  adder.add(type, type.path, "policies", list_matched_policies);
  adder.add(type, type.path, "rules", list_old_rules);
  adder.add(type, type.path, "_rbac", get_rbac);
  adder.add(type, type.path, "_policies", get_proxy_policies);
  adder.add(type, type.path, "_layout", get_layout);
  adder.add(type, type.path, "_inbounds/{kri}/_policies", get_inbound_policies);
  adder.add(type, type.path, "_outbounds/{kri}/_policies", get_outbound_policies);
  adder.add(type, type.path, "_outbounds/{kri}/_routes", get_outbound_routes);
  adder.add(type, type.path, "_outbounds/{kri}/_routes/{route}/_policies", get_route_policies);
}

// Clients of older versions ask with a dash.
void add_targets(InspectAdder& adder, const ResourceType& type, const std::string& segment, InspectHandler handler) {
  adder.add(type, segment, "_resources/dataplanes", handler);
  adder.add(type, segment, "-resources/dataplanes", handler);
}

}  // namespace

Answer refuse_service_type(Backend&, const Call&) {
  co_return refusal(400,
                    "only \"meshservices,meshexternalservices,meshmultizoneservices\" are available for inspection",
                    "Resource is not valid");
}

Answer refuse_config(Backend& backend, PolicyViews&, const ResourceType&, const Call&) {
  if (backend.facts().control_plane.is_global())
    co_return refusal(405, "Method not allowed", "Not allowed on global CP");
  co_return refusal(404, "Envoy configuration is not available", "kdsd does not configure proxies");
}

void add_inspect_routes(Router& router, Backend& backend) {
  InspectAdder adder(router, backend);
  router.add("GET", "/meshes/{mesh}/{segment}/{name}/_hostnames",
             [&backend](const Call& call) { return refuse_service_type(backend, call); });
  for (const auto* type : Catalogue::builtin().types()) {
    if (type->path.empty() || !type->mesh_scoped || backend.facts().disabled_types.contains(type->name)) continue;
    if (type->name == "Dataplane" || type->name == "MeshGateway") add_of_proxy(adder, *type);
    if (type->is_policy) {
      add_targets(adder, *type, type->path, list_selected_dataplanes);
      if (!type->alt_path.empty()) add_targets(adder, *type, type->alt_path, list_selected_dataplanes);
    }
    if (type->is_policy && type->allow_inspect) adder.add(*type, type->path, "dataplanes", list_attachments);
    if (type->name == "MeshGateway" || type->name == "MeshGatewayRoute") {
      adder.add(*type, type->path, "dataplanes", list_gateway_dataplanes);
    }
    if (!type->is_destination) continue;
    adder.add(*type, type->path, "_hostnames", list_hostnames);
    if (type->name != "MeshService") continue;
    adder.add(*type, type->path, "_dataplanes", list_service_dataplanes);
    add_targets(adder, *type, type->path, list_service_dataplanes);
  }
}

}  // namespace kdsd::api
