// ReferenceGrant: who may refer to what across namespaces; and the shape of it and of attached policies.
//
// Pure (policy-semantics.md 5.2 V-RG and V-PA, 10, 11.1). Default is denial.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "policy/outcome.h"

namespace kdsd::policy {

struct ObjectKind {
  std::string group;  // `core` and empty text mean the same
  std::string kind;
  std::string namespace_;
};

struct CrossNamespaceReference {
  ObjectKind from;
  ObjectKind to;  // empty namespace: that of the referrer
};

struct Grant {
  std::string namespace_;
  std::string name;
  boost::json::value spec;
};

struct GrantDecision {
  bool allowed = false;
  std::string reason;  // same-namespace, granted-by:<namespace>/<name>, no-grant
};

GrantDecision grant_allows(const CrossNamespaceReference& reference, const std::vector<Grant>& grants);

// V-RG-1 to V-RG-3.
void check_reference_grant(const boost::json::value& spec, Outcome& outcome);

// V-PA-1 to V-PA-3. An empty namespace means that the policy is cluster-scoped.
void check_attached_policy(const boost::json::value& spec, const std::string& namespace_, Outcome& outcome);

}  // namespace kdsd::policy
