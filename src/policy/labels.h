// Labels of resources written here: what users may set, what is computed, what never changes (rest-api.md 6.5,
// kds-protocol.md 8.2).
//
// Pure.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "model/catalogue.h"
#include "model/labels.h"
#include "policy/control_plane.h"
#include "policy/core_name.h"
#include "policy/outcome.h"

namespace kdsd::policy {

// `labels["kuma.io/origin"]`
std::string label_field(std::string_view key);

// Whether a resource with these labels counts as created on a control plane of this mode (kds-protocol.md 8.4).
bool is_locally_originated(Mode mode, const Labels& labels);

// The rules for labels that a user wrote, in the order of the specification. `mesh` as the document says,
// `namespace_` empty without namespaces.
void check_labels(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& mesh,
                  const std::string& namespace_, const Labels& user, Outcome& outcome);

// The labels that are stored. The spec has passed validation; where its role cannot be computed none is set.
Labels compute_labels(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& mesh,
                      const std::string& namespace_, const boost::json::value& spec, const Labels& user);

// compute_labels, and the display name that own resources show where there are namespaces: what is stored in the end.
Labels complete_labels(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& mesh,
                       const CoreName& name, const boost::json::value& spec, const Labels& user);

// Origin, zone and display name before and after an update; adding one is allowed.
Violations immutable_label_violations(const Labels& before, const Labels& after);

}  // namespace kdsd::policy
