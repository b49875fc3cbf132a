// Addresses of resources, made from the catalogue: a new type needs nothing here (rest-api.md 5).
#include "api/endpoints.h"

namespace kdsd::api {
namespace {

using TypeHandler = Answer (*)(Backend&, const ResourceType&, const Call&);
using PlainHandler = Answer (*)(Backend&, const Call&);

class Adder {
 public:
  Adder(Router& router, Backend& backend) : router_(router), backend_(backend) {}

  void add(const std::string& method, const std::string& path, const ResourceType& type, TypeHandler handler) {
    router_.add(method, path,
                [handler, &backend = backend_, &type](const Call& call) { return handler(backend, type, call); });
  }
  void add(const std::string& path, PlainHandler handler, const char* method = "GET") {
    router_.add(method, path, [handler, &backend = backend_](const Call& call) { return handler(backend, call); });
  }

 private:
  Router& router_;
  Backend& backend_;
};

// Second spellings of overviews that older clients use.
std::string old_overview_path(const ResourceType& type, const std::string& segment) {
  return type.name == "ZoneEgress" ? "zoneegressoverviews" : segment + "+insights";
}

void add_overviews(Adder& adder, const ResourceType& type, const std::string& prefix, const std::string& segment,
                   bool with_items) {
  const auto base = prefix + segment;
  const auto old = prefix + old_overview_path(type, segment);
  adder.add("GET", base + "/_overview", type, list_overviews);
  adder.add("GET", old, type, list_overviews);
  if (!with_items) return;
  adder.add("GET", base + "/{name}/_overview", type, get_overview);
  adder.add("GET", old + "/{name}", type, get_overview);
}

void add_type(Adder& adder, const ResourceType& type, const std::string& segment) {
  const std::string over_all = "/" + segment;
  const std::string base = type.mesh_scoped ? "/meshes/{mesh}/" + segment : over_all;
  adder.add("GET", base, type, list_resources);
  adder.add("GET", over_all, type, list_resources);
  adder.add("GET", base + "/{name}", type, get_resource);
  adder.add("PUT", base + "/{name}", type, put_resource);
  adder.add("DELETE", base + "/{name}", type, delete_resource);
  adder.add("GET", base + "/{name}/_explain", type, explain_resource);
  if (type.is_target_ref_policy) adder.add("GET", base + "/{name}/_explicit", type, get_explicit_view);
  if (type.name == "Dataplane" || type.name == "ZoneIngress" || type.name == "ZoneEgress") {
    adder.add("GET", base + "/{name}/xds", type, ask_proxy_config);
    adder.add("GET", base + "/{name}/stats", type, ask_proxy_stats);
    adder.add("GET", base + "/{name}/clusters", type, ask_proxy_clusters);
  }
  if (type.overview_type.empty()) return;
  add_overviews(adder, type, type.mesh_scoped ? "/meshes/{mesh}/" : "/", segment, true);
  if (type.mesh_scoped) add_overviews(adder, type, "/", segment, false);
}

}  // namespace

void add_resource_routes(Router& router, Backend& backend) {
  Adder adder(router, backend);
  for (const auto* type : Catalogue::builtin().types()) {
    if (type->path.empty() || backend.facts().disabled_types.contains(type->name)) continue;
    add_type(adder, *type, type->path);
    if (!type->alt_path.empty()) add_type(adder, *type, type->alt_path);
  }
  adder.add("/global-insights", get_global_insights);
  add_inspect_routes(router, backend);
}

void add_system_routes(Router& router, Backend& backend) {
  Adder adder(router, backend);
  router.add("GET", "/", [&backend](const Call& call) { return get_index(backend, call); },
             {Content::json, Tokens::ignored});
  adder.add("/who-am-i", get_caller);
  adder.add("/config", get_config);
  adder.add("/_resources", get_resource_types);
  adder.add("/policies", get_policy_types);
  adder.add("/_kri/{kri}", get_by_kri);
  adder.add("/_plan", plan_documents, "POST");
  adder.add("/_policy/merge", evaluate_merge, "POST");
  adder.add("/_policy/rbac", evaluate_rbac, "POST");
  adder.add("/_reference-grants/check", evaluate_grant, "POST");
  adder.add("/_policy-attachment/effective", evaluate_attachment, "POST");
  adder.add("/tokens/user", issue_user_token, "POST");
  adder.add("/tokens/zone", issue_zone_token, "POST");
  adder.add("/tokens/dataplane", issue_dataplane_token, "POST");
  // Kuma serves this one at the root whatever the base path is (rest-api.md 1).
  router.add_at_root("POST", "/tokens/user", [&backend](const Call& call) { return issue_user_token(backend, call); });
}

void add_diagnostics_routes(Router& router, Backend& backend) {
  Adder adder(router, backend);
  adder.add("/healthy", get_healthy);
  adder.add("/ready", get_ready);
  adder.add("/metrics", get_metrics);
}

}  // namespace kdsd::api
