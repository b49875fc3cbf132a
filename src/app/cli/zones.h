// What `kdsd zones` shows of a zone: connected or not, since when, and how its synchronisation went. Pure.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace kdsd::app::cli {

std::vector<std::string> zone_column_names();

// `overview`: an item of /zones/_overview (rest-api.md 6.3).
std::vector<std::string> zone_cells(const boost::json::value& overview, std::int64_t now_seconds);

}  // namespace kdsd::app::cli
