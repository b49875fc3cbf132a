// Which policies take part in a merge of items, and which of them gave a field (policy-semantics.md 12.1.1: `origin`).
//
// Pure. Points to the policies, which must outlive it.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "policy/engine/applied_policy.h"
#include "policy/engine/conf.h"

namespace kdsd::policy {

class Contributors {
 public:
  // The policy of the next item, low to high.
  void add(const AppliedPolicy* policy);

  // In the order in which they were added, once each.
  const std::vector<const AppliedPolicy*>& policies() const { return policies_; }

  // Origins of fields by items, as origins by policies: sources become positions in `policies()`.
  std::vector<FieldOrigin> by_policy(std::vector<FieldOrigin> by_item) const;

 private:
  std::vector<const AppliedPolicy*> policies_;
  std::map<const AppliedPolicy*, std::size_t> position_of_;
  std::vector<std::size_t> of_item_;  // positions in policies_
};

}  // namespace kdsd::policy
