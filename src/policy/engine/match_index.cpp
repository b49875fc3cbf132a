#include "policy/engine/match_index.h"

#include <set>
#include <string_view>

#include "model/hash.h"
#include "model/json.h"

namespace kdsd::policy {
namespace {

constexpr std::string_view service_tag = "kuma.io/service";

std::string anchor(std::string_view what, std::string_view key, std::string_view value) {
  std::string out(what);
  out += ' ';
  out += key;
  out += '=';
  out += value;
  return out;
}

std::string tag_anchor(std::string_view key, std::string_view value) { return anchor("tag", key, value); }
std::string label_anchor(std::string_view key, std::string_view value) { return anchor("label", key, value); }

// The first pair that demands a value of its own; empty where there is none.
std::string first_anchor(const Labels& wanted, std::string (*make)(std::string_view, std::string_view)) {
  for (const auto& [key, value] : wanted) {
    if (value != "*") return make(key, value);
  }
  return {};
}

std::string by_target(const AppliedPolicy& policy) {
  const auto& target = policy.target();
  const auto kind = find_text(target, {"kind"});
  const auto name = find_text(target, {"name"});
  if (kind == "MeshService" || kind == "MeshServiceSubset") return tag_anchor(service_tag, name);
  if (kind == "MeshGateway") return anchor("gateway", "", name);
  if (kind == "Dataplane") {
    const auto labels = texts_at(target, "labels");
    if (!labels.empty()) return label_anchor(labels.begin()->first, labels.begin()->second);
    return name.empty() ? std::string() : anchor("name", "", name);
  }
  if (kind != "MeshSubset") return {};
  auto tags = texts_at(target, "tags");
  tags.erase(label::zone);  // the scope may have checked these two, and then no tag has to be there
  tags.erase(label::namespace_);
  return first_anchor(tags, tag_anchor);
}

std::string anchor_of(const AppliedPolicy& policy) {
  if (auto found = by_target(policy); !found.empty()) return found;
  return is_limited(policy.role) ? label_anchor(label::namespace_, policy.scope.namespace_) : std::string();
}

std::set<std::string> anchors_of(const Proxy& proxy) {
  std::set<std::string> out;
  const auto add_tags = [&](const Labels& tags) {
    for (const auto& [key, value] : tags) out.insert(tag_anchor(key, value));
  };
  for (const auto& inbound : proxy.inbounds) add_tags(inbound.tags);
  for (const auto& listener : proxy.listeners) add_tags(listener.tags);
  add_tags(proxy.gateway_tags);
  for (const auto& [key, value] : proxy.labels) out.insert(label_anchor(key, value));
  out.insert(anchor("name", "", display_name(proxy.name, proxy.labels)));
  if (!proxy.gateway.empty()) out.insert(anchor("gateway", "", proxy.gateway));
  return out;
}

}  // namespace

void MatchIndex::put(AppliedPolicyPtr policy) {
  remove_policy(*policy->type, policy->name);
  const PolicyKey key{policy->type->name, policy->name};
  policies_by_anchor_[anchor_of(*policy)][key] = policy;
  policies_[key] = std::move(policy);
}

void MatchIndex::put(ProxyPtr proxy) {
  remove_proxy(proxy->name);
  for (const auto& each : anchors_of(*proxy)) proxies_by_anchor_[each][proxy->name] = proxy;
  proxies_[proxy->name] = std::move(proxy);
}

void MatchIndex::remove_policy(const ResourceType& type, const std::string& name) {
  const auto found = policies_.find({type.name, name});
  if (found == policies_.end()) return;
  const auto under = policies_by_anchor_.find(anchor_of(*found->second));
  under->second.erase(found->first);
  if (under->second.empty()) policies_by_anchor_.erase(under);
  policies_.erase(found);
}

void MatchIndex::remove_proxy(const std::string& name) {
  const auto found = proxies_.find(name);
  if (found == proxies_.end()) return;
  for (const auto& each : anchors_of(*found->second)) {
    const auto under = proxies_by_anchor_.find(each);
    under->second.erase(name);
    if (under->second.empty()) proxies_by_anchor_.erase(under);
  }
  proxies_.erase(found);
}

AppliedPolicyPtr MatchIndex::find_policy(const ResourceType& type, const std::string& name) const {
  const auto found = policies_.find({type.name, name});
  return found == policies_.end() ? nullptr : found->second;
}

ProxyPtr MatchIndex::find_proxy(const std::string& name) const {
  const auto found = proxies_.find(name);
  return found == proxies_.end() ? nullptr : found->second;
}

AppliedPolicies MatchIndex::candidates_for(const Proxy& proxy) const {
  PolicyMap found;
  const auto take = [&](const std::string& each) {
    const auto under = policies_by_anchor_.find(each);
    if (under != policies_by_anchor_.end()) found.insert(under->second.begin(), under->second.end());
  };
  take("");
  for (const auto& each : anchors_of(proxy)) take(each);
  AppliedPolicies out;
  out.reserve(found.size());
  for (auto& [key, policy] : found) out.push_back(std::move(policy));
  return out;
}

std::vector<ProxyPtr> MatchIndex::candidates_for(const AppliedPolicy& policy) const {
  const auto each = anchor_of(policy);
  const auto under = proxies_by_anchor_.find(each);
  if (!each.empty() && under == proxies_by_anchor_.end()) return {};
  std::vector<ProxyPtr> out;
  for (const auto& [name, proxy] : each.empty() ? proxies_ : under->second) out.push_back(proxy);
  return out;
}

AppliedPolicies MatchIndex::policies_of(const ResourceType& type) const {
  AppliedPolicies out;
  for (auto it = policies_.lower_bound({type.name, ""}); it != policies_.end() && it->first.first == type.name; ++it) {
    out.push_back(it->second);
  }
  return out;
}

}  // namespace kdsd::policy
