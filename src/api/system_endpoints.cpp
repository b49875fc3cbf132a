#include "api/answers.h"
#include "api/endpoints.h"
#include "api/errors.h"
#include "api/reading.h"
#include "model/hash.h"
#include "model/kri.h"
#include "policy/admission.h"

#include "kuma/system/v1alpha1/config.pb.h"

namespace kdsd::api {
namespace json = boost::json;
namespace {

constexpr const char* cluster_id_name = "kuma-cluster-id";

bool is_served(const ResourceType& type, const Facts& facts) {
  return !type.path.empty() && !facts.disabled_types.contains(type.name);
}

json::object describe(const ResourceType& type, const Facts& facts) {
  json::object out;
  out["includeInFederation"] = type.include_in_federation;
  out["name"] = type.name;
  out["path"] = type.path;
  out["pluralDisplayName"] = type.plural;
  if (type.is_policy) {
    out["policy"] = json::object{{"hasFromTargetRef", type.has_from},
                                 {"hasToTargetRef", type.has_to},
                                 {"isFromAsRules", type.from_as_rules},
                                 {"isTargetRef", type.is_target_ref_policy}};
  }
  const auto& control_plane = facts.control_plane;
  out["readOnly"] = facts.read_only || type.read_only || (control_plane.is_zone() && control_plane.federated);
  out["scope"] = type.mesh_scoped ? "Mesh" : "Global";
  out["shortName"] = type.short_name;
  out["singularDisplayName"] = type.singular;
  return out;
}

// The resource that a KRI names on this control plane; null when there is none.
ResourcePtr find_by_kri(const kds::Index& index, const Kri& kri, const policy::ControlPlaneKind& control_plane) {
  const auto stored = [&](const std::string& name) { return index.find(*kri.type, kri.mesh, name); };
  std::vector<std::string_view> parts;
  if (!kri.zone.empty()) parts.emplace_back(kri.zone);
  if (!kri.namespace_.empty()) parts.emplace_back(kri.namespace_);
  const auto hashed = hashed_name(kri.mesh, kri.name, parts);

  const bool created_here = control_plane.is_global() ? kri.zone.empty() : kri.zone == control_plane.zone;
  const bool has_namespace = control_plane.has_namespaces() && !kri.namespace_.empty();
  if (auto found = stored(created_here ? (has_namespace ? kri.name + "." + kri.namespace_ : kri.name) : hashed))
    return found;

  // Names that are never hashed, and own resources whose name here is not the one they show.
  Kri wanted = kri;
  wanted.section.clear();
  for (const auto& found : {stored(kri.name), index.find_by_wire_name(*kri.type, kri.mesh, hashed)}) {
    if (found && kri_of(*found) == wanted.text()) return found;
  }
  return nullptr;
}

}  // namespace

Answer get_index(Backend& backend, const Call&) {
  const auto* type = Catalogue::builtin().find("Config");
  auto stored = co_await read_core(
      backend, [type](const kds::Core& core) { return core.index().find(*type, "", cluster_id_name); });
  kuma::system::v1alpha1::Config cluster_id;
  if (stored && !cluster_id.ParseFromString(stored->spec)) cluster_id.Clear();
  const auto& facts = backend.facts();
  const bool federated_zone = facts.control_plane.is_zone() && facts.control_plane.federated;
  json::object body;
  body["clusterId"] = cluster_id.config();
  body["gui"] = federated_zone ? "" : facts.gui_path;
  body["hostname"] = facts.hostname;
  body["instanceId"] = facts.instance_id;
  body["kdsd"] = json::object{{"version", facts.kdsd_version}};
  body["product"] = facts.product;
  body["version"] = facts.version;
  co_return json_response(200, body);
}

Answer get_caller(Backend&, const Call& call) {
  json::object body;
  body["name"] = call.caller.name;
  body["groups"] = json::array(call.caller.groups.begin(), call.caller.groups.end());
  co_return json_response(200, body);
}

Answer get_config(Backend& backend, const Call& call) {
  const auto& facts = backend.facts();
  if (auto status = may_see_metadata(call.caller, facts); !status.ok())
    co_return error_response(status, Operation::get);
  co_return text_response(200, "application/json", facts.effective_config);
}

Answer get_resource_types(Backend& backend, const Call&) {
  const auto& facts = backend.facts();
  json::array types;
  for (const auto* type : Catalogue::builtin().types()) {
    if (is_served(*type, facts)) types.push_back(describe(*type, facts));
  }
  json::object body;
  body["resources"] = std::move(types);
  co_return json_response(200, body);
}

Answer get_policy_types(Backend& backend, const Call&) {
  const auto& facts = backend.facts();
  json::array policies;
  for (const auto* type : Catalogue::builtin().types()) {
    if (!type->is_policy || !is_served(*type, facts)) continue;
    json::object policy;
    policy["name"] = type->name;
    policy["readOnly"] = !policy::writable(*type, facts.control_plane, facts.read_only).ok();
    policy["path"] = type->path;
    policy["singularDisplayName"] = type->singular;
    policy["pluralDisplayName"] = type->plural;
    policy["isExperimental"] = type->experimental;
    policy["isTargetRefBased"] = type->is_target_ref_policy;
    policy["isInbound"] = type->has_from;
    policy["isOutbound"] = type->has_to;
    policies.push_back(std::move(policy));
  }
  json::object body;
  body["policies"] = std::move(policies);
  co_return json_response(200, body);
}

Answer get_by_kri(Backend& backend, const Call& call) {
  auto kri = parse_kri(Catalogue::builtin(), call.parameter("kri"));
  if (!kri.ok()) {
    co_return error_response(Status(Code::malformed, "bad request: " + kri.status().message()), Operation::get);
  }
  const auto& facts = backend.facts();
  if (auto status = may_touch(call.caller, *kri->type, facts); !status.ok())
    co_return error_response(status, Operation::get);
  auto look = [kri = *kri, &facts](const kds::Core& core) {
    return find_by_kri(core.index(), kri, facts.control_plane);
  };
  auto resource = co_await read_core(backend, std::move(look));
  auto format = parse_format(call.request, facts);
  if (!format.ok()) co_return error_response(format.status(), Operation::get);
  if (!resource) co_return error_response(Status(Code::not_found, ""), Operation::get);
  co_return resource_response(*resource, *format, backend.facts().control_plane);
}

}  // namespace kdsd::api
