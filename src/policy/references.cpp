#include "policy/references.h"

#include <algorithm>
#include <functional>

#include "model/document.h"
#include "model/hash.h"
#include "model/json.h"
#include "policy/outcome.h"
#include "policy/role.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

enum class Place { target, backend };
using Visit = std::function<void(const std::string& path, Place place, json::object& ref)>;

void each_item(json::value& holder, std::string_view member_name, std::string_view path,
               const std::function<void(const std::string&, json::value&)>& visit) {
  auto* object = holder.if_object();
  auto* list = object ? object->if_contains({member_name.data(), member_name.size()}) : nullptr;
  if (list == nullptr || !list->is_array()) return;
  auto& items = list->get_array();
  for (std::size_t i = 0; i < items.size(); ++i) visit(element(member(path, member_name), i), items[i]);
}

void visit_member(json::value& holder, std::string_view name, const std::string& path, Place place,
                  const Visit& visit) {
  auto* object = holder.if_object();
  auto* ref = object ? object->if_contains({name.data(), name.size()}) : nullptr;
  if (ref != nullptr && ref->is_object()) visit(member(path, name), place, ref->get_object());
}

void visit_backends(json::value& rule, const std::string& path, bool with_mirrors, const Visit& visit) {
  auto* object = rule.if_object();
  auto* conf = object ? object->if_contains("default") : nullptr;
  if (conf == nullptr) return;
  const auto conf_path = member(path, "default");
  each_item(*conf, "backendRefs", conf_path, [&](const std::string& place, json::value& ref) {
    if (ref.is_object()) visit(place, Place::backend, ref.get_object());
  });
  if (!with_mirrors) return;
  each_item(*conf, "filters", conf_path, [&](const std::string& place, json::value& filter) {
    auto* holder = filter.if_object();
    auto* mirror = holder ? holder->if_contains("requestMirror") : nullptr;
    if (mirror != nullptr) visit_member(*mirror, "backendRef", member(place, "requestMirror"), Place::backend, visit);
  });
}

// Every place of the table in 4.3, whether or not its reference will be rewritten.
void visit_references(const ResourceType& type, json::value& spec, const Visit& visit) {
  if (!type.is_target_ref_policy) return;
  const bool has_mirrors = type.name == "MeshHTTPRoute";
  const bool has_backends = has_mirrors || type.name == "MeshTCPRoute";
  each_item(spec, "to", "spec", [&](const std::string& path, json::value& item) {
    visit_member(item, "targetRef", path, Place::target, visit);
    if (!has_backends) return;
    each_item(item, "rules", path, [&](const std::string& rule_path, json::value& rule) {
      visit_backends(rule, rule_path, has_mirrors, visit);
    });
  });
}

std::string_view text_of(const json::object& ref, std::string_view key) {
  const auto* value = ref.if_contains({key.data(), key.size()});
  if (value == nullptr || !value->is_string()) return {};
  return {value->get_string().data(), value->get_string().size()};
}

bool is_filled_object(const json::object& ref, std::string_view key) {
  const auto* value = ref.if_contains({key.data(), key.size()});
  return value != nullptr && value->is_object() && !value->get_object().empty();
}

bool is_set(const json::object& ref, std::string_view key) {
  const auto* value = ref.if_contains({key.data(), key.size()});
  if (value == nullptr || value->is_null()) return false;
  return !value->is_string() || !value->get_string().empty();
}

// rewriteRef of 4.4, for one policy on one control plane.
class Rewriter {
 public:
  Rewriter(const ReferenceContext& policy, const ControlPlaneKind& control_plane)
      : control_plane_(control_plane),
        mesh_(policy.mesh),
        zone_(policy.labels->get(label::zone)),
        namespace_(policy.labels->get(label::namespace_)),
        role_(declared_role(*policy.labels)) {}

  void rewrite(Place place, json::object& ref) const {
    const auto name = text_of(ref, "name");
    if (!is_real_object_kind(text_of(ref, "kind")) || is_filled_object(ref, "labels") || name.empty()) return;
    if (name.find('_') != std::string_view::npos) return;  // a kuma.io/service value, the same in all zones
    if (place == Place::backend && is_legacy_backend(ref)) return;
    if (!is_canonical(ref, name)) ref["name"] = new_name(ref, name);
    if (control_plane_.has_namespaces()) {
      ref["namespace"] = control_plane_.system_namespace;
    } else if (auto* written = ref.find("namespace"); written != ref.end()) {
      ref.stable_erase(written);
    }
  }

 private:
  // Where there are no namespaces a service without a port is named by its tag.
  bool is_legacy_backend(const json::object& ref) const {
    return text_of(ref, "kind") == "MeshService" && namespace_.empty() && !is_set(ref, "port") &&
           !is_set(ref, "sectionName");
  }

  std::string_view namespace_of(const json::object& ref) const {
    if (namespace_.empty()) return {};
    const auto written = text_of(ref, "namespace");
    return written.empty() ? std::string_view(namespace_) : written;
  }

  bool is_canonical(const json::object& ref, std::string_view name) const {
    if (!looks_canonical(name)) return false;
    // Copies never live in a custom namespace, so there the likeness is chance. Step 2 cannot ask: it sees step 1's
    // namespace.
    const bool own_namespace = namespace_of(ref) == namespace_;
    return !(control_plane_.is_global() && role_ != Role::system && own_namespace);
  }

  std::string new_name(const json::object& ref, std::string_view name) const {
    std::vector<std::string_view> values;
    if (!zone_.empty()) values.emplace_back(zone_);
    if (const auto other = namespace_of(ref); !other.empty()) values.push_back(other);
    return hashed_name(mesh_, name, values);
  }

  const ControlPlaneKind& control_plane_;
  const std::string& mesh_;
  const std::string& zone_;
  const std::string& namespace_;
  const Role role_;
};

}  // namespace

bool References::any_rewritten() const {
  return std::any_of(places.begin(), places.end(), [](const Reference& place) { return place.is_rewritten(); });
}

References rewrite_references(const ReferenceContext& policy, const json::value& spec,
                              const ControlPlaneKind& control_plane) {
  References out{{}, spec};
  const Rewriter rewriter(policy, control_plane);
  visit_references(*policy.type, out.spec, [&](const std::string& path, Place place, json::object& ref) {
    json::object before = ref;
    rewriter.rewrite(place, ref);
    out.places.push_back({path, std::move(before), ref});
  });
  return out;
}

References list_references(const ResourceType& type, const json::value& spec) {
  References out{{}, spec};
  visit_references(type, out.spec, [&](const std::string& path, Place, json::object& ref) {
    out.places.push_back({path, ref, ref});
  });
  return out;
}

bool has_derived_form(const Resource& resource) { return resource.is_copy() && resource.type->is_target_ref_policy; }

std::optional<json::value> derived_spec(const Resource& resource, const ControlPlaneKind& control_plane) {
  if (!has_derived_form(resource)) return std::nullopt;
  auto references =
      rewrite_references({resource.type, resource.mesh, &resource.labels}, spec_json(resource), control_plane);
  if (!references.any_rewritten()) return std::nullopt;
  return std::move(references.spec);
}

Resource derived_form(const Resource& resource, const ControlPlaneKind& control_plane) {
  Resource out = resource;
  if (auto spec = derived_spec(resource, control_plane)) out.spec = to_wire_json(*spec);
  return out;
}

}  // namespace kdsd::policy
