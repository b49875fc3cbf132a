#include "policy/own_door.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "model/json.h"
#include "policy/conf_rules.h"
#include "policy/labels.h"
#include "policy/role.h"
#include "policy/validate.h"
#include "policy/violation_order.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

// Policies that configure nothing but Envoy clusters: a producer may set them for callers that come through a gateway.
constexpr std::array<std::string_view, 3> cluster_policies = {"MeshCircuitBreaker", "MeshHealthCheck",
                                                              "MeshLoadBalancingStrategy"};

bool is_route(const ResourceType& type) { return type.name == "MeshHTTPRoute" || type.name == "MeshTCPRoute"; }

bool is_filled(const json::value& ref, std::string_view field) {
  const auto* value = find(ref, {field});
  return value != nullptr && value->is_object() && !value->get_object().empty();
}

// `allow`, `Allow` and `ALLOW_WITH_SHADOW_DENY` are compared without case and underscores.
bool is_known_action(std::string_view action) {
  std::string plain;
  for (char c : action) {
    if (c != '_') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return plain == "allow" || plain == "deny" || plain == "allowwithshadowdeny" || plain == "denywithshadowallow";
}

class Door {
 public:
  Door(const ResourceType& type, const json::value& spec, const OwnDoor& door)
      : type_(type), spec_(spec), door_(door), custom_(door.control_plane->is_custom_namespace(door.namespace_)) {}

  Outcome check(Outcome semantic) {
    const auto& control_plane = *door_.control_plane;
    auto role = compute_role(spec_, door_.namespace_, control_plane.environment, control_plane.system_namespace);
    Outcome outcome;
    if (!role.ok()) outcome.violations = role.status().violations();
    if (custom_ && top_level_kind(spec_) == "MeshGateway") check_gateway(role, semantic, outcome);
    check_items(semantic);
    add_conf_violations({type_, type_.target_refs, spec_}, semantic);
    outcome.violations.insert(outcome.violations.end(), semantic.violations.begin(), semantic.violations.end());
    if (custom_ && is_route(type_) && top_level_kind(spec_) == "MeshGateway") check_backends(outcome);
    outcome.warnings = std::move(semantic.warnings);
    if (role.ok()) warn_about_scope(*role, outcome);
    return outcome;
  }

 private:
  // V-RT-1, V-GW-1 and V-GW-2, unless the type takes no gateway anyway.
  void check_gateway(const Result<Role>& role, const Outcome& semantic, Outcome& outcome) {
    const std::string field = "spec.targetRef.kind";
    const bool refused = std::any_of(semantic.violations.begin(), semantic.violations.end(),
                                     [&](const Violation& violation) { return violation.field == field; });
    if (refused) return;
    if (is_route(type_)) {
      if (!door_.control_plane->namespaced_gateway_routes)
        outcome.refuse(field, "value 'MeshGateway' is not supported");
      return;
    }
    if (std::find(cluster_policies.begin(), cluster_policies.end(), type_.name) == cluster_policies.end()) {
      outcome.refuse(field, "value 'MeshGateway' is not supported");
    } else if (role.ok() && is_limited(*role)) {
      outcome.refuse(field, "in a custom namespace only a producer policy can target MeshGateway, this policy is " +
                                std::string(text(*role)));
    }
  }

  void check_items(Outcome& semantic) {
    Outcome items;
    const auto& to = find_list(spec_, {"to"});
    for (std::size_t i = 0; i < to.size(); ++i) check_to_item(to[i], element("spec.to", i) + ".targetRef", items);
    if (type_.name == "MeshTrafficPermission") {
      const auto& from = find_list(spec_, {"from"});
      for (std::size_t i = 0; i < from.size(); ++i) check_permission(from[i], element("spec.from", i), items);
      allow_client_meshes(from, semantic);
    }
    semantic.violations = in_order_of_items(type_, std::move(semantic.violations), std::move(items.violations));
  }

  void check_to_item(const json::value& item, const std::string& path, Outcome& outcome) {
    const auto* ref = find(item, {"targetRef"});
    if (ref == nullptr) return;
    const bool nameless = find_text(*ref, {"name"}).empty() && !is_filled(*ref, "labels");
    if (find_text(*ref, {"kind"}) == "MeshMultiZoneService" && nameless) {
      outcome.refuse(path + ".name", "must be set with kind MeshMultiZoneService");
    }
    if (!door_.control_plane->has_namespaces() && !find_text(*ref, {"namespace"}).empty()) {
      outcome.refuse(path + ".namespace", "must not be set on Universal");
    }
  }

  static void check_permission(const json::value& item, const std::string& path, Outcome& outcome) {
    const auto action = find_text(item, {"default", "action"});
    if (action.empty() || is_known_action(action)) return;
    outcome.refuse(path + ".default.action",
                   "must be one of ALLOW, DENY, ALLOW_WITH_SHADOW_DENY, DENY_WITH_SHADOW_ALLOW");
  }

  // Clients of another mesh are named by it; peers have no word for that (policy-semantics.md 13, D-42).
  static void allow_client_meshes(const json::array& from, Outcome& semantic) {
    std::set<std::string> allowed;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto kind = find_text(from[i], {"targetRef", "kind"});
      if (kind == "MeshService" || kind == "MeshServiceSubset") {
        allowed.insert(element("spec.from", i) + ".targetRef.mesh");
      }
    }
    std::erase_if(semantic.violations, [&](const Violation& violation) { return allowed.contains(violation.field); });
  }

  // V-GW-3 and V-GW-4: who lets traffic into the mesh through a gateway decides about services of the own namespace
  // only.
  void check_backends(Outcome& outcome) {
    const auto& to = find_list(spec_, {"to"});
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto& rules = find_list(to[i], {"rules"});
      for (std::size_t j = 0; j < rules.size(); ++j)
        check_rule(rules[j], element(element("spec.to", i) + ".rules", j), outcome);
    }
  }

  void check_rule(const json::value& rule, const std::string& path, Outcome& outcome) {
    const auto& refs = find_list(rule, {"default", "backendRefs"});
    for (std::size_t i = 0; i < refs.size(); ++i)
      check_backend(refs[i], element(path + ".default.backendRefs", i), outcome);
    const auto& filters = find_list(rule, {"default", "filters"});
    for (std::size_t i = 0; i < filters.size(); ++i) {
      const auto* ref = find(filters[i], {"requestMirror", "backendRef"});
      if (ref != nullptr)
        check_backend(*ref, element(path + ".default.filters", i) + ".requestMirror.backendRef", outcome);
    }
  }

  void check_backend(const json::value& ref, const std::string& path, Outcome& outcome) {
    if (is_filled(ref, "labels")) {
      outcome.refuse(path + ".labels", "must not be used when a namespaced route targets MeshGateway");
      return;
    }
    const std::string target(find_text(ref, {"namespace"}));
    if (target.empty() || target == door_.namespace_) return;
    const BackendUse use{type_.name, door_.namespace_, std::string(find_text(ref, {"kind"})), target,
                         std::string(find_text(ref, {"name"}))};
    if (door_.granted && door_.granted(use)) return;
    outcome.refuse(path + ".namespace",
                   "must be '" + door_.namespace_ + "' unless a ReferenceGrant in '" + target + "' allows it");
  }

  void warn_about_scope(Role role, Outcome& outcome) {
    if (role == Role::producer || !door_.control_plane->is_zone()) return;
    const auto& zone = door_.control_plane->zone;
    if (const auto tag = zone_tag(spec_); !tag.empty() && tag != zone) {
      outcome.warn("selects no data plane proxy: the policy is limited to zone '" + zone + "' but targets zone '" +
                   tag + "'");
    }
    if (role == Role::system) return;
    if (const auto tag = namespace_tag(spec_); !tag.empty() && tag != door_.namespace_) {
      outcome.warn("selects no data plane proxy: the policy is limited to namespace '" + door_.namespace_ +
                   "' but targets namespace '" + tag + "'");
    }
  }

  const ResourceType& type_;
  const json::value& spec_;
  const OwnDoor& door_;
  const bool custom_;
};

}  // namespace

void check_namespace(const ResourceType& type, const OwnDoor& door, Outcome& outcome) {
  const auto& control_plane = *door.control_plane;
  if (!control_plane.is_custom_namespace(door.namespace_)) return;
  if (control_plane.is_global()) {
    outcome.refuse("metadata.namespace", "on Global CP the policy can be created only in the system namespace:" +
                                             control_plane.system_namespace);
  } else if (type.system_namespace_only) {
    outcome.refuse("metadata.namespace",
                   "resource type " + type.name +
                       " can be created only in the system namespace:" + control_plane.system_namespace);
  }
}

Outcome check_own_door(const ResourceType& type, const json::value& spec, const OwnDoor& door, Outcome semantic) {
  if (!type.is_target_ref_policy) return semantic;
  return Door(type, spec, door).check(std::move(semantic));
}

Outcome check_spec_of_own(const ResourceType& type, const json::value& spec, const Labels& labels,
                          std::string_view name, const OwnDoor& door) {
  // The role that counts is the computed one. Kinds on top that a namespaced role takes nowhere are refused by the
  // lists of that role; MeshGateway has rules of its own.
  Labels with_role = labels;
  with_role.erase(label::policy_role);
  const auto& control_plane = *door.control_plane;
  if (type.is_target_ref_policy && top_level_kind(spec) != "MeshGateway") {
    auto role = compute_role(spec, door.namespace_, control_plane.environment, control_plane.system_namespace);
    if (role.ok()) with_role.set(label::policy_role, text(*role));
  }
  return check_own_door(type, spec, door, validate_spec(type, spec, with_role, name));
}

Outcome validate_own(const ResourceType& type, const json::value& spec, const Labels& labels, const std::string& mesh,
                     std::string_view name, const OwnDoor& door) {
  Outcome outcome;
  check_namespace(type, door, outcome);
  check_labels(*door.control_plane, type, mesh, door.namespace_, labels, outcome);
  auto own = check_spec_of_own(type, spec, labels, name, door);
  outcome.violations.insert(outcome.violations.end(), own.violations.begin(), own.violations.end());
  outcome.warnings = std::move(own.warnings);
  return outcome;
}

}  // namespace kdsd::policy
