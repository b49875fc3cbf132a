// Insights of all meshes, kept up to date from the change log: what changed since the last look is counted again,
// nothing else (rest-api.md 8).
//
// Shared by the API threads; the lock is held while changes are taken over and while an answer is copied out.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "api/log_follower.h"
#include "api/mesh_tally.h"
#include "model/catalogue.h"

namespace kdsd::api {

class InsightViews {
 public:
  using Changes = LogFollower::Changes;

  explicit InsightViews(const Catalogue& catalogue);

  std::optional<LogFollower::Position> position() const;
  Changes changes_since(const kds::Index& index, const std::optional<LogFollower::Position>& position) const {
    return follower_.changes_since(index, position);
  }
  void apply(const Changes& changes);

  // Meshes whose services may count differently since the last call; new meshes are among them.
  std::set<std::string> take_changed_meshes();
  // They are to come again.
  void note_changed_meshes(const std::set<std::string>& meshes);

  // Of a mesh without proxies and services: with all numbers at zero.
  kuma::mesh::v1alpha1::MeshInsight mesh_insight(const std::string& mesh) const;
  kuma::mesh::v1alpha1::ServiceInsight service_insight(const std::string& mesh, const std::string& suffix) const;

 private:
  using Name = std::pair<std::string, std::string>;  // mesh, name

  struct Proxy {
    ResourcePtr dataplane;  // null: an insight that came first
    ResourcePtr insight;    // null: none yet
  };

  void take(const ResourceType& type, const Name& name, const ResourcePtr& resource);
  void renew_proxy(const Name& name);
  void renew_external(const Name& name, const ResourcePtr& resource);

  const ResourceType* mesh_;
  const ResourceType* dataplane_;
  const ResourceType* dataplane_insight_;
  const ResourceType* external_service_;
  mutable std::mutex mutex_;
  LogFollower follower_;
  std::map<Name, Proxy> proxies_;
  std::map<std::string, MeshTally> meshes_;
  std::set<std::string> changed_meshes_;
};

}  // namespace kdsd::api
