#include "reference.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "model/hash.h"

#include "kuma/system/v1alpha1/zone.pb.h"
#include "reference_rewriting.h"

namespace kdsd::sim {
namespace {

namespace json = boost::json;

constexpr const char* sync_label = "kuma.io/kds-sync";
constexpr const char* origin_label = "kuma.io/origin";
constexpr const char* zone_label = "kuma.io/zone";
constexpr const char* name_label = "kuma.io/display-name";
constexpr const char* namespace_label = "k8s.kuma.io/namespace";
constexpr const char* role_label = "kuma.io/policy-role";

std::string member(const json::value& value, const char* name) {
  const auto* found = value.is_object() ? value.get_object().if_contains(name) : nullptr;
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

const json::value* child(const json::value& value, const char* name) {
  return value.is_object() ? value.get_object().if_contains(name) : nullptr;
}

std::size_t length(const json::value& spec, const char* name) {
  const auto* list = child(spec, name);
  return list != nullptr && list->is_array() ? list->get_array().size() : 0;
}

json::value parse_spec(const Resource& resource) {
  json::error_code error;
  auto value = json::parse(resource.spec, error);
  return error ? json::value(json::object()) : value;
}

// policy-semantics.md 1.2, for a policy that says in which namespace it was written.
bool is_producer(const json::value& spec, const std::string& written_in) {
  if (written_in.empty() || length(spec, "to") == 0) return false;
  if (length(spec, "from") + length(spec, "rules") > 0) return false;
  for (const auto& item : spec.at("to").as_array()) {
    const auto* ref = child(item, "targetRef");
    if (ref == nullptr) return false;
    const auto kind = member(*ref, "kind");
    if (kind != "MeshService" && kind != "MeshHTTPRoute" && kind != "MeshTCPRoute") return false;
    if (member(*ref, "name").empty()) return false;
    const auto* labels = child(*ref, "labels");
    if (labels != nullptr && labels->is_object() && !labels->get_object().empty()) return false;
    const auto other = member(*ref, "namespace");
    if (!other.empty() && other != written_in) return false;
  }
  return true;
}

// policy-semantics.md 3.3.
std::string tagged_zone(const json::value& spec) {
  const auto* ref = child(spec, "targetRef");
  if (ref == nullptr) return {};
  const auto kind = member(*ref, "kind");
  const char* where = kind == "Dataplane" ? "labels" : "tags";
  if (kind != "Dataplane" && kind != "MeshSubset" && kind != "MeshServiceSubset" && kind != "MeshGateway") return {};
  const auto* values = child(*ref, where);
  const auto tag = values != nullptr ? member(*values, zone_label) : std::string();
  return tag == "*" ? std::string() : tag;
}

bool is_disabled(const Resources& of_global, const std::string& zone) {
  for (const auto& [key, resource] : of_global) {
    if (key.type->name != "Zone" || key.name != zone) continue;
    kuma::system::v1alpha1::Zone spec;
    if (!spec.ParseFromString(resource->spec)) return false;
    return spec.has_enabled() && !spec.enabled().value();
  }
  return false;
}

bool is_kept_secret(const Resource& resource) {
  if (resource.type->name != "GlobalSecret") return false;
  for (const char* name : {"envoy-admin-ca", "admin-user-token", "inter-cp-ca", "user-token-revocations"}) {
    if (resource.name == name) return true;
  }
  return resource.name.starts_with("user-token-signing-key");
}

// kds-protocol.md 7: display name, then the zone label and the namespace label where they exist.
std::string hash_of(const Resource& resource, const Labels& labels, const std::string& bare) {
  std::vector<std::string_view> values;
  if (labels.has(zone_label)) values.push_back(labels.get(zone_label));
  if (labels.has(namespace_label)) values.push_back(labels.get(namespace_label));
  const auto& shown = labels.get(name_label);
  return hashed_name(resource.type->mesh_scoped ? resource.mesh : std::string(), shown.empty() ? bare : shown, values);
}

std::string bare_name(const Resource& resource, const Place& place) {
  const std::string suffix = "." + place.system_namespace;
  const bool suffixed = place.is_kubernetes && resource.type->kubernetes.namespaced && resource.name.ends_with(suffix);
  return suffixed ? resource.name.substr(0, resource.name.size() - suffix.size()) : resource.name;
}

Wanted finish(const Resource& resource, Labels labels, std::string wire_name, const Place& at) {
  Wanted wanted;
  wanted.wire_name = std::move(wire_name);
  wanted.key = {resource.type, resource.mesh, kept_as(*resource.type, wanted.wire_name, at)};
  wanted.labels = std::move(labels);
  wanted.spec = resource.spec;
  wanted.from = resource.key();
  return wanted;
}

}  // namespace

bool same_meaning(const ResourceType& type, const std::string& a, const std::string& b) {
  if (type.encoding == SpecEncoding::proto) return a == b;
  return json::parse(a) == json::parse(b);
}

bool keeps_name_on_the_way_down(const ResourceType& type) {
  return type.name == "Mesh" || type.name == "Secret" || type.name == "GlobalSecret" || type.name == "Config";
}

std::string kept_as(const ResourceType& type, const std::string& wire_name, const Place& place) {
  const bool suffixed = place.is_kubernetes && type.kubernetes.namespaced && !keeps_name_on_the_way_down(type);
  return suffixed ? wire_name + "." + place.system_namespace : wire_name;
}

bool is_foreign(const Resource& resource, const Place& place) {
  const auto& origin = resource.labels.get(origin_label);
  if (place.zone.empty()) return origin == "zone";
  return !origin.empty() && origin != "zone";
}

std::optional<Wanted> reaches_global(const Resource& resource, const Place& zone, const Place& global) {
  const auto& type = *resource.type;
  if (resource.labels.get(sync_label) == "disabled" || is_foreign(resource, zone)) return std::nullopt;
  if (!type.provided_by_zone || !type.consumed_by_global) return std::nullopt;
  Labels labels = resource.labels;
  labels.set(origin_label, "zone");
  labels.set(zone_label, zone.zone);
  labels.erase("kuma.io/deletion-grace-period-started-at");
  const auto bare = bare_name(resource, zone);
  auto name = hash_of(resource, labels, bare);
  if (labels.get(name_label).empty()) labels.set(name_label, bare);
  auto wanted = finish(resource, std::move(labels), std::move(name), global);
  wanted.status = resource.status.empty() ? resource.type->empty_status : resource.status;
  return wanted;
}

std::optional<Wanted> reaches_zone(const Resource& resource, const Resources& of_global, const Place& global,
                                   const Place& zone, bool ignore_disabled) {
  const auto& type = *resource.type;
  if (resource.labels.get(sync_label) == "disabled") return std::nullopt;
  if (type.name == "Config" && resource.name != "kuma-cluster-id") return std::nullopt;
  if (is_kept_secret(resource)) return std::nullopt;
  const bool relayed = is_foreign(resource, global);
  const auto spec = type.encoding == SpecEncoding::json ? parse_spec(resource) : json::value();
  const bool is_policy = type.is_plugin && type.is_policy;
  if (is_policy && child(spec, "targetRef") == nullptr && !zone.features.contains("optional-top-level-target-ref"))
    return std::nullopt;
  if (!relayed) {
    if (!type.provided_by_global || !type.consumed_by_zone) return std::nullopt;
  } else {
    if (!type.across_zones) return std::nullopt;
    if (is_policy) {
      if (!zone.features.contains("producer-policy-flow")) return std::nullopt;
      if (resource.labels.get(role_label) != "producer") return std::nullopt;
      if (!is_producer(spec, resource.labels.get(namespace_label))) return std::nullopt;
      const auto tag = tagged_zone(spec);
      if (!tag.empty() && tag != zone.zone) return std::nullopt;
    }
    const auto& origin = resource.labels.get(zone_label);
    if (origin == zone.zone) return std::nullopt;
    if (!ignore_disabled && is_disabled(of_global, origin)) return std::nullopt;
  }
  Labels labels = resource.labels;
  labels.set(origin_label, "global");
  if (keeps_name_on_the_way_down(type)) return finish(resource, std::move(labels), resource.name, zone);
  const auto bare = bare_name(resource, global);
  auto name = hash_of(resource, labels, bare);
  if (labels.get(name_label).empty()) labels.set(name_label, bare);
  auto wanted = finish(resource, std::move(labels), std::move(name), zone);
  if (relayed && zone.features.contains("kdsd-target-ref-rewrite"))
    wanted.spec = with_local_references(resource, resource.spec, global);
  wanted.only_if_enabled = relayed;
  return wanted;
}

WantedMap wanted_by_global(const Resources& of_zone, const Place& zone, const Place& global, const ResourceType* type) {
  WantedMap out;
  for (const auto& [key, resource] : of_zone) {
    if (type != nullptr && key.type != type) continue;
    if (auto wanted = reaches_global(*resource, zone, global)) out.emplace(wanted->key, std::move(*wanted));
  }
  return out;
}

WantedMap wanted_by_zone(const Resources& of_global, const Place& global, const Place& zone, const ResourceType* type) {
  WantedMap out;
  for (const auto& [key, resource] : of_global) {
    if (type != nullptr && key.type != type) continue;
    if (auto wanted = reaches_zone(*resource, of_global, global, zone)) out.emplace(wanted->key, std::move(*wanted));
  }
  return out;
}

}  // namespace kdsd::sim
