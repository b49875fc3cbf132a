// `to` items of the policies of one proxy, merged: one conf for each destination that some item names, and the lookup
// of the conf of an outbound (policy-semantics.md 8.3).
//
// Pure. Results point to the policies, which must outlive them.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/engine/item_conf.h"
#include "policy/engine/ordering.h"
#include "policy/resolve.h"

namespace kdsd::policy {

struct ToRule {
  ResolvedObject target;          // an object, a port of it, or the mesh
  std::vector<MergedConf> confs;  // one; several only for routes. FieldOrigin::sources are positions in `origin`
  std::vector<ToItem> origin;     // contributing items, low to high
};

class ToRules {
 public:
  // Rules in the order of KRIs.
  explicit ToRules(std::vector<ToRule> rules);
  // More than `limits::merged_parts`: there are no rules then.
  static ToRules too_many();

  const std::vector<ToRule>& all() const { return rules_; }
  bool is_complete() const { return is_complete_; }

  // The rule of an outbound: of the route, if one is asked for; of the port; of the object; of the mesh; or null. KRIs
  // are those of whole objects.
  const ToRule* find(std::string_view object_kri, std::string_view section, std::string_view route_kri = {}) const;

 private:
  const ToRule* at(std::string_view object_kri, std::string_view section) const;

  std::vector<ToRule> rules_;
  std::map<std::pair<std::string, std::string>, std::size_t, std::less<>> by_target_;  // KRI of the object, section
  const ToRule* mesh_ = nullptr;
  bool is_complete_ = true;
};

// A remark about rules that are not complete.
inline constexpr const char* too_many_rules_note = "the rules would be too many to be worked out";

// `policies`: of one type, those that select the proxy, in any order. Where fields come from is worked out on demand.
ToRules merge_to(const AppliedPolicies& policies, const Catalogue& catalogue, const ObjectLookup& objects,
                 const ItemOrder& order = {}, bool with_fields = true);

// Asks the lookup everything that merge_to will ask (policy/object_questions.h).
void ask_for_targets(const AppliedPolicies& policies, const Catalogue& catalogue, const ObjectLookup& objects);

// The KRI without its section.
std::string object_kri(const ResolvedObject& object);

}  // namespace kdsd::policy
