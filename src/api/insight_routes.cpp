// Addresses of the insights (rest-api.md 8).
#include "api/insight_endpoints.h"

namespace kdsd::api {

void add_insight_routes(Router& router, Backend& backend, InsightViews& views) {
  const auto add = [&](const std::string& path, Answer (*handler)(Backend&, InsightViews&, const Call&)) {
    router.add("GET", path, [handler, &views, &backend](const Call& call) { return handler(backend, views, call); });
  };
  add("/mesh-insights", list_mesh_insights);
  add("/mesh-insights/{name}", get_mesh_insight);
  add("/service-insights", list_service_insights);
  add("/meshes/{mesh}/service-insights", list_service_insights);
  add("/meshes/{mesh}/service-insights/{name}", get_service_insight);
  add("/global-insight", get_global_insight);
}

}  // namespace kdsd::api
