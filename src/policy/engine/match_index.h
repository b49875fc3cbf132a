// Which policies may concern which proxies of one mesh, without comparing every one with every other.
//
// Pure; not thread safe. Each policy stands under one thing that a proxy must have to be selected (a tag, a label, a
// name), or under "every proxy"; each proxy under everything it has. So a change of one policy or proxy costs what it
// names, and both questions look at candidates only. Answers are candidates: `select` decides.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policy/engine/applied_policy.h"
#include "policy/engine/proxy.h"

namespace kdsd::policy {

class MatchIndex {
 public:
  // Take the place of what is known under the same type and name.
  void put(AppliedPolicyPtr policy);
  void put(ProxyPtr proxy);
  void remove_policy(const ResourceType& type, const std::string& name);
  void remove_proxy(const std::string& name);

  AppliedPolicyPtr find_policy(const ResourceType& type, const std::string& name) const;
  ProxyPtr find_proxy(const std::string& name) const;

  // In the order of type and name.
  AppliedPolicies candidates_for(const Proxy& proxy) const;
  // In the order of names.
  std::vector<ProxyPtr> candidates_for(const AppliedPolicy& policy) const;

  AppliedPolicies policies_of(const ResourceType& type) const;
  const std::map<std::string, ProxyPtr>& proxies() const { return proxies_; }
  std::size_t policies() const { return policies_.size(); }

 private:
  using PolicyKey = std::pair<std::string, std::string>;  // type, name
  using PolicyMap = std::map<PolicyKey, AppliedPolicyPtr>;
  using ProxyMap = std::map<std::string, ProxyPtr>;

  PolicyMap policies_;
  ProxyMap proxies_;
  std::unordered_map<std::string, PolicyMap> policies_by_anchor_;  // the empty anchor: every proxy
  std::unordered_map<std::string, ProxyMap> proxies_by_anchor_;
};

}  // namespace kdsd::policy
