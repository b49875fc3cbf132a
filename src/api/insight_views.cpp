#include "api/insight_views.h"

#include <utility>

#include "kuma/mesh/v1alpha1/external_service.pb.h"

namespace kdsd::api {
namespace proto = kuma::mesh::v1alpha1;

InsightViews::InsightViews(const Catalogue& catalogue)
    : mesh_(catalogue.find("Mesh")),
      dataplane_(catalogue.find("Dataplane")),
      dataplane_insight_(catalogue.find("DataplaneInsight")),
      external_service_(catalogue.find("ExternalService")),
      follower_({mesh_, dataplane_, dataplane_insight_, external_service_}) {}

std::optional<LogFollower::Position> InsightViews::position() const {
  const std::lock_guard lock(mutex_);
  return follower_.position();
}

void InsightViews::apply(const Changes& changes) {
  const std::lock_guard lock(mutex_);
  follower_.apply(changes, {[this](const ResourcePtr& resource) {
                              take(*resource->type, {resource->mesh, resource->name}, resource);
                            },
                            [this](const ResourceType& type, const std::string& mesh, const std::string& name) {
                              take(type, {mesh, name}, nullptr);
                            }});
}

// `resource` is null when it is gone.
void InsightViews::take(const ResourceType& type, const Name& name, const ResourcePtr& resource) {
  changed_meshes_.insert(&type == mesh_ ? name.second : name.first);
  if (&type == mesh_) return;
  if (&type == external_service_) return renew_external(name, resource);
  auto& proxy = proxies_[name];
  (&type == dataplane_ ? proxy.dataplane : proxy.insight) = resource;
  renew_proxy(name);
  if (!proxy.dataplane && !proxy.insight) proxies_.erase(name);
}

void InsightViews::renew_proxy(const Name& name) {
  const auto& proxy = proxies_[name];
  auto& tally = meshes_[name.first];
  if (proxy.dataplane) {
    tally.put_proxy(name.second, proxy_facts(*proxy.dataplane, proxy.insight.get()));
  } else {
    tally.remove_proxy(name.second);
  }
}

void InsightViews::renew_external(const Name& name, const ResourcePtr& resource) {
  auto& tally = meshes_[name.first];
  tally.remove_external(name.second);
  proto::ExternalService spec;
  if (!resource || !spec.ParseFromString(resource->spec)) return;
  const auto tag = spec.tags().find("kuma.io/service");
  if (tag != spec.tags().end()) tally.put_external(name.second, tag->second);
}

std::set<std::string> InsightViews::take_changed_meshes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(changed_meshes_, {});
}

void InsightViews::note_changed_meshes(const std::set<std::string>& meshes) {
  const std::lock_guard lock(mutex_);
  changed_meshes_.insert(meshes.begin(), meshes.end());
}

proto::MeshInsight InsightViews::mesh_insight(const std::string& mesh) const {
  const std::lock_guard lock(mutex_);
  const auto found = meshes_.find(mesh);
  return found == meshes_.end() ? MeshTally().mesh_insight() : found->second.mesh_insight();
}

proto::ServiceInsight InsightViews::service_insight(const std::string& mesh, const std::string& suffix) const {
  const std::lock_guard lock(mutex_);
  const auto found = meshes_.find(mesh);
  return found == meshes_.end() ? proto::ServiceInsight() : found->second.service_insight(suffix);
}

}  // namespace kdsd::api
