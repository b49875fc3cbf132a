// `from` items of the policies of one inbound, as rules for groups of clients that do not overlap
// (policy-semantics.md 8.5), and the inbound rules that are not told apart by clients (8.9).
//
// Pure. Results point to the policies, which must outlive them.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "policy/engine/client_partition.h"
#include "policy/engine/conf.h"
#include "policy/engine/ordering.h"

namespace kdsd::policy {

// One element of `from`, as the group of clients that it stands for.
struct FromItem {
  const AppliedPolicy* policy = nullptr;
  std::size_t index = 0;
  ClientItem clients;
};

// Every `from` item in the order of 7.1. Items that no client can match are left out.
std::vector<FromItem> ordered_from_items(const AppliedPolicies& policies, ItemPrecedence precedence);

// The tags by which a reference selects clients or destinations (8.5); nothing where it selects by something else, or
// contradicts itself.
std::optional<Labels> tags_of_reference(const boost::json::value& ref);

struct FromRule {
  std::vector<TagMatcher> matchers;  // all must hold; none: everybody
  boost::json::value conf;
  std::vector<FieldOrigin> fields;           // on demand; sources are positions in `origin`
  std::vector<const AppliedPolicy*> origin;  // contributing policies, low to high, once each
};

struct FromRules {
  std::vector<FromRule> rules;
  bool is_complete = true;  // false: clients cannot be told apart with a bearable number of rules, and there are none
  std::vector<std::string> notes;
};

struct FromOptions {
  PartitionView view = PartitionView::automatic;
  ItemPrecedence precedence = ItemPrecedence::last;
  bool with_fields = false;  // whether FromRule::fields is wanted
};

// `policies`: of one type, those that select the inbound, in any order.
FromRules merge_from(const AppliedPolicies& policies, const FromOptions& options = {});

// What holds for one client by evaluating the items one after the other; null where no item covers it. The yardstick
// that the rules have to agree with.
boost::json::value conf_for_client(const std::vector<FromItem>& low_to_high, const Labels& client);

// One rule of `spec.rules`, or of `from` of a type whose `from` knows no groups of clients.
struct InboundRule {
  const AppliedPolicy* policy = nullptr;
  std::size_t index = 0;
  const boost::json::value* item = nullptr;
};

// In the order of 7.1. A policy that has `rules` is taken by those.
std::vector<InboundRule> ordered_inbound_rules(const AppliedPolicies& policies);

}  // namespace kdsd::policy
