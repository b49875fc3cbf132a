// The handlers of the API, one function an endpoint; resource_routes.cpp and api_server.cpp give them their addresses.
//
// Coroutines of the API threads. All arguments outlive the coroutine: the router holds a Call until it is answered,
// the Backend and the catalogue live as long as the server.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/backend.h"
#include "api/http.h"
#include "api/router.h"
#include "model/catalogue.h"

namespace kdsd::api {

class InsightViews;

using Answer = boost::asio::awaitable<Response>;

// Resources (rest-api.md 6). The parameter `mesh` is missing in lists over all meshes and for global types.
Answer list_resources(Backend& backend, const ResourceType& type, const Call& call);
Answer get_resource(Backend& backend, const ResourceType& type, const Call& call);
Answer list_overviews(Backend& backend, const ResourceType& type, const Call& call);
Answer get_overview(Backend& backend, const ResourceType& type, const Call& call);
Answer put_resource(Backend& backend, const ResourceType& type, const Call& call);
Answer delete_resource(Backend& backend, const ResourceType& type, const Call& call);

// Why a resource is where it is, and what a policy says when spelled out (policy-semantics.md 12.5).
Answer explain_resource(Backend& backend, const ResourceType& type, const Call& call);
Answer get_explicit_view(Backend& backend, const ResourceType& type, const Call& call);
Answer plan_documents(Backend& backend, const Call& call);

// The rules of policies over what is posted (policy-semantics.md 12.6).
Answer evaluate_merge(Backend& backend, const Call& call);
Answer evaluate_rbac(Backend& backend, const Call& call);
Answer evaluate_grant(Backend& backend, const Call& call);
Answer evaluate_attachment(Backend& backend, const Call& call);

// Numbers of resources of the whole control plane (rest-api.md 8); other insights: insight_endpoints.h.
Answer get_global_insights(Backend& backend, const Call& call);

// The control plane itself (rest-api.md 7).
Answer get_index(Backend& backend, const Call& call);
Answer get_caller(Backend& backend, const Call& call);
Answer get_config(Backend& backend, const Call& call);
Answer get_resource_types(Backend& backend, const Call& call);
Answer get_policy_types(Backend& backend, const Call& call);
Answer get_by_kri(Backend& backend, const Call& call);

// What a proxy tells about itself, asked through its zone (rest-api.md 10).
Answer ask_proxy_config(Backend& backend, const ResourceType& type, const Call& call);
Answer ask_proxy_stats(Backend& backend, const ResourceType& type, const Call& call);
Answer ask_proxy_clusters(Backend& backend, const ResourceType& type, const Call& call);

// The web interface (rest-api.md 12).
Answer get_gui(Backend& backend, const Call& call);
void add_gui_routes(Router& router, Backend& backend);

// Tokens (rest-api.md 11).
Answer issue_user_token(Backend& backend, const Call& call);
Answer issue_zone_token(Backend& backend, const Call& call);
Answer issue_dataplane_token(Backend& backend, const Call& call);

// Diagnostics (metrics.md 1).
Answer get_healthy(Backend& backend, const Call& call);
Answer get_ready(Backend& backend, const Call& call);
Answer get_metrics(Backend& backend, const Call& call);

// Every route of section 6 and 8 for the types that are switched on.
void add_resource_routes(Router& router, Backend& backend);
void add_system_routes(Router& router, Backend& backend);
// Section 8; the views must outlive the routes.
void add_insight_routes(Router& router, Backend& backend, InsightViews& views);
// Section 9; add_resource_routes adds them.
void add_inspect_routes(Router& router, Backend& backend);
void add_diagnostics_routes(Router& router, Backend& backend);

}  // namespace kdsd::api
