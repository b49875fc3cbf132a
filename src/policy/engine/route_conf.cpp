#include "policy/engine/route_conf.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_map>

#include "model/json.h"
#include "policy/engine/applied_policy.h"
#include "policy/engine/merge_budget.h"
#include "policy/outcome.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

// The confs of one hostname, as positions in what was given, rising.
struct HostGroup {
  std::string hostname;  // empty: no hostname
  std::vector<std::size_t> confs;
};

std::vector<HostGroup> group_by_hostname(const Confs& confs) {
  std::vector<HostGroup> groups;
  std::unordered_map<std::string, std::size_t> known;
  const auto join = [&](const std::string& hostname, std::size_t conf) {
    const auto [it, is_new] = known.emplace(hostname, groups.size());
    if (is_new) groups.push_back({hostname, {}});
    auto& joined = groups[it->second].confs;
    if (joined.empty() || joined.back() != conf) joined.push_back(conf);
  };
  for (std::size_t i = 0; i < confs.size(); ++i) {
    bool has_hostname = false;
    for (const auto& hostname : find_list(*confs[i], {"hostnames"})) {
      if (!hostname.is_string()) continue;
      has_hostname = true;
      join(hostname.get_string().c_str(), i);
    }
    if (!has_hostname) join("", i);
  }
  return groups;
}

// Rules with the same matches, the highest first.
struct RuleGroup {
  const json::object* shown = nullptr;                               // the highest one, whose other members are kept
  std::vector<std::pair<std::size_t, const json::value*>> defaults;  // conf, `default`
};

std::vector<RuleGroup> group_rules(const Confs& confs, const HostGroup& group) {
  static const json::value no_matches = json::array();
  std::vector<RuleGroup> out;
  std::unordered_map<std::string, std::size_t> known;
  for (auto conf = group.confs.rbegin(); conf != group.confs.rend(); ++conf) {
    for (const auto& rule : find_list(*confs[*conf], {"rules"})) {
      if (!rule.is_object()) continue;
      const auto* matches = find(rule, {"matches"});
      const auto key = canonical_text(matches == nullptr || matches->is_null() ? no_matches : *matches);
      const auto [it, is_new] = known.emplace(key, out.size());
      if (is_new) out.push_back({&rule.get_object(), {}});
      const auto* conf_of_rule = find(rule, {"default"});
      if (conf_of_rule != nullptr && !conf_of_rule->is_null())
        out[it->second].defaults.emplace_back(*conf, conf_of_rule);
    }
  }
  return out;
}

void merge_rule(const RuleGroup& group, std::size_t position, MergedRoute& out, json::array& rules) {
  json::object rule;
  for (const auto& member : *group.shown) {
    if (member.key() != "default" && !member.value().is_null()) rule.emplace(member.key(), member.value());
  }
  if (!group.defaults.empty()) {
    Confs low_to_high;
    std::vector<std::size_t> sources;
    for (auto it = group.defaults.rbegin(); it != group.defaults.rend(); ++it) {
      sources.push_back(it->first);
      low_to_high.push_back(it->second);
    }
    auto merged = merge_confs(low_to_high);
    const auto path = member(element("rules", position), "default");
    for (auto& field : field_origins(merged, low_to_high)) {
      for (auto& source : field.sources) source = sources[source];
      field.sources.erase(std::unique(field.sources.begin(), field.sources.end()), field.sources.end());
      out.fields.push_back({field.path.empty() ? path : member(path, field.path), std::move(field.sources)});
    }
    rule["default"] = std::move(merged);
  }
  rules.emplace_back(std::move(rule));
}

void append_canonical(const json::value& value, std::string& out) {
  if (const auto* object = value.if_object()) {
    std::vector<const json::key_value_pair*> members;
    for (const auto& member : *object) {
      if (!member.value().is_null()) members.push_back(&member);
    }
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->key() < b->key(); });
    out += '{';
    for (const auto* member : members) {
      out += to_compact_json(json::string(member->key())) + ":";
      append_canonical(member->value(), out);
      out += ',';
    }
    out += '}';
  } else if (const auto* array = value.if_array()) {
    out += '[';
    for (const auto& element : *array) {
      append_canonical(element, out);
      out += ',';
    }
    out += ']';
  } else if (value.is_double() && std::abs(value.get_double()) < 1e15 &&
             std::trunc(value.get_double()) == value.get_double()) {
    out += std::to_string(static_cast<std::int64_t>(value.get_double()));  // 1.0 is 1
  } else {
    out += to_compact_json(value);
  }
}

}  // namespace

std::string canonical_text(const json::value& value) {
  std::string out;
  append_canonical(value, out);
  return out;
}

std::size_t merged_route_parts(const Confs& confs) {
  std::size_t parts = 0;
  for (const auto* conf : confs) {
    std::set<std::string_view> hostnames;
    for (const auto& hostname : find_list(*conf, {"hostnames"})) {
      if (hostname.is_string()) hostnames.insert({hostname.get_string().data(), hostname.get_string().size()});
    }
    std::size_t of_rules = 1;
    for (const auto& rule : find_list(*conf, {"rules"})) of_rules += parts_of(rule);
    parts += of_rules * std::max<std::size_t>(1, hostnames.size());
  }
  return parts;
}

std::vector<MergedRoute> merge_routes(const Confs& low_to_high) {
  std::vector<MergedRoute> out;
  for (const auto& group : group_by_hostname(low_to_high)) {
    MergedRoute merged;
    json::array rules;
    for (const auto& rule : group_rules(low_to_high, group)) merge_rule(rule, rules.size(), merged, rules);
    json::object conf{{"rules", std::move(rules)}};
    if (!group.hostname.empty()) conf["hostnames"] = json::array{json::value(group.hostname)};
    merged.conf = std::move(conf);
    out.push_back(std::move(merged));
  }
  return out;
}

}  // namespace kdsd::policy
