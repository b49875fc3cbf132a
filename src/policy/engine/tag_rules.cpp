#include "policy/engine/tag_rules.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <initializer_list>
#include <iterator>
#include <map>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <set>

#include "model/json.h"
#include "policy/engine/contributors.h"
#include "policy/engine/from_rules.h"
#include "policy/engine/item_conf.h"
#include "policy/engine/merge_budget.h"
#include "policy/engine/ordering.h"
#include "policy/engine/to_rules.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::string_view service_tag = "kuma.io/service";
constexpr std::string_view hash_tag = "__rule-matches-hash__";
constexpr std::string_view route_kind = "MeshHTTPRoute";

struct TagItem {
  const AppliedPolicy* policy = nullptr;
  Labels tags;
  json::value conf;
};

bool is_about_routes(const AppliedPolicy& policy) {
  const auto& to = policy.items("to");
  return std::any_of(to.begin(), to.end(), [](const json::value& item) {
    return find_text(item, {"targetRef", "kind"}) == route_kind;
  });
}

// Whatever a route is about counts as a service of that name here, also one without a name (12.1.1).
Labels tags_of_route_entry(const json::value& entry) {
  const auto kind = find_text(entry, {"targetRef", "kind"});
  Labels out;
  if (kind != "Mesh" && kind != "MeshSubset") out.set(service_tag, find_text(entry, {"targetRef", "name"}));
  return out;
}

// The policy's items once for each rule of the route that it is attached to.
void add_attached(const AppliedPolicy& policy, const AppliedPolicies& routes, MergeBudget& budget,
                  std::vector<TagItem>& out) {
  const auto name = find_text(policy.target(), {"name"});
  for (const auto& route : routes) {
    if (route->type->name != route_kind || route->display_name != name) continue;
    for (const auto& entry : route->items("to")) {
      const auto tags = tags_of_route_entry(entry);
      for (const auto& rule : find_list(entry, {"rules"})) {
        auto with_hash = tags;
        const auto* matches = find(rule, {"matches"});
        with_hash.set(hash_tag, matches_hash(matches == nullptr ? json::array() : *matches));
        for (const auto& item : policy.items("to")) {
          auto conf = to_item_conf(*policy.type, item);
          if (!budget.take(1 + with_hash.size() + parts_of(conf))) return;
          out.push_back({&policy, with_hash, std::move(conf)});
        }
      }
    }
  }
}

std::vector<TagItem> ordered_items(AppliedPolicies policies, const AppliedPolicies& routes, MergeBudget& budget) {
  sort_policies(policies);
  std::vector<TagItem> out;
  for (const auto& policy : policies) {
    if (is_about_routes(*policy)) continue;
    if (find_text(policy->target(), {"kind"}) == route_kind) {
      add_attached(*policy, routes, budget, out);
      continue;
    }
    for (const auto& item : policy->items("to")) {
      const auto* ref = find(item, {"targetRef"});
      auto tags = ref == nullptr ? std::nullopt : tags_of_reference(*ref);
      if (tags) out.push_back({policy.get(), std::move(*tags), to_item_conf(*policy->type, item)});
    }
  }
  return out;
}

// Puts the rules together as long as they are not too many.
class RuleList {
 public:
  RuleList(const std::vector<TagItem>& items, bool with_fields) : items_(items), with_fields_(with_fields) {}

  void add(const std::vector<std::size_t>& covering, const std::vector<TagMatcher>& matchers) {
    if (!budget_.take(covering.size())) return;
    Confs confs;
    Contributors contributors;
    for (const auto position : covering) {
      confs.push_back(&items_[position].conf);
      contributors.add(items_[position].policy);
    }
    const auto& type = *items_.front().policy->type;
    if (!budget_.take(merged_parts_of(type, confs))) return;
    for (auto& merged : merge_to_confs(type, confs, with_fields_)) {
      out_.push_back({matchers, std::move(merged.conf), contributors.by_policy(std::move(merged.fields)),
                      contributors.policies()});
    }
  }

  TagRules take(std::vector<std::string> notes) {
    if (budget_.is_spent()) return {{}, {too_many_rules_note}};
    return {std::move(out_), std::move(notes)};
  }

 private:
  const std::vector<TagItem>& items_;
  const bool with_fields_;
  std::vector<TagRule> out_;
  MergeBudget budget_{limits::merged_parts};
};

// One rule for each set of tags, those with a tag first. There is one key at most, so a set holds for itself and is
// covered by the empty one besides.
TagRules rules_by_sets(const std::vector<TagItem>& items, bool with_fields) {
  std::vector<std::size_t> everywhere;
  std::vector<std::pair<const Labels*, std::vector<std::size_t>>> sets;  // in the order in which they appear
  std::map<std::string, std::size_t> known;                              // by the value
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].tags.empty()) {
      everywhere.push_back(i);
      continue;
    }
    const auto [it, is_new] = known.emplace(items[i].tags.begin()->second, sets.size());
    if (is_new) sets.push_back({&items[i].tags, {}});
    sets[it->second].second.push_back(i);
  }
  RuleList out(items, with_fields);
  for (const auto& [set, own] : sets) {
    std::vector<std::size_t> covering;
    std::merge(own.begin(), own.end(), everywhere.begin(), everywhere.end(), std::back_inserter(covering));
    const auto& [key, value] = *set->begin();
    out.add(covering, {{key, value, false}});
  }
  if (!everywhere.empty()) out.add(everywhere, {});
  return out.take({});
}

// Members in the order in which Go writes them; empty lists and texts that it leaves out are left out.
json::object in_order(const json::value& from, std::initializer_list<std::string_view> names,
                      std::string_view left_out_when_empty) {
  json::object out;
  for (const auto name : names) {
    const auto* value = find(from, {name});
    if (value == nullptr || value->is_null()) continue;
    if (name == left_out_when_empty && value->is_string() && value->get_string().empty()) continue;
    out.emplace(json::string_view(name.data(), name.size()), *value);
  }
  return out;
}

json::array each_in_order(const json::value& list, std::string_view left_out_when_empty) {
  json::array out;
  if (!list.is_array()) return out;
  for (const auto& entry : list.get_array()) {
    out.push_back(in_order(entry, {"type", "name", "value"}, left_out_when_empty));
  }
  return out;
}

}  // namespace

std::string matches_hash(const json::value& matches) {
  json::array spelled;
  if (matches.is_array()) {
    for (const auto& match : matches.get_array()) {
      json::object out;
      if (const auto* path = find(match, {"path"})) out["path"] = in_order(*path, {"value", "type"}, "");
      if (const auto* method = find(match, {"method"})) out["method"] = *method;
      if (const auto* query = find(match, {"queryParams"})) out["queryParams"] = each_in_order(*query, "");
      if (const auto* headers = find(match, {"headers"})) out["headers"] = each_in_order(*headers, "value");
      spelled.push_back(std::move(out));
    }
  }
  const auto text = to_wire_json(spelled);
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  unsigned char encoded[SHA256_DIGEST_LENGTH * 2];
  const auto length = EVP_EncodeBlock(encoded, hash, SHA256_DIGEST_LENGTH);
  return {reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(length)};
}

TagRules merge_to_by_tags(const AppliedPolicies& policies, const AppliedPolicies& routes, bool with_fields) {
  MergeBudget budget(limits::merged_parts);
  const auto items = ordered_items(policies, routes, budget);
  if (budget.is_spent()) return {{}, {too_many_rules_note}};
  if (items.empty()) return {};
  std::set<std::string> keys;
  for (const auto& item : items) {
    for (const auto& [key, value] : item.tags) keys.insert(key);
  }
  if (keys.size() <= 1) return rules_by_sets(items, with_fields);
  std::vector<ClientItem> destinations;
  for (const auto& item : items) destinations.push_back({item.tags, &item.conf});
  auto partition = partition_clients(destinations);
  RuleList out(items, with_fields);
  for (const auto& cell : partition.cells) out.add(cell.items, cell.matchers);
  return out.take(std::move(partition.notes));
}

}  // namespace kdsd::policy
