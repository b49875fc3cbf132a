#include "api/insights.h"

#include <memory>
#include <utility>

#include "api/await.h"

namespace kdsd::api {
namespace {

struct Look {
  InsightViews::Changes changes;
  std::vector<MeshInsights> meshes;
};

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
    auto out = std::make_shared<Look>();
    const auto take = [&](const ResourcePtr& found) {
      out->meshes.push_back({found, {}, {}});
      count_resources(index, out->meshes.back());
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
  for (auto& insights : found->meshes) {
    insights.whole.MergeFrom(views.mesh_insight(insights.mesh->name));
    insights.services = views.service_insight(insights.mesh->name, backend.facts().service_suffix);
  }
  co_return std::move(found->meshes);
}

}  // namespace kdsd::api
