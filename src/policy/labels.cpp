#include "policy/labels.h"

#include <array>

#include "policy/names.h"
#include "policy/proto_rules.h"
#include "policy/role.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::array<std::string_view, 3> immutable_labels = {label::display_name, label::origin, label::zone};

// Namespaced control planes keep these as annotations, whose values have no such bound (namespaces.md 3).
bool may_be_long(const ControlPlaneKind& control_plane, std::string_view key) {
  return control_plane.has_namespaces() &&
         (key == label::display_name || key == label::service_account || key == label::workload);
}

// Whether a federated zone insists on `kuma.io/origin: zone` being written.
bool needs_origin(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& namespace_) {
  if (!control_plane.has_namespaces()) return true;
  return type.is_policy && namespace_ == control_plane.system_namespace;
}

void check_origin(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& namespace_,
                  const Labels& user, Outcome& outcome) {
  const auto& origin = user.get(label::origin);
  const bool written = user.has(label::origin);
  if (written && origin != "global" && origin != "zone") {
    outcome.refuse(label_field(label::origin), "unknown resource origin \"" + origin + "\"");
  }
  if (control_plane.disable_origin_validation) return;
  if (control_plane.is_global()) {
    if (written && origin != "global")
      outcome.refuse(label_field(label::origin), "the origin label must be set to 'global'");
    return;
  }
  if (!control_plane.federated || type.encoding != SpecEncoding::json) return;
  const bool wrong = written ? origin != "zone" : needs_origin(control_plane, type, namespace_);
  if (wrong) outcome.refuse(label_field(label::origin), "the origin label must be set to 'zone'");
}

void check_place(const ControlPlaneKind& control_plane, const std::string& mesh, const Labels& user, Outcome& outcome) {
  const auto& origin = user.get(label::origin);
  if (control_plane.is_global()) {
    // A copy sent back with its labels is refused for its origin already.
    if (user.has(label::zone) && origin != "zone") {
      outcome.refuse(label_field(label::zone), "must not be set on a Global control plane");
    }
    return;
  }
  if (origin == "global") return;
  if (user.has(label::zone) && user.get(label::zone) != control_plane.zone) {
    outcome.refuse(label_field(label::zone), "kuma.io/zone label should have " + control_plane.zone + " value");
  }
  if (user.has(label::mesh) && user.get(label::mesh) != mesh) {
    outcome.refuse(label_field(label::mesh), "kuma.io/mesh label must not differ from mesh set on resource");
  }
}

}  // namespace

std::string label_field(std::string_view key) { return keyed("labels", key); }

bool is_locally_originated(Mode mode, const Labels& labels) {
  const auto& origin = labels.get(label::origin);
  if (origin.empty()) return true;
  return origin == (mode == Mode::global ? "global" : "zone");
}

void check_labels(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& mesh,
                  const std::string& namespace_, const Labels& user, Outcome& outcome) {
  check_origin(control_plane, type, namespace_, user, outcome);
  check_place(control_plane, mesh, user, outcome);
  if (!namespace_.empty() && user.has(label::namespace_) && user.get(label::namespace_) != namespace_) {
    outcome.refuse(label_field(label::namespace_), "must be " + namespace_);
  }
  for (const auto& [key, value] : user) {
    for (auto& problem : label_key_problems(key)) outcome.refuse(label_field(key), std::move(problem));
    if (may_be_long(control_plane, key)) continue;
    for (auto& problem : label_value_problems(value)) outcome.refuse(label_field(key), std::move(problem));
  }
}

Labels compute_labels(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& mesh,
                      const std::string& namespace_, const json::value& spec, const Labels& user) {
  Labels labels = user;
  labels.erase(label::policy_role);  // computed or absent, never chosen
  if (type.mesh_scoped) labels.set_default(label::mesh, mesh.empty() ? "default" : mesh);
  if (control_plane.is_zone() && type.provided_by_zone) {
    labels.set_default(label::origin, "zone");
    if (labels.get(label::origin) != "global") {
      labels.set_default(label::zone, control_plane.zone);
      labels.set_default(label::env, control_plane.has_namespaces() ? "kubernetes" : "universal");
    }
  }
  if (control_plane.has_namespaces() && !namespace_.empty() && is_locally_originated(control_plane.mode, labels)) {
    labels.set_default(label::namespace_, namespace_);
    if (type.is_plugin_policy()) {
      auto role = compute_role(spec, namespace_, control_plane.environment, control_plane.system_namespace);
      if (role.ok()) labels.set(label::policy_role, text(*role));
    }
  }
  if (auto proxy = proxy_type(type, spec); !proxy.empty()) labels.set(label::proxy_type, proxy);
  return labels;
}

Labels complete_labels(const ControlPlaneKind& control_plane, const ResourceType& type, const std::string& mesh,
                       const CoreName& name, const json::value& spec, const Labels& user) {
  auto labels = compute_labels(control_plane, type, mesh, name.namespace_, spec, user);
  if (control_plane.has_namespaces() && labels.get(label::display_name).empty())
    labels.set(label::display_name, name.name);
  return labels;
}

Violations immutable_label_violations(const Labels& before, const Labels& after) {
  Violations violations;
  for (auto key : immutable_labels) {
    if (!before.has(key)) continue;
    const auto& old = before.get(key);
    if (!after.has(key)) {
      violations.push_back({label_field(key), "is immutable, cannot be removed (was \"" + old + "\")"});
    } else if (after.get(key) != old) {
      violations.push_back(
          {label_field(key), "is immutable, cannot be changed from \"" + old + "\" to \"" + after.get(key) + "\""});
    }
  }
  return violations;
}

}  // namespace kdsd::policy
