#include "api/policy_views.h"

#include <algorithm>

namespace kdsd::api {

PolicyViews::PolicyViews(const Catalogue& catalogue, policy::ControlPlaneKind control_plane,
                         const std::set<std::string>& disabled_types)
    : catalogue_(catalogue),
      control_plane_(std::move(control_plane)),
      dataplane_(catalogue.find("Dataplane")),
      gateway_(catalogue.find("MeshGateway")) {
  if (gateway_ != nullptr) types_.push_back(gateway_);
  if (dataplane_ != nullptr) types_.push_back(dataplane_);
  for (const auto* type : catalogue.types()) {
    if (type->is_target_ref_policy && !disabled_types.contains(type->name)) types_.push_back(type);
  }
}

std::optional<PolicyViews::Position> PolicyViews::position() const {
  const std::lock_guard lock(mutex_);
  return position_;
}

PolicyViews::Changes PolicyViews::changes_since(const kds::Index& index,
                                                const std::optional<Position>& position) const {
  Changes out;
  out.position = index.position();
  for (const auto* type : types_) {
    auto changes = position ? index.changes_since(*type, *position) : std::nullopt;
    if (!changes) {
      auto& whole = out.whole[type];
      whole.reserve(index.count(*type));
      index.each(*type, [&](const ResourcePtr& resource) { whole.push_back(resource); });
      continue;
    }
    out.entries.insert(out.entries.end(), changes->entries.begin(), changes->entries.end());
    out.erased.insert(out.erased.end(), changes->erased.begin(), changes->erased.end());
  }
  std::sort(out.entries.begin(), out.entries.end(),
            [](const EntryPtr& a, const EntryPtr& b) { return a->revision < b->revision; });
  return out;
}

// Another thread may have taken over the same changes, or newer ones, meanwhile. Where it took over a part of them,
// taking that part again changes nothing: they say what is there at their position, not how it came to that.
void PolicyViews::apply(const Changes& changes) {
  const std::lock_guard lock(mutex_);
  if (position_ && changes.position <= *position_) return;
  position_ = changes.position;
  for (const auto* type : types_) {
    const auto whole = changes.whole.find(type);
    if (whole != changes.whole.end()) take_whole(*type, whole->second);
  }
  for (const auto& key : changes.erased) remove(*key.type, key.mesh, key.name);
  for (const auto& entry : changes.entries) {
    if (!entry->resource) {
      remove(*entry->key.type, entry->key.mesh, entry->key.name);
    } else if (is_new(entry->resource)) {
      put(entry->resource);
    }
  }
}

bool PolicyViews::is_new(const ResourcePtr& resource) const {
  const auto of_type = known_.find(resource->type);
  if (of_type == known_.end()) return true;
  const auto known = of_type->second.find({resource->mesh, resource->name});
  return known == of_type->second.end() || known->second != resource;
}

void PolicyViews::take_whole(const ResourceType& type, const std::vector<ResourcePtr>& resources) {
  std::set<Name> there;
  for (const auto& resource : resources) there.emplace(resource->mesh, resource->name);
  std::vector<Name> gone;
  for (const auto& [name, resource] : known_[&type]) {
    if (!there.contains(name)) gone.push_back(name);
  }
  for (const auto& [mesh, name] : gone) remove(type, mesh, name);
  for (const auto& resource : resources) {
    if (is_new(resource)) put(resource);
  }
}

void PolicyViews::put(const ResourcePtr& resource) {
  known_[resource->type][{resource->mesh, resource->name}] = resource;
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
  known_[&type].erase({mesh, name});
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
  for (const auto* type : types_) {
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
