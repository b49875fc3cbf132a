// Merging confs, from low to high priority, and saying where each field of the result comes from
// (policy-semantics.md 8.2).
//
// Pure. Nulls are the same as absent members, at every depth.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kdsd::policy {

// What becomes of arrays whose name is `append` and a capital letter.
enum class AppendRule { concatenate, replace };

// Confs in the order of their priority, the lowest first. Not owned; none is null.
using Confs = std::vector<const boost::json::value*>;

boost::json::value merge_confs(const Confs& low_to_high, AppendRule rule = AppendRule::concatenate);

// A field of a merged conf that is no object with members, and who gave it its value.
struct FieldOrigin {
  std::string path;                  // `http.requestTimeout`; empty: the conf itself
  std::vector<std::size_t> sources;  // positions in the confs, rising; several only where arrays were concatenated
  friend bool operator==(const FieldOrigin&, const FieldOrigin&) = default;
};

// How a member is called below `parent`: `http.requestTimeout`, `http["x.y"]`.
std::string field_path(std::string_view parent, std::string_view name);

// In the order of the merged conf. `merged` is what merge_confs gave for the same confs.
std::vector<FieldOrigin> field_origins(const boost::json::value& merged, const Confs& low_to_high,
                                       AppendRule rule = AppendRule::concatenate);

// Whether nothing of `lower` is left wherever `higher` is merged behind it, whatever stands below and between.
bool overrides(const boost::json::value& higher, const boost::json::value& lower);

}  // namespace kdsd::policy
