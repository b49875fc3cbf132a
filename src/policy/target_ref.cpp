#include "policy/target_ref.h"

#include <algorithm>
#include <array>

#include "model/json.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

bool contains(const std::vector<std::string_view>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool consists_of(std::string_view text, std::string_view marks) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter_or_digit(c) || marks.find(c) != std::string_view::npos; });
}

bool is_reference_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  });
}

// The checks of one reference whose kind is supported. Empty texts, maps and arrays count as unset.
class Shape {
 public:
  Shape(const json::value& ref, const RefRules& rules, std::string_view path, Outcome& outcome)
      : ref_(ref), rules_(rules), path_(path), outcome_(outcome), kind_(find_text(ref, {"kind"})) {}

  void check() {
    if (kind_ == "Mesh" || kind_ == "MeshSubset") {
      check_mesh_or_subset();
    } else if (kind_ == "Dataplane") {
      check_dataplane();
    } else if (kind_ == "MeshService" || kind_ == "MeshHTTPRoute" || kind_ == "MeshExternalService") {
      check_object();
    } else if (kind_ == "MeshServiceSubset") {
      check_service_subset();
    } else if (kind_ == "MeshGateway") {
      check_gateway();
    }  // MeshMultiZoneService: every field may stand there
  }

 private:
  void refuse(std::string_view field, std::string reason) { outcome_.refuse(member(path_, field), std::move(reason)); }

  bool is_set(std::string_view field) const {
    const auto* value = find(ref_, {field});
    if (value == nullptr || value->is_null()) return false;
    if (const auto* text = value->if_string()) return !text->empty();
    if (const auto* object = value->if_object()) return !object->empty();
    if (const auto* array = value->if_array()) return !array->empty();
    return true;
  }

  void forbid(std::initializer_list<std::string_view> fields) {
    for (auto field : fields) {
      if (is_set(field)) refuse(field, "must not be set with kind " + kind_);
    }
  }

  void check_mesh_or_subset() {
    if (kind_ == "Mesh") {
      if (is_set("name")) refuse("name", "using name with kind Mesh is not yet supported");
      forbid({"mesh", "tags", "labels", "namespace", "sectionName"});
    } else {
      forbid({"name", "mesh"});
      check_tags(false);
      forbid({"labels", "namespace", "sectionName"});
    }
    const auto* proxies = find(ref_, {"proxyTypes"});
    if (proxies != nullptr && proxies->is_array() && proxies->get_array().empty()) {
      refuse("proxyTypes", "must be undefined or have at least one element");
    }
  }

  void check_dataplane() {
    forbid({"tags", "mesh", "proxyTypes"});
    check_labels_alone();
    if (is_set("sectionName") && !rules_.inbound_sections)
      refuse("sectionName", "can only be used with inbound policies");
  }

  void check_object() {
    check_name_characters();
    forbid({"mesh", "tags", "proxyTypes"});
    if (kind_ == "MeshHTTPRoute") forbid({"sectionName"});
    if (!is_set("labels")) require_name();
    check_labels_alone();
    if (kind_ == "MeshExternalService") forbid({"sectionName"});
  }

  void check_service_subset() {
    require_name();
    check_name_characters();
    forbid({"mesh", "proxyTypes"});
    check_tags(true);
    forbid({"labels", "namespace", "sectionName"});
  }

  void check_gateway() {
    require_name();
    check_name_characters();
    forbid({"mesh", "proxyTypes"});
    check_tags(true);
    if (!rules_.gateway_tags) forbid({"tags"});
    forbid({"labels", "namespace", "sectionName"});
  }

  void require_name() {
    if (!is_set("name")) refuse("name", "must be set with kind " + kind_);
  }

  void check_name_characters() {
    const auto name = find_text(ref_, {"name"});
    if (is_reference_name(name) || contains(rules_.exempt_names, name)) return;
    refuse("name", "invalid characters: must consist of lower case alphanumeric characters, '-', '.' and '_'.");
  }

  void check_labels_alone() {
    if (!is_set("labels") || (!is_set("name") && !is_set("namespace"))) return;
    refuse("labels", kind_ == "MeshExternalService" ? "either labels or name must be specified"
                                                    : "either labels or name and namespace must be specified");
  }

  // `selector`: values may hold slashes or be a lone star.
  void check_tags(bool selector) {
    const auto* tags = find(ref_, {"tags"});
    if (tags == nullptr || !tags->is_object()) return;
    std::vector<std::pair<std::string_view, std::string_view>> sorted;
    for (const auto& tag : tags->get_object()) {
      const auto* value = tag.value().if_string();
      sorted.emplace_back(std::string_view(tag.key().data(), tag.key().size()),
                          value ? view(*value) : std::string_view());
    }
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [key, value] : sorted) check_tag(key, value, selector);
  }

  void check_tag(std::string_view key, std::string_view value, bool selector) {
    const auto field = keyed("tags", key);
    if (key.empty()) refuse("tags", "tag name must be non-empty");
    if (!consists_of(key, ".-_:/")) {
      refuse(field, "tag name must consist of alphanumeric characters, dots, dashes, slashes and underscores");
    }
    if (value.empty()) {
      refuse(field, "tag value must be non-empty");
    } else if (selector) {
      if (value != "*" && !consists_of(value, ".-_:/")) {
        refuse(field,
               "tag value must consist of alphanumeric characters, dots, dashes, slashes and underscores or be \"*\"");
      }
    } else if (!consists_of(value, ".-_:")) {
      refuse(field, "tag value must consist of alphanumeric characters, dots, dashes and underscores");
    }
  }

  const json::value& ref_;
  const RefRules& rules_;
  std::string path_;
  Outcome& outcome_;
  std::string kind_;
};

}  // namespace

void check_target_ref(const json::value* ref, const RefRules& rules, std::string_view path, Outcome& outcome) {
  const auto kind = ref ? find_text(*ref, {"kind"}) : std::string_view();
  if (kind.empty()) {
    outcome.refuse(member(path, "kind"), "must be defined");
  } else if (!contains(rules.kinds, kind)) {
    outcome.refuse(member(path, "kind"), rules.unsupported_text.empty()
                                             ? "value '" + std::string(kind) + "' is not supported"
                                             : rules.unsupported_text);
  } else {
    Shape(*ref, rules, path, outcome).check();
  }
}

bool includes_gateways(const json::value* top_level) {
  if (top_level == nullptr) return true;
  const auto kind = find_text(*top_level, {"kind"});
  if (kind == "MeshGateway" || kind == "MeshHTTPRoute") return true;
  if (kind != "Mesh" && kind != "MeshSubset") return false;
  const auto* proxies = find(*top_level, {"proxyTypes"});
  if (proxies == nullptr || !proxies->is_array() || proxies->get_array().empty()) return true;
  const auto& list = proxies->get_array();
  return std::any_of(list.begin(), list.end(),
                     [](const json::value& item) { return item.is_string() && item.get_string() == "Gateway"; });
}

RefRules top_level_rules(const json::value& target_refs, Role role, const json::value& spec) {
  RefRules rules;
  if (const auto* kinds = find(target_refs, {"topLevel", "kindsByRole", text(role)}); kinds && kinds->is_array()) {
    for (const auto& kind : kinds->get_array()) rules.kinds.push_back(view(kind.get_string()));
  }
  const auto* tags = find(target_refs, {"topLevel", "meshGatewayTagsAllowedByRole", text(role)});
  rules.gateway_tags = tags != nullptr && tags->is_bool() && tags->get_bool();
  const bool never = find_text(target_refs, {"topLevel", "dataplaneSectionName"}) == "never";
  for (auto section : {"from", "rules"}) {
    const auto* list = find(spec, {section});
    const bool has_items = list != nullptr && list->is_array() && !list->get_array().empty();
    if (!never && has_items) rules.inbound_sections = true;
  }
  return rules;
}

}  // namespace kdsd::policy
