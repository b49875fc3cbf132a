#include "api/policy_views.h"

#include <algorithm>

namespace kdsd::api {

namespace {

// Gateways come before the proxies that serve them.
std::vector<const ResourceType*> followed_types(const Catalogue& catalogue, const std::set<std::string>& disabled) {
  std::vector<const ResourceType*> types;
  for (const char* name : {"MeshGateway", "Dataplane"}) {
    if (const auto* type = catalogue.find(name)) types.push_back(type);
  }
  for (const auto* type : catalogue.types()) {
    if (type->is_target_ref_policy && !disabled.contains(type->name)) types.push_back(type);
  }
  return types;
}

}  // namespace

PolicyViews::PolicyViews(const Catalogue& catalogue, policy::ControlPlaneKind control_plane,
                         const std::set<std::string>& disabled_types)
    : control_plane_(std::move(control_plane)),
      dataplane_(catalogue.find("Dataplane")),
      gateway_(catalogue.find("MeshGateway")),
      follower_(followed_types(catalogue, disabled_types)) {}

std::optional<LogFollower::Position> PolicyViews::position() const {
  const std::lock_guard lock(mutex_);
  return follower_.position();
}

void PolicyViews::apply(const Changes& changes) {
  const std::lock_guard lock(mutex_);
  follower_.apply(changes, {[this](const ResourcePtr& resource) { put(resource); },
                            [this](const ResourceType& type, const std::string& mesh, const std::string& name) {
                              remove(type, mesh, name);
                            }});
}

void PolicyViews::put(const ResourcePtr& resource) {
  auto& state = meshes_[resource->mesh];
  if (resource->type == gateway_) {
    state.gateways[resource->name] = resource;
    renew_gateway_proxies(resource->mesh);
  } else if (resource->type == dataplane_) {
    state.index.put(std::make_shared<const policy::Proxy>(policy::proxy_of(resource, gateways_of(state))));
  } else {
    state.index.put(policy::apply_policy(*resource, control_plane_));
  }
}

void PolicyViews::remove(const ResourceType& type, const std::string& mesh, const std::string& name) {
  const auto found = meshes_.find(mesh);
  if (found == meshes_.end()) return;
  if (&type == gateway_) {
    found->second.gateways.erase(name);
    renew_gateway_proxies(mesh);
  } else if (&type == dataplane_) {
    found->second.index.remove_proxy(name);
  } else {
    found->second.index.remove_policy(type, name);
  }
}

// The listeners of a built-in gateway stand in the MeshGateway that it serves.
void PolicyViews::renew_gateway_proxies(const std::string& mesh) {
  auto& state = meshes_[mesh];
  std::vector<ResourcePtr> concerned;
  for (const auto& [name, proxy] : state.index.proxies()) {
    if (proxy->kind == policy::ProxyKind::builtin_gateway) concerned.push_back(proxy->resource);
  }
  if (concerned.empty()) return;
  const auto gateways = gateways_of(state);
  for (const auto& dataplane : concerned) {
    state.index.put(std::make_shared<const policy::Proxy>(policy::proxy_of(dataplane, gateways)));
  }
}

std::vector<ResourcePtr> PolicyViews::gateways_of(const MeshState& state) {
  std::vector<ResourcePtr> out;
  for (const auto& [name, gateway] : state.gateways) out.push_back(gateway);
  return out;
}

// Whatever a policy can be attached to.
policy::AppliedPolicies PolicyViews::routes_of(const MeshState& state) const {
  policy::AppliedPolicies out;
  for (const auto* type : follower_.types()) {
    if (type->to_conf == ToConf::ordinary) continue;
    const auto routes = state.index.policies_of(*type);
    out.insert(out.end(), routes.begin(), routes.end());
  }
  return out;
}

PolicyViews::ProxyView PolicyViews::view(const MeshState& state, policy::ProxyPtr proxy) const {
  return {proxy, state.index.candidates_for(*proxy), routes_of(state)};
}

PolicyViews::ProxyView PolicyViews::view_proxy(const std::string& mesh, const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = meshes_.find(mesh);
  if (found == meshes_.end()) return {};
  auto proxy = found->second.index.find_proxy(name);
  return proxy ? view(found->second, std::move(proxy)) : ProxyView();
}

PolicyViews::ProxyView PolicyViews::view_made_up(const ResourcePtr& dataplane) const {
  const std::lock_guard lock(mutex_);
  const auto found = meshes_.find(dataplane->mesh);
  static const MeshState nothing;
  const auto& state = found == meshes_.end() ? nothing : found->second;
  return view(state, std::make_shared<const policy::Proxy>(policy::proxy_of(dataplane, gateways_of(state))));
}

PolicyViews::PolicyView PolicyViews::view_policy(const std::string& mesh, const ResourceType& type,
                                                 const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = meshes_.find(mesh);
  if (found == meshes_.end()) return {};
  auto policy = found->second.index.find_policy(type, name);
  if (!policy) return {};
  auto candidates = found->second.index.candidates_for(*policy);
  return {std::move(policy), std::move(candidates), routes_of(found->second)};
}

std::vector<policy::ProxyPtr> PolicyViews::proxies(const std::string& mesh) const {
  const std::lock_guard lock(mutex_);
  std::vector<policy::ProxyPtr> out;
  const auto found = meshes_.find(mesh);
  if (found == meshes_.end()) return out;
  for (const auto& [name, proxy] : found->second.index.proxies()) out.push_back(proxy);
  return out;
}

}  // namespace kdsd::api
