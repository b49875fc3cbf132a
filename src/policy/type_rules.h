// Inside of the semantic validator: the sections of a policy, and what only single types demand of an item.
//
// Pure; used by validate.cpp and its neighbours only (policy-target-refs.md 4 and 5).
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalogue.h"
#include "policy/outcome.h"
#include "policy/role.h"

namespace kdsd::policy {

// One policy under validation.
struct PolicyView {
  const ResourceType& type;
  const boost::json::value& rules;  // ResourceType::target_refs
  const boost::json::value& spec;
  Role role = Role::system;

  const boost::json::array& items(std::string_view section) const;  // empty where the section is missing
  bool has(std::string_view section) const { return !items(section).empty(); }
  const boost::json::value* top() const;
  std::string_view top_kind() const { return top_level_kind(spec); }
};

// section_rules.cpp: the step of the evaluation order, by its name there.
void check_step(const PolicyView& policy, std::string_view step, Outcome& outcome);
// Whether a section may not be there at all, so that nobody looks into its items.
bool is_section_refused(const PolicyView& policy, std::string_view section);

// type_rules.cpp: the conf of one item, for the types that have rules about it. `path` is that of the item.
void check_item_conf(const PolicyView& policy, std::string_view section, const boost::json::value& item,
                     const std::string& path, Outcome& outcome);

// type_rules.cpp: backend references of a route's item.
void check_backend_refs(const PolicyView& policy, const boost::json::value& item, const std::string& path,
                        Outcome& outcome);

// warnings.cpp
void collect_warnings(const PolicyView& policy, Outcome& outcome);

// Kinds of a list of texts in the catalogue.
std::vector<std::string_view> texts(const boost::json::value* list);

}  // namespace kdsd::policy
