// What an item of a policy says: the conf it stands for, as its type wants it to be merged.
//
// Pure. Which form a type has is data of the catalogue (`toConf`), so a new type needs nothing here
// (policy-semantics.md 8.2).
#pragma once

#include <boost/json/value.hpp>
#include <vector>

#include "model/catalogue.h"
#include "policy/engine/conf.h"

namespace kdsd::policy {

// The conf of one element of `to`.
boost::json::value to_item_conf(const ResourceType& type, const boost::json::value& item);

// `default` of an element of `from`, or of a spec without items; an empty object where it is missing.
const boost::json::value& default_of(const boost::json::value& holder);

// One merged conf and where its fields come from. Routes may have several, one for each hostname.
struct MergedConf {
  boost::json::value conf;
  std::vector<FieldOrigin> fields;
};

// About how many parts (policy/engine/merge_budget.h) merging these confs takes, and gives at most.
std::size_t merged_parts_of(const ResourceType& type, const Confs& confs);

std::vector<MergedConf> merge_to_confs(const ResourceType& type, const Confs& low_to_high, bool with_fields = true);

}  // namespace kdsd::policy
