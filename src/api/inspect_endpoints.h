// The inspect handlers, one function an endpoint; inspect_routes.cpp gives them their addresses (rest-api.md 9).
//
// Coroutines of the API threads; lifetimes as in endpoints.h. The views are shared by all of them.
#pragma once

#include "api/endpoints.h"
#include "api/policy_views.h"

namespace kdsd::api {

// One proxy: everything that policies say about it (policy-semantics.md 12.1), and who may call it (9).
Answer get_rules(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);
Answer get_rbac(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);

// Parts of it, for meshes that use services as resources only (12.2).
Answer get_proxy_policies(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);
Answer get_inbound_policies(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);
Answer get_outbound_policies(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);
Answer get_outbound_routes(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);
Answer get_route_policies(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);
Answer get_layout(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);

// The proxies that a policy selects (12.3), or a service.
Answer list_selected_dataplanes(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);
Answer list_service_dataplanes(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);

// The names that HostnameGenerators give a service.
Answer list_hostnames(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);

// The older forms, for policies and gateways.
Answer list_matched_policies(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);
Answer list_old_rules(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);
Answer list_attachments(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);
Answer list_gateway_dataplanes(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);

Answer refuse_service_type(Backend& backend, const Call& call);

// Envoy configuration, which kdsd does not make.
Answer refuse_config(Backend& backend, PolicyViews& views, const ResourceType& type, const Call& call);

}  // namespace kdsd::api
