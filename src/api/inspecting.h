// What the inspect endpoints share: looking at one proxy with the policies that select it, and answering references.
//
// Coroutines of the API threads; see endpoints.h for lifetimes.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/await.h"
#include "api/backend.h"
#include "api/http.h"
#include "api/policy_views.h"
#include "api/router.h"
#include "policy/engine/matched_policies.h"
#include "policy/engine/to_rules.h"
#include "policy/object_questions.h"

namespace kdsd::api {

// Where meshes use services as resources, and nothing else.
bool is_exclusive(const Resource& mesh);
bool has_mtls(const Resource& mesh);

// One proxy under inspection.
struct Inspected {
  std::optional<Response> refusal;  // what to answer instead
  ResourcePtr mesh;
  ResourcePtr resource;    // the Dataplane or MeshGateway that was asked for
  policy::ProxyPtr proxy;  // looked up later, perhaps made of a newer version: `proxy->resource`
  policy::AppliedPolicies routes;
  std::vector<policy::MatchedPolicies> matched;  // in the order in which the types are shown
};

// The Dataplane or MeshGateway of the path, `{mesh}` and `{name}`. `?shadow=true` takes shadow policies along.
boost::asio::awaitable<Inspected> inspect(Backend& backend, PolicyViews& views, const ResourceType& type,
                                          const Call& call);

// What a path names with `{mesh}` and `{name}`.
struct InspectSubject {
  bool mesh_found = false;
  ResourcePtr resource;
};
boost::asio::awaitable<InspectSubject> find_inspect_subject(Backend& backend, const ResourceType& type,
                                                            const Call& call);

// 404 where one of them is missing; `title`: where it is the resource.
std::optional<Response> problem_of(const InspectSubject& subject, const std::string& title);

inline constexpr const char* policy_title = "Could not retrieve policy";

// The proxies that the policy of the path selects. One with the label of shadow policies selects none in force, and
// with
// `?shadow=true` or `Shadow::as_written` those that it would.
enum class Shadow { in_force, as_written };
struct Selected {
  std::optional<Response> refusal;  // what to answer instead
  bool is_missing = false;          // refused because there is no such policy in the mesh
  std::vector<policy::ProxyPtr> proxies;
};
boost::asio::awaitable<Selected> find_selected(Backend& backend, PolicyViews& views, const ResourceType& type,
                                               const Call& call, Shadow shadow);

// Brings the views up to what is committed.
boost::asio::awaitable<void> catch_up(Backend& backend, PolicyViews& views);

// What the `to` items of the policies refer to.
boost::asio::awaitable<std::shared_ptr<const policy::ObjectAnswers>> find_targets(
    Backend& backend, std::vector<policy::AppliedPolicies> policies);

// A refusal with a title of its own.
Response refusal(int status, const std::string& title, const std::string& detail);

}  // namespace kdsd::api
