// What the reading endpoints share: collecting on the core executor, and showing one resource in the format asked for.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "api/await.h"
#include "api/backend.h"
#include "api/http.h"
#include "model/resource.h"

namespace kdsd::api {

// A list and, at the same position, what belongs to each of its resources (null where there is nothing).
struct Collected {
  bool mesh_found = true;
  std::vector<ResourcePtr> resources;
  std::vector<ResourcePtr> companions;
};

// Whether a mesh that a path names exists; an empty name means that the path names none.
bool has_mesh(const kds::Index& index, const std::string& mesh);

// Resources of a type in the order of lists, of one mesh or, with an empty name, of all. `companion`: the type of the
// same mesh and name that goes with each; may be null.
Collected collect(const kds::Index& index, const ResourceType& type, const std::string& mesh,
                  const ResourceType* companion);

// The `format` query (6.2).
struct Format {
  bool kubernetes = false;
  std::string namespace_;
};
Result<Format> parse_format(const Request& request, const Facts& facts);

// A resource as it is used on this control plane: copies of policies with their references rewritten
// (policy-semantics.md 4.8).
boost::json::object render_here(const Resource& resource, const policy::ControlPlaneKind& control_plane);
Response resource_response(const Resource& resource, const Format& format,
                           const policy::ControlPlaneKind& control_plane);

}  // namespace kdsd::api
