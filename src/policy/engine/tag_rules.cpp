#include "policy/engine/tag_rules.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <initializer_list>
#include <map>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <set>

#include "model/json.h"
#include "policy/engine/from_rules.h"
#include "policy/engine/item_conf.h"
#include "policy/engine/ordering.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

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

// The policy's items once for each rule of the route that it is attached to.
void add_attached(const AppliedPolicy& policy, const AppliedPolicies& routes, std::vector<TagItem>& out) {
  const auto name = find_text(policy.target(), {"name"});
  for (const auto& route : routes) {
    if (route->type->name != route_kind || route->display_name != name) continue;
    for (const auto& entry : route->items("to")) {
      const auto* ref = find(entry, {"targetRef"});
      const auto tags = ref == nullptr ? std::nullopt : tags_of_reference(*ref);
      if (!tags) continue;
      for (const auto& rule : array_at(entry, "rules")) {
        auto with_hash = *tags;
        const auto* matches = find(rule, {"matches"});
        with_hash.set(hash_tag, matches_hash(matches == nullptr ? json::array() : *matches));
        for (const auto& item : policy.items("to")) {
          out.push_back({&policy, with_hash, to_item_conf(*policy.type, item)});
        }
      }
    }
  }
}

std::vector<TagItem> ordered_items(AppliedPolicies policies, const AppliedPolicies& routes) {
  sort_policies(policies);
  std::vector<TagItem> out;
  for (const auto& policy : policies) {
    if (is_about_routes(*policy)) continue;
    if (find_text(policy->target(), {"kind"}) == route_kind) {
      add_attached(*policy, routes, out);
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

void add_rule(const std::vector<TagItem>& items, const std::vector<std::size_t>& covering,
              const std::vector<TagMatcher>& matchers, std::vector<TagRule>& out) {
  Confs confs;
  std::vector<const AppliedPolicy*> origin;
  for (const auto position : covering) {
    confs.push_back(&items[position].conf);
    if (std::find(origin.begin(), origin.end(), items[position].policy) == origin.end()) {
      origin.push_back(items[position].policy);
    }
  }
  for (auto& merged : merge_to_confs(*items.front().policy->type, confs, false)) {
    out.push_back({matchers, std::move(merged.conf), origin});
  }
}

// One rule for each set of tags, those with more of them first.
std::vector<TagRule> rules_by_sets(const std::vector<TagItem>& items) {
  std::vector<const Labels*> sets;
  for (const auto& item : items) {
    const bool is_new = std::none_of(sets.begin(), sets.end(), [&](const Labels* set) { return *set == item.tags; });
    if (is_new) sets.push_back(&item.tags);
  }
  std::stable_sort(sets.begin(), sets.end(), [](const Labels* a, const Labels* b) { return a->size() > b->size(); });
  std::vector<TagRule> out;
  for (const auto* set : sets) {
    std::vector<std::size_t> covering;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto& tags = items[i].tags;
      const bool covers = std::all_of(tags.begin(), tags.end(), [&](const auto& tag) {
        return set->has(tag.first) && set->get(tag.first) == tag.second;
      });
      if (covers) covering.push_back(i);
    }
    std::vector<TagMatcher> matchers;
    for (const auto& [key, value] : *set) matchers.push_back({key, value, false});
    add_rule(items, covering, matchers, out);
  }
  return out;
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

TagRules merge_to_by_tags(const AppliedPolicies& policies, const AppliedPolicies& routes) {
  const auto items = ordered_items(policies, routes);
  if (items.empty()) return {};
  std::set<std::string> keys;
  for (const auto& item : items) {
    for (const auto& [key, value] : item.tags) keys.insert(key);
  }
  if (keys.size() <= 1) return {rules_by_sets(items), {}};
  std::vector<ClientItem> destinations;
  for (const auto& item : items) destinations.push_back({item.tags, &item.conf});
  auto partition = partition_clients(destinations);
  TagRules out{{}, std::move(partition.notes)};
  for (const auto& cell : partition.cells) add_rule(items, cell.items, cell.matchers, out.rules);
  return out;
}

}  // namespace kdsd::policy
