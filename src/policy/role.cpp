#include "policy/role.h"

#include <algorithm>
#include <array>

#include "model/json.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

constexpr std::array<std::string_view, 5> real_object_kinds = {"MeshService", "MeshExternalService",
                                                               "MeshMultiZoneService", "MeshHTTPRoute", "MeshTCPRoute"};

bool has_items(const json::value& spec, std::string_view section) {
  const auto* list = find(spec, {section});
  return list != nullptr && list->is_array() && !list->get_array().empty();
}

// Whether an item says how others should call a service of the policy's own namespace.
bool is_producer_item(const json::value& item, std::string_view namespace_) {
  const auto* ref = find(item, {"targetRef"});
  if (ref == nullptr) return false;
  const auto kind = find_text(*ref, {"kind"});
  if (kind != "MeshService" && kind != "MeshHTTPRoute" && kind != "MeshTCPRoute") return false;
  if (find_text(*ref, {"name"}).empty()) return false;
  const auto* labels = find(*ref, {"labels"});
  if (labels != nullptr && labels->is_object() && !labels->get_object().empty()) return false;
  const auto written = find_text(*ref, {"namespace"});
  return written.empty() || written == namespace_;
}

Status mixed(std::string field, std::string reason) {
  return Status(Code::invalid, reason, {{std::move(field), reason}});
}

// What the top-level reference says about one key: tags of the kinds that have them, labels of Dataplane.
std::string tag(const json::value& spec, std::string_view key) {
  const auto kind = top_level_kind(spec);
  std::string_view found;
  if (kind == "MeshSubset" || kind == "MeshServiceSubset" || kind == "MeshGateway") {
    found = find_text(spec, {"targetRef", "tags", key});
  } else if (kind == "Dataplane") {
    found = find_text(spec, {"targetRef", "labels", key});
  }
  return found == "*" ? std::string() : std::string(found);
}

}  // namespace

std::string_view text(Role role) {
  switch (role) {
    case Role::system:
      return "system";
    case Role::producer:
      return "producer";
    case Role::consumer:
      return "consumer";
    case Role::workload_owner:
      return "workload-owner";
  }
  return "system";
}

Role role_from_text(std::string_view value) {
  for (auto role : {Role::producer, Role::consumer, Role::workload_owner}) {
    if (value == text(role)) return role;
  }
  return Role::system;
}

Role declared_role(const Labels& labels) { return role_from_text(labels.get(label::policy_role)); }

bool is_limited(Role role) { return role == Role::consumer || role == Role::workload_owner; }

Result<Role> compute_role(const json::value& spec, std::string_view namespace_, Environment environment,
                          std::string_view system_namespace) {
  if (environment != Environment::kubernetes || namespace_.empty() || namespace_ == system_namespace)
    return Role::system;
  const bool has_to = has_items(spec, "to");
  if (has_to && (has_items(spec, "from") || has_items(spec, "rules"))) {
    return mixed("spec", "it's not allowed to mix 'to' and 'from' arrays in the same policy");
  }
  if (!has_to) return Role::workload_owner;
  const auto& items = find(spec, {"to"})->get_array();
  const auto producers = std::count_if(items.begin(), items.end(),
                                       [&](const json::value& item) { return is_producer_item(item, namespace_); });
  if (producers == 0) return Role::consumer;
  if (producers == static_cast<std::ptrdiff_t>(items.size())) return Role::producer;
  return mixed("spec.to", "it's not allowed to mix producer and consumer items in the same policy");
}

bool is_real_object_kind(std::string_view kind) {
  return std::find(real_object_kinds.begin(), real_object_kinds.end(), kind) != real_object_kinds.end();
}

std::string_view top_level_kind(const json::value& spec) {
  const auto* ref = find(spec, {"targetRef"});
  return ref == nullptr ? std::string_view("Mesh") : find_text(*ref, {"kind"});
}

std::string zone_tag(const json::value& spec) { return tag(spec, label::zone); }
std::string namespace_tag(const json::value& spec) { return tag(spec, label::namespace_); }

}  // namespace kdsd::policy
