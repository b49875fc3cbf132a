#include "policy/type_rules.h"

#include <algorithm>
#include <array>

#include "model/json.h"
#include "policy/target_ref.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

bool is_set(const json::value& item, std::initializer_list<std::string_view> path) {
  const auto* found = find(item, path);
  return found != nullptr && !found->is_null();
}

bool is_non_empty(const json::value& item, std::initializer_list<std::string_view> path) {
  const auto* found = find(item, path);
  if (found == nullptr || found->is_null()) return false;
  if (const auto* array = found->if_array()) return !array->empty();
  if (const auto* object = found->if_object()) return !object->empty();
  if (const auto* text = found->if_string()) return !text->empty();
  return true;
}

bool is_id_character(char c, std::string_view marks, bool capitals) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (capitals && c >= 'A' && c <= 'Z') ||
         marks.find(c) != std::string_view::npos;
}

// `spiffe://<trust domain>[/<segment>…]`. A prefix may end in a slash.
bool is_spiffe_id(std::string_view id, bool prefix) {
  constexpr std::string_view scheme = "spiffe://";
  if (!id.starts_with(scheme)) return false;
  id.remove_prefix(scheme.size());
  const auto slash = id.find('/');
  const auto domain = id.substr(0, slash);
  if (domain.empty()) return false;
  if (!std::all_of(domain.begin(), domain.end(), [](char c) { return is_id_character(c, ".-_", false); })) return false;
  if (slash == std::string_view::npos) return true;
  auto path = id.substr(slash + 1);
  if (prefix && (path.empty() || path.ends_with('/'))) {
    if (path.empty()) return true;
    path.remove_suffix(1);
  }
  while (true) {
    const auto end = path.find('/');
    const auto segment = path.substr(0, end);
    if (segment.empty() || segment == "." || segment == "..") return false;
    if (!std::all_of(segment.begin(), segment.end(), [](char c) { return is_id_character(c, ".-_", true); }))
      return false;
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

void check_spiffe_ids(const json::value* matches, const std::string& path, Outcome& outcome) {
  if (matches == nullptr || !matches->is_array()) return;
  const auto& list = matches->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto* id = find(list[i], {"spiffeID"});
    if (id == nullptr) continue;
    if (is_spiffe_id(find_text(*id, {"value"}), find_text(*id, {"type"}) == "Prefix")) continue;
    outcome.refuse(element(path, i) + ".spiffeID", "must be a valid Spiffe ID");
  }
}

void check_timeout(const PolicyView& policy, std::string_view section, const json::value& item, const std::string& path,
                   Outcome& outcome) {
  const bool any = is_set(item, {"default", "connectionTimeout"}) || is_set(item, {"default", "idleTimeout"}) ||
                   is_set(item, {"default", "http"});
  if (!any) outcome.refuse(path + ".default", "at least one timeout should be configured");
  if (policy.top_kind() != "MeshHTTPRoute" || section == "from") return;
  const auto refuse = [&](std::string_view field) {
    outcome.refuse(member(path + ".default", field),
                   "can't be specified when top-level TargetRef is referencing MeshHTTPRoute");
  };
  if (is_set(item, {"default", "connectionTimeout"})) refuse("connectionTimeout");
  if (is_set(item, {"default", "idleTimeout"})) refuse("idleTimeout");
  if (is_set(item, {"default", "http", "maxStreamDuration"})) refuse("http.maxStreamDuration");
  if (is_set(item, {"default", "http", "maxConnectionDuration"})) refuse("http.maxConnectionDuration");
}

void check_health_check(const json::value& item, const std::string& path, Outcome& outcome) {
  if (is_set(item, {"default", "http"}) || is_set(item, {"default", "tcp"}) || is_set(item, {"default", "grpc"}))
    return;
  outcome.refuse(path + ".default", "must have at least one defined: http, tcp, grpc");
}

void check_tls(const PolicyView& policy, const json::value& item, const std::string& path, Outcome& outcome) {
  if (policy.top_kind() == "Mesh") return;
  if (is_set(item, {"default", "tlsVersion"})) {
    outcome.refuse(path + ".default.tlsVersion", "tlsVersion can only be defined with top level targetRef kind: Mesh");
  }
  if (is_non_empty(item, {"default", "tlsCiphers"})) {
    outcome.refuse(path + ".default.tlsCiphers", "tlsCiphers can only be defined with top level targetRef kind: Mesh");
  }
}

void check_load_balancing(const json::value& item, const std::string& path, Outcome& outcome) {
  const auto kind = find_text(item, {"targetRef", "kind"});
  if (kind == "MeshHTTPRoute") {
    for (std::string_view field : {"loadBalancer", "localityAwareness"}) {
      if (!is_set(item, {"default", field})) continue;
      outcome.refuse(member(path + ".default", field),
                     "field is not allowed when targetRef.kind is MeshHTTPRoute, only hashPolicies is supported");
    }
  }
  const bool own_zone_only = kind == "MeshService" && (is_non_empty(item, {"targetRef", "sectionName"}) ||
                                                       is_non_empty(item, {"targetRef", "labels"}));
  if (own_zone_only && is_set(item, {"default", "localityAwareness", "crossZone"})) {
    outcome.refuse(path + ".default.localityAwareness.crossZone", "must not be set: MeshService traffic is local");
  }
}

void check_permission(std::string_view section, const json::value& item, const std::string& path, Outcome& outcome) {
  if (section == "from") {
    if (!is_non_empty(item, {"default", "action"})) outcome.refuse(path + ".default.action", "must be defined");
    return;
  }
  for (std::string_view list : {"allow", "allowWithShadowDeny", "deny"}) {
    check_spiffe_ids(find(item, {"default", list}), member(path, list),
                     outcome);  // peers leave `default` out of the path
  }
}

bool redirects(const json::value& rule) {
  const auto* filters = find(rule, {"default", "filters"});
  if (filters == nullptr || !filters->is_array()) return false;
  const auto& list = filters->get_array();
  return std::any_of(list.begin(), list.end(),
                     [](const json::value& filter) { return find_text(filter, {"type"}) == "RequestRedirect"; });
}

void check_backend_ref(const json::value& ref, const json::value& rules, const std::string& path, Outcome& outcome) {
  RefRules allowed;
  allowed.kinds = texts(find(rules, {"allowed"}));
  allowed.exempt_names = texts(find(rules, {"namesExemptFromCharset"}));
  check_target_ref(&ref, allowed, path, outcome);
  if (find_text(ref, {"kind"}) == "MeshMultiZoneService" && !is_set(ref, {"port"})) {
    outcome.refuse(path + ".port", "must be defined with kind MeshMultiZoneService");
  }
}

// What the type says about an empty list of backends of one rule; nothing where it may be empty.
std::string_view empty_backends_text(const PolicyView& policy, const json::value& rules, const json::value& rule) {
  const auto* entries = find(rules, {"emptyListRules"});
  if (entries == nullptr || !entries->is_array() || is_non_empty(rule, {"default", "backendRefs"})) return {};
  for (const auto& entry : entries->get_array()) {
    const bool always = find_text(entry, {"condition"}) == "list empty or absent";
    if (always || (policy.top_kind() == "MeshGateway" && !redirects(rule))) return find_text(entry, {"message"});
  }
  return {};
}

void check_mirrors(const json::value& rule, const json::value& rules, const std::string& path, Outcome& outcome) {
  const auto* filters = find(rule, {"default", "filters"});
  if (filters == nullptr || !filters->is_array()) return;
  const auto& list = filters->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (const auto* ref = find(list[i], {"requestMirror", "backendRef"})) {
      check_backend_ref(*ref, rules, element(path + ".default.filters", i) + ".requestMirror.backendRef", outcome);
    }
  }
}

void check_backends(const PolicyView& policy, const json::value& rule, const json::value& rules,
                    const std::string& path, Outcome& outcome) {
  const auto at = path + ".default.backendRefs";
  if (auto text = empty_backends_text(policy, rules, rule); !text.empty()) outcome.refuse(at, std::string(text));
  const auto* refs = find(rule, {"default", "backendRefs"});
  if (refs == nullptr || !refs->is_array()) return;
  for (std::size_t i = 0; i < refs->get_array().size(); ++i) {
    check_backend_ref(refs->get_array()[i], rules, element(at, i), outcome);
  }
}

}  // namespace

void check_item_conf(const PolicyView& policy, std::string_view section, const json::value& item,
                     const std::string& path, Outcome& outcome) {
  const auto& name = policy.type.name;
  if (name == "MeshTimeout") {
    check_timeout(policy, section, item, path, outcome);
  } else if (name == "MeshHealthCheck") {
    check_health_check(item, path, outcome);
  } else if (name == "MeshTLS") {
    check_tls(policy, item, path, outcome);
  } else if (name == "MeshLoadBalancingStrategy") {
    check_load_balancing(item, path, outcome);
  } else if (name == "MeshTrafficPermission") {
    check_permission(section, item, path, outcome);
  } else if (name == "MeshFaultInjection" && section == "rules") {
    check_spiffe_ids(find(item, {"matches"}), path + ".matches", outcome);
  }
}

void check_backend_refs(const PolicyView& policy, const json::value& item, const std::string& path, Outcome& outcome) {
  const auto* places = find(policy.rules, {"backendRefs"});
  const auto* rules = find(item, {"rules"});
  if (places == nullptr || !places->is_array() || rules == nullptr || !rules->is_array()) return;
  for (std::size_t i = 0; i < rules->get_array().size(); ++i) {
    const auto& rule = rules->get_array()[i];
    const auto rule_path = element(path + ".rules", i);
    for (const auto& place : places->get_array()) {
      const bool mirror = find_text(place, {"at"}).ends_with(".requestMirror.backendRef");
      if (mirror) {
        check_mirrors(rule, place, rule_path, outcome);
      } else {
        check_backends(policy, rule, place, rule_path, outcome);
      }
    }
  }
}

}  // namespace kdsd::policy
