// The insights of meshes, as the endpoints need them: brought up to the newest state, then copied out.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <string>
#include <vector>

#include "api/backend.h"
#include "api/insight_views.h"

namespace kdsd::api {

struct MeshInsights {
  ResourcePtr mesh;
  kuma::mesh::v1alpha1::MeshInsight whole;
  kuma::mesh::v1alpha1::ServiceInsight services;
};

// Of the mesh of this name, or of all when it is empty, in the order of lists. Empty when there is no such mesh.
boost::asio::awaitable<std::vector<MeshInsights>> find_insights(Backend& backend, InsightViews& views,
                                                                std::string mesh);

}  // namespace kdsd::api
