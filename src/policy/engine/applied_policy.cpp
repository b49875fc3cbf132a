#include "policy/engine/applied_policy.h"

#include <boost/json/object.hpp>
#include <map>

#include "model/hash.h"
#include "model/json.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

int dataplane_rank(const json::value& target) {
  if (find_text(target, {"kind"}) != "Dataplane") return 0;
  int way = 0;
  if (!texts_at(target, "labels").empty()) way = 1;
  if (!find_text(target, {"name"}).empty()) way = 2;
  return way * 2 + (find_text(target, {"sectionName"}).empty() ? 0 : 1);
}

int origin_rank(const Labels& labels) {
  if (is_zone_originated(labels)) return 3;
  return labels.get(label::origin) == "global" ? 1 : 2;
}

int gateway_tag_rank(const json::value& target) {
  if (find_text(target, {"kind"}) != "MeshGateway") return 0;
  return static_cast<int>(texts_at(target, "tags").size());
}

int role_rank(Role role) {
  switch (role) {
    case Role::system:
      return 1;
    case Role::producer:
      return 2;
    case Role::consumer:
      return 3;
    case Role::workload_owner:
      return 4;
  }
  return 0;
}

}  // namespace

Labels texts_at(const json::value& value, std::string_view name) {
  Labels out;
  const auto* found = find(value, {name});
  if (found == nullptr || !found->is_object()) return out;
  std::map<std::string_view, std::string_view> sorted;  // each is put behind the last one then
  for (const auto& member : found->get_object()) {
    if (!member.value().is_string()) continue;
    const auto& text = member.value().get_string();
    sorted[{member.key().data(), member.key().size()}] = {text.data(), text.size()};
  }
  for (const auto& [key, text] : sorted) out.set(key, text);
  return out;
}

bool is_zone_originated(const Labels& labels) {
  return !labels.get(label::zone).empty() || labels.get(label::origin) == "zone";
}

int kind_rank(std::string_view kind) {
  if (kind == "Mesh") return 1;
  if (kind == "Dataplane") return 2;
  if (kind == "MeshSubset") return 3;
  if (kind == "MeshGateway") return 4;
  if (kind == "MeshService") return 5;
  if (kind == "MeshExternalService") return 6;
  if (kind == "MeshMultiZoneService") return 7;
  if (kind == "MeshServiceSubset") return 8;
  if (kind == "MeshHTTPRoute" || kind == "MeshTCPRoute") return 9;
  return 0;
}

const json::array& AppliedPolicy::items(std::string_view section) const { return find_list(spec, {section}); }

const json::value& AppliedPolicy::target() const { return *find(spec, {"targetRef"}); }

AppliedPolicyPtr apply_policy(const Resource& policy, const ControlPlaneKind& control_plane) {
  auto out = std::make_shared<AppliedPolicy>();
  out->type = policy.type;
  out->mesh = policy.mesh;
  out->name = policy.name;
  out->display_name = display_name(policy.name, policy.labels);
  out->labels = policy.labels;
  out->role = declared_role(policy.labels);
  out->is_shadow = policy.labels.get(label::effect) == "shadow";
  auto view = explicit_view_of(policy, control_plane);
  out->spec = std::move(view.spec);
  out->scope = std::move(view.scope);
  const auto& target = out->target();
  out->rank = {kind_rank(find_text(target, {"kind"})), dataplane_rank(target), origin_rank(policy.labels),
               gateway_tag_rank(target), role_rank(out->role)};
  return out;
}

}  // namespace kdsd::policy
