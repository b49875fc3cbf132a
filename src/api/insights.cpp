#include "api/insights.h"

#include <memory>
#include <optional>
#include <utility>

#include "api/await.h"

namespace kdsd::api {
namespace proto = kuma::mesh::v1alpha1;
namespace {

struct Look {
  InsightViews::Changes changes;
  std::vector<MeshInsights> meshes;
  std::vector<ResourcePtr> received;  // for each mesh what a global tells of its services; may be null
};

// A zone behind a global has proxies of its own only; those of all zones are counted there.
ResourcePtr find_received(const kds::Index& index, const ResourceType& type, const std::string& mesh) {
  ResourcePtr out;
  index.each_in_mesh(type, mesh, [&](const ResourcePtr& found) {
    if (found->is_copy()) out = found;
  });
  return out;
}

std::optional<proto::ServiceInsight> read_received(const ResourcePtr& resource, const std::string& suffix) {
  proto::ServiceInsight out;
  if (!resource || !out.ParseFromString(resource->spec)) return std::nullopt;
  for (auto& [name, service] : *out.mutable_services()) {
    if (service.servicetype() == proto::ServiceInsight_Service_Type_internal) service.set_addressport(name + suffix);
    service.mutable_dataplanes();  // clients need the object even when it is empty
  }
  return out;
}

// How many resources the mesh holds, insights left out; only what exists.
void count_resources(const kds::Index& index, MeshInsights& insights) {
  for (const auto* type : index.catalogue().types()) {
    if (!type->mesh_scoped || type->read_only || type->path.empty()) continue;
    const auto number = static_cast<std::uint32_t>(index.count(*type, insights.mesh->name));
    if (number == 0) continue;
    (*insights.whole.mutable_resources())[type->name].set_total(number);
    if (type->is_policy) (*insights.whole.mutable_policies())[type->name].set_total(number);
  }
}

}  // namespace

boost::asio::awaitable<std::vector<MeshInsights>> find_insights(Backend& backend, InsightViews& views,
                                                                std::string mesh) {
  auto look = [&views, position = views.position(), mesh = std::move(mesh)](const kds::Core& core) {
    const auto& index = core.index();
    const auto& type = *index.catalogue().find("Mesh");
    const auto& insight_type = *index.catalogue().find("ServiceInsight");
    auto out = std::make_shared<Look>();
    const auto take = [&](const ResourcePtr& found) {
      out->meshes.push_back({found, {}, {}});
      count_resources(index, out->meshes.back());
      out->received.push_back(find_received(index, insight_type, found->name));
    };
    if (mesh.empty()) {
      index.each(type, take);
    } else if (auto found = index.find(type, "", mesh)) {
      take(found);
    }
    if (!out->meshes.empty()) out->changes = views.changes_since(index, position);
    return out;
  };
  const auto found = co_await read_core(backend, std::move(look));
  if (found->meshes.empty()) co_return std::vector<MeshInsights>();
  views.apply(found->changes);
  const auto& suffix = backend.facts().service_suffix;
  for (std::size_t i = 0; i < found->meshes.size(); ++i) {
    auto& insights = found->meshes[i];
    insights.whole.MergeFrom(views.mesh_insight(insights.mesh->name));
    auto received = read_received(found->received[i], suffix);
    insights.services = received ? std::move(*received) : views.service_insight(insights.mesh->name, suffix);
  }
  co_return std::move(found->meshes);
}

}  // namespace kdsd::api
