// The columns of `kdsd get` for each type, and the cells of one resource. Pure.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "model/catalogue.h"

namespace kdsd::app::cli {

// MESH (mesh-scoped types), NAME, what is worth seeing of this type, ZONE, ORIGIN, AGE.
std::vector<std::string> column_names(const ResourceType& type);
std::vector<std::string> cells_of(const ResourceType& type, const boost::json::value& document,
                                  std::int64_t now_seconds);

}  // namespace kdsd::app::cli
