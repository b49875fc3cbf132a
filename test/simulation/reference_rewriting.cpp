#include "reference_rewriting.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <regex>

#include "model/hash.h"

#include "reference.h"

namespace kdsd::sim {
namespace {

namespace json = boost::json;

std::string text(const json::object& object, const char* name) {
  const auto* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

bool missing(const json::object& object, const char* name) {
  const auto* found = object.if_contains(name);
  return found == nullptr || found->is_null() || (found->is_string() && found->get_string().empty());
}

bool is_object_kind(const std::string& kind) {
  static const std::set<std::string> kinds = {"MeshService", "MeshExternalService", "MeshMultiZoneService",
                                              "MeshHTTPRoute", "MeshTCPRoute"};
  return kinds.contains(kind);
}

void rewrite(json::value& value, bool is_backend, const Resource& policy, const Place& at) {
  if (!value.is_object()) return;
  auto& ref = value.get_object();
  const auto& zone = policy.labels.get("kuma.io/zone");
  const auto& own = policy.labels.get("k8s.kuma.io/namespace");
  const auto& role = policy.labels.get("kuma.io/policy-role");
  const auto name = text(ref, "name");
  const auto* labels = ref.if_contains("labels");

  if (!is_object_kind(text(ref, "kind"))) return;
  if (labels != nullptr && labels->is_object() && labels->get_object().size() > 0) return;
  if (name.empty() || name.find('_') != std::string::npos) return;
  if (is_backend && text(ref, "kind") == "MeshService" && own.empty() && missing(ref, "port") &&
      missing(ref, "sectionName"))
    return;

  std::string place;
  if (!own.empty()) place = missing(ref, "namespace") ? own : text(ref, "namespace");
  static const std::regex suffix("-[2456789bcdfvwxz]{16}$");
  bool canonical = std::regex_search(name, suffix);
  const bool step_one = at.zone.empty();
  const bool has_role = role == "producer" || role == "consumer" || role == "workload-owner";
  if (step_one && has_role && place == own) canonical = false;

  json::object out;
  for (const auto& entry : ref) {
    if (entry.key() != "namespace") out[entry.key()] = entry.value();
  }
  if (!canonical) {
    std::vector<std::string_view> values;
    if (!zone.empty()) values.emplace_back(zone);
    if (!place.empty()) values.emplace_back(place);
    out["name"] = hashed_name(policy.mesh, name, values);
  }
  if (at.is_kubernetes) out["namespace"] = at.system_namespace;
  value = std::move(out);
}

json::array* list(json::value& holder, const char* name) {
  auto* object = holder.if_object();
  auto* found = object != nullptr ? object->if_contains(name) : nullptr;
  return found != nullptr ? found->if_array() : nullptr;
}

}  // namespace

std::string with_local_references(const Resource& policy, const std::string& spec, const Place& at) {
  const auto& type = *policy.type;
  if (!type.is_target_ref_policy) return spec;
  auto document = json::parse(spec);
  const bool http = type.name == "MeshHTTPRoute";
  if (auto* to = list(document, "to")) {
    for (auto& item : *to) {
      if (!item.is_object()) continue;
      if (auto* ref = item.get_object().if_contains("targetRef")) rewrite(*ref, false, policy, at);
      auto* rules = http || type.name == "MeshTCPRoute" ? list(item, "rules") : nullptr;
      if (rules == nullptr) continue;
      for (auto& rule : *rules) {
        auto* conf = rule.is_object() ? rule.get_object().if_contains("default") : nullptr;
        if (conf == nullptr) continue;
        if (auto* backends = list(*conf, "backendRefs")) {
          for (auto& backend : *backends) rewrite(backend, true, policy, at);
        }
        auto* filters = http ? list(*conf, "filters") : nullptr;
        if (filters == nullptr) continue;
        for (auto& filter : *filters) {
          if (!filter.is_object()) continue;
          auto* mirror = filter.get_object().if_contains("requestMirror");
          if (mirror == nullptr || !mirror->is_object()) continue;
          if (auto* ref = mirror->get_object().if_contains("backendRef")) rewrite(*ref, true, policy, at);
        }
      }
    }
  }
  return json::serialize(document);
}

bool same_where_received(const Resource& policy, const std::string& a, const std::string& b, const Place& at,
                         bool is_kdsd) {
  if (same_meaning(*policy.type, a, b)) return true;
  if (at.zone.empty() || !is_kdsd || !policy.type->is_target_ref_policy) return false;
  return same_meaning(*policy.type, with_local_references(policy, a, at), with_local_references(policy, b, at));
}

}  // namespace kdsd::sim
