// One reference to a resource or a set of them: which kinds a place accepts, and which fields a kind takes.
//
// Pure. Rules and texts: policy-target-refs.md 2 and 7.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "policy/outcome.h"
#include "policy/role.h"

namespace kdsd::policy {

// What a place makes of a reference, beyond the shape each kind has everywhere.
struct RefRules {
  std::vector<std::string_view> kinds;
  bool gateway_tags = false;                   // `tags` beside kind MeshGateway
  bool inbound_sections = false;               // `sectionName` beside kind Dataplane
  std::vector<std::string_view> exempt_names;  // not held to the characters of names
  std::string unsupported_text;                // instead of "value 'X' is not supported"
};

// Appends the violations of the reference at `path`, in the order of the specification. A missing `ref` is one without
// kind.
void check_target_ref(const boost::json::value* ref, const RefRules& rules, std::string_view path, Outcome& outcome);

// Whether the proxies that a top-level reference selects can be gateways. A missing reference means the whole mesh.
bool includes_gateways(const boost::json::value* top_level);

// Rules of the top-level reference of a type for a role, from the catalogue.
RefRules top_level_rules(const boost::json::value& target_refs, Role role, const boost::json::value& spec);

}  // namespace kdsd::policy
