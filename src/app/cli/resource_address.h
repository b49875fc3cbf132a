// Names of types as people write them, and the REST addresses of resources (rest-api.md 5).
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/catalogue.h"
#include "model/status.h"

namespace kdsd::app::cli {

inline constexpr std::string_view default_mesh = "default";

// A type by its name in any case, its REST path, or kumactl's word for one or many; dashes do not count.
// Code::not_found names the nearest one.
Result<const ResourceType*> find_type(const Catalogue& catalogue, std::string_view text);

// The words that completion offers for TYPE.
std::vector<std::string> type_words(const Catalogue& catalogue);

// Percent-encoded paths. An empty mesh lists a mesh-scoped type over all meshes.
std::string collection_path(const ResourceType& type, std::string_view mesh);
std::string item_path(const ResourceType& type, std::string_view mesh, std::string_view name);

std::string encode_segment(std::string_view text);
std::string encode_query_value(std::string_view text);

// The name under which a control plane with namespaces stores a resource.
std::string core_name(const std::string& name, const std::string& namespace_);

}  // namespace kdsd::app::cli
