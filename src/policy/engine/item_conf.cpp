#include "policy/engine/item_conf.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "model/json.h"
#include "policy/engine/applied_policy.h"
#include "policy/engine/merge_budget.h"
#include "policy/engine/route_conf.h"

namespace kdsd::policy {
namespace json = boost::json;

const json::value& default_of(const json::value& holder) {
  static const json::value empty = json::object();
  const auto* found = find(holder, {"default"});
  return found == nullptr || found->is_null() ? empty : *found;
}

json::value to_item_conf(const ResourceType& type, const json::value& item) {
  if (type.to_conf == ToConf::ordinary) return default_of(item);
  const auto& rules = find_list(item, {"rules"});
  if (type.to_conf == ToConf::rule) {
    return rules.empty() ? json::value(json::object{{"default", json::object()}}) : rules.front();
  }
  json::object conf{{"rules", rules}};
  const auto& hostnames = find_list(item, {"hostnames"});
  if (!hostnames.empty()) conf["hostnames"] = hostnames;
  return conf;
}

std::size_t merged_parts_of(const ResourceType& type, const Confs& confs) {
  if (type.to_conf == ToConf::routes) return merged_route_parts(confs);
  std::size_t parts = 0;
  for (const auto* conf : confs) parts += parts_of(*conf);
  return parts;
}

std::vector<MergedConf> merge_to_confs(const ResourceType& type, const Confs& low_to_high, bool with_fields) {
  std::vector<MergedConf> out;
  if (type.to_conf == ToConf::routes) {
    for (auto& route : merge_routes(low_to_high)) out.push_back({std::move(route.conf), std::move(route.fields)});
    return out;
  }
  auto conf = merge_confs(low_to_high);
  auto fields = with_fields ? field_origins(conf, low_to_high) : std::vector<FieldOrigin>();
  out.push_back({std::move(conf), std::move(fields)});
  return out;
}

}  // namespace kdsd::policy
