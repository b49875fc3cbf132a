// Roles of policies: who wrote one, and for whom (policy-semantics.md 1), and the zone a policy is meant for (3.3).
//
// Pure. Specs are those their authors wrote; a role is never computed from rewritten references.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/labels.h"
#include "model/status.h"
#include "policy/control_plane.h"

namespace kdsd::policy {

enum class Role : std::uint8_t { system, producer, consumer, workload_owner };

// The label value: `system`, `producer`, `consumer`, `workload-owner`.
std::string_view text(Role role);

// Anything that is no known role reads as `system`, as a missing label does.
Role role_from_text(std::string_view text);
Role declared_role(const Labels& labels);

// Whether policies of a role are about proxies of their own zone and namespace only (policy-semantics.md 6.2).
bool is_limited(Role role);

// Code::invalid with one violation (`spec` or `spec.to`) where sections or items of different roles are mixed.
// An empty namespace means that there is none.
Result<Role> compute_role(const boost::json::value& spec, std::string_view namespace_, Environment environment,
                          std::string_view system_namespace);

// MeshService, MeshExternalService, MeshMultiZoneService, MeshHTTPRoute, MeshTCPRoute.
bool is_real_object_kind(std::string_view kind);

// `spec.targetRef.kind`, `Mesh` where it is missing.
std::string_view top_level_kind(const boost::json::value& spec);

// The zone (or namespace) that the written top-level targetRef names; empty when it names none, or `*`.
std::string zone_tag(const boost::json::value& spec);
std::string namespace_tag(const boost::json::value& spec);

}  // namespace kdsd::policy
