// The handlers of the insights (rest-api.md 8); insight_routes.cpp gives them their addresses.
//
// Coroutines of the API threads; lifetimes as in endpoints.h. The views are shared by all of them.
#pragma once

#include "api/endpoints.h"
#include "api/insight_views.h"

namespace kdsd::api {

Answer list_mesh_insights(Backend& backend, InsightViews& views, const Call& call);
Answer get_mesh_insight(Backend& backend, InsightViews& views, const Call& call);
Answer list_service_insights(Backend& backend, InsightViews& views, const Call& call);
Answer get_service_insight(Backend& backend, InsightViews& views, const Call& call);
Answer get_global_insight(Backend& backend, InsightViews& views, const Call& call);

}  // namespace kdsd::api
