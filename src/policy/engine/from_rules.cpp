#include "policy/engine/from_rules.h"

#include <algorithm>

#include "model/json.h"
#include "policy/engine/contributors.h"
#include "policy/engine/item_conf.h"
#include "policy/engine/proxy.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::string_view service_tag = "kuma.io/service";

AppliedPolicies sorted(AppliedPolicies policies) {
  sort_policies(policies);
  return policies;
}

// Merges what covers a cell, and says which policy gave which field.
FromRule merge_cell(const ClientCell& cell, const std::vector<FromItem>& items, bool with_fields) {
  FromRule out;
  out.matchers = cell.matchers;
  Confs confs;
  Contributors contributors;
  for (const auto position : cell.items) {
    contributors.add(items[position].policy);
    confs.push_back(items[position].clients.conf);
  }
  out.conf = merge_confs(confs);
  out.origin = contributors.policies();
  if (with_fields) out.fields = contributors.by_policy(field_origins(out.conf, confs));
  return out;
}

}  // namespace

std::optional<Labels> tags_of_reference(const json::value& ref) {
  const auto kind = find_text(ref, {"kind"});
  if (kind == "Mesh") return Labels();
  auto tags = texts_at(ref, "tags");
  if (kind == "MeshSubset") return tags;
  if (kind != "MeshService" && kind != "MeshServiceSubset") return std::nullopt;
  if (kind == "MeshService") tags = {};
  const auto mesh = find_text(ref, {"mesh"});
  std::string service(find_text(ref, {"name"}));
  if (!mesh.empty()) service = std::string(mesh) + "/" + service;
  if (tags.has(service_tag) && tags.get(service_tag) != service) return std::nullopt;
  tags.set(service_tag, service);
  return tags;
}

std::vector<FromItem> ordered_from_items(const AppliedPolicies& policies, ItemPrecedence precedence) {
  std::vector<FromItem> out;
  for (const auto& policy : sorted(policies)) {
    const auto& from = policy->items("from");
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto index = precedence == ItemPrecedence::last ? i : from.size() - 1 - i;
      const auto* ref = find(from[index], {"targetRef"});
      auto tags = ref == nullptr ? std::nullopt : tags_of_reference(*ref);
      if (tags) out.push_back({policy.get(), index, {std::move(*tags), &default_of(from[index])}});
    }
  }
  return out;
}

FromRules merge_from(const AppliedPolicies& policies, const FromOptions& options) {
  const auto items = ordered_from_items(policies, options.precedence);
  std::vector<ClientItem> clients;
  clients.reserve(items.size());
  for (const auto& item : items) clients.push_back(item.clients);
  auto partition = partition_clients(clients, options.view);
  FromRules out{{}, partition.is_complete, std::move(partition.notes)};
  for (const auto& cell : partition.cells) out.rules.push_back(merge_cell(cell, items, options.with_fields));
  return out;
}

json::value conf_for_client(const std::vector<FromItem>& low_to_high, const Labels& client) {
  Confs confs;
  for (const auto& item : low_to_high) {
    const auto& tags = item.clients.tags;
    const bool covers = std::all_of(tags.begin(), tags.end(), [&](const auto& tag) {
      return client.has(tag.first) && client.get(tag.first) == tag.second;
    });
    if (covers) confs.push_back(item.clients.conf);
  }
  return confs.empty() ? json::value() : merge_confs(confs);
}

std::vector<InboundRule> ordered_inbound_rules(const AppliedPolicies& policies) {
  std::vector<InboundRule> out;
  for (const auto& policy : sorted(policies)) {
    const bool has_rules = !policy->items("rules").empty();
    if (!has_rules && !policy->type->from_as_rules) continue;
    const auto& items = policy->items(has_rules ? "rules" : "from");
    for (std::size_t i = 0; i < items.size(); ++i) out.push_back({policy.get(), i, &items[i]});
  }
  return out;
}

}  // namespace kdsd::policy
