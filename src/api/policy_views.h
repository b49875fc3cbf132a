// What inspecting needs of the stored state, made ready: policies and proxies of each mesh, with the index from one to
// the other. Follows the change log: what changed since the last look is prepared again, nothing else.
//
// Shared by the API threads; the lock is held while changes are taken over and candidates are collected, not while
// anything is evaluated. `changes_since` runs on the core executor and takes shared pointers only.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/log_follower.h"
#include "policy/control_plane.h"
#include "policy/engine/match_index.h"

namespace kdsd::api {

class PolicyViews {
 public:
  using Changes = LogFollower::Changes;

  // A proxy with what may select it.
  struct ProxyView {
    policy::ProxyPtr proxy;  // null: there is none
    policy::AppliedPolicies candidates;
    policy::AppliedPolicies routes;
  };

  // A policy with what it may select.
  struct PolicyView {
    policy::AppliedPolicyPtr policy;  // null: there is none
    std::vector<policy::ProxyPtr> candidates;
    policy::AppliedPolicies routes;
  };

  PolicyViews(const Catalogue& catalogue, policy::ControlPlaneKind control_plane,
              const std::set<std::string>& disabled_types);

  // Where the views stand; nothing before the first look.
  std::optional<LogFollower::Position> position() const;
  Changes changes_since(const kds::Index& index, const std::optional<LogFollower::Position>& position) const {
    return follower_.changes_since(index, position);
  }
  // What is known already is not prepared again.
  void apply(const Changes& changes);

  ProxyView view_proxy(const std::string& mesh, const std::string& name) const;
  // A proxy that is not stored: the one that would serve a MeshGateway.
  ProxyView view_made_up(const ResourcePtr& dataplane) const;
  PolicyView view_policy(const std::string& mesh, const ResourceType& type, const std::string& name) const;
  std::vector<policy::ProxyPtr> proxies(const std::string& mesh) const;

 private:
  struct MeshState {
    policy::MatchIndex index;
    std::map<std::string, ResourcePtr> gateways;
  };

  void put(const ResourcePtr& resource);
  void remove(const ResourceType& type, const std::string& mesh, const std::string& name);
  void renew_gateway_proxies(const std::string& mesh);
  policy::AppliedPolicies routes_of(const MeshState& state) const;
  static std::vector<ResourcePtr> gateways_of(const MeshState& state);
  ProxyView view(const MeshState& state, policy::ProxyPtr proxy) const;

  const policy::ControlPlaneKind control_plane_;
  const ResourceType* dataplane_ = nullptr;
  const ResourceType* gateway_ = nullptr;

  mutable std::mutex mutex_;
  LogFollower follower_;
  std::map<std::string, MeshState> meshes_;
};

}  // namespace kdsd::api
