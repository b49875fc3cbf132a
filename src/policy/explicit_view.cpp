#include "policy/explicit_view.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "model/document.h"
#include "model/json.h"
#include "model/labels.h"
#include "policy/references.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

json::object explicit_target(const json::value& spec, Role role, const std::string& zone,
                             const std::string& namespace_) {
  const auto* written = find(spec, {"targetRef"});
  json::object target =
      written != nullptr && written->is_object() ? written->get_object() : json::object{{"kind", "Mesh"}};
  if (!is_limited(role)) return target;
  const auto kind = top_level_kind(spec);
  if (kind == "Mesh") target["kind"] = "MeshSubset";
  if (kind != "Mesh" && kind != "MeshSubset" && kind != "MeshServiceSubset") return target;
  auto& tags = target["tags"];
  if (!tags.is_object()) tags = json::object();
  tags.get_object().emplace(label::namespace_, namespace_);  // emplace: a written value stays
  tags.get_object().emplace(label::zone, zone);
  return target;
}

void fill_to_item(json::value& item, const std::string& namespace_) {
  auto* object = item.if_object();
  auto* ref = object ? object->if_contains("targetRef") : nullptr;
  if (ref == nullptr || !ref->is_object() || namespace_.empty()) return;
  const bool by_name = is_real_object_kind(find_text(*ref, {"kind"})) && !find_text(*ref, {"name"}).empty();
  if (by_name && find_text(*ref, {"namespace"}).empty()) ref->get_object()["namespace"] = namespace_;
}

void fill_from_item(json::value& item) {
  auto* object = item.if_object();
  if (object == nullptr) return;
  const auto* ref = object->if_contains("targetRef");
  const bool empty = ref == nullptr || !ref->is_object() || ref->get_object().empty();
  if (empty) (*object)["targetRef"] = json::object{{"kind", "Mesh"}};
}

}  // namespace

ExplicitView explicit_view(const json::value& spec, Role role, const std::string& zone, const std::string& namespace_) {
  ExplicitView view{spec, {}};
  if (!view.spec.is_object()) view.spec = json::object();
  auto& object = view.spec.get_object();
  object["targetRef"] = explicit_target(spec, role, zone, namespace_);
  if (auto* to = object.if_contains("to"); to != nullptr && to->is_array()) {
    for (auto& item : to->get_array()) fill_to_item(item, namespace_);
  }
  if (auto* from = object.if_contains("from"); from != nullptr && from->is_array()) {
    for (auto& item : from->get_array()) fill_from_item(item);
  }
  if (role != Role::producer) view.scope.zone = zone;
  if (is_limited(role)) view.scope.namespace_ = namespace_;
  return view;
}

ExplicitView explicit_view_of(const Resource& policy, const ControlPlaneKind& control_plane) {
  const auto role = declared_role(policy.labels);
  auto zone = policy.labels.get(label::zone);
  if (zone.empty() && !policy.is_copy()) zone = control_plane.zone;
  if (policy.is_copy() && control_plane.is_zone()) {
    // What a zone receives may be rewritten: its references say where the objects are by now, and nothing is left out.
    return explicit_view(spec_json(derived_form(policy, control_plane)), role, zone, {});
  }
  return explicit_view(spec_json(policy), role, zone, policy.labels.get(label::namespace_));
}

}  // namespace kdsd::policy
