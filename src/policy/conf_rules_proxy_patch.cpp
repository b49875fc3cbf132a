// MeshProxyPatch. Of the Envoy resources that users write, only what every one of them needs is looked at.
#include <algorithm>
#include <array>

#include "model/json.h"
#include "policy/conf_checks.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

struct Modification {
  std::string_view member;
  std::string_view message;  // of Envoy
  bool filter;               // stands in a chain, so that it is added at a place
};
constexpr std::array<Modification, 5> modifications = {{{"cluster", "Cluster", false},
                                                        {"listener", "Listener", false},
                                                        {"virtualHost", "VirtualHost", false},
                                                        {"networkFilter", "Filter", true},
                                                        {"httpFilter", "HttpFilter", true}}};

std::string not_valid(const std::string& why) { return "native Envoy resource is not valid: " + why; }

std::string_view go_type(const json::value& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  return value.is_array() ? "array" : "number";
}

// What is no YAML is read as JSON, and that is what the author hears about.
std::string no_json_text(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] == '{' || text[start] == '[') return "unexpected EOF";
  const char c = text[start];
  return "invalid character " + (c == '\'' ? std::string("'\\''") : "'" + std::string(1, c) + "'") +
         " looking for beginning of value";
}

// What is wrong with a resource as text, whole or a part of one; empty where nothing is.
std::string shape_problem(std::string_view text, json::value& resource) {
  auto documents = parse_yaml_documents(text);
  if (!documents.ok()) return no_json_text(text);
  if (!documents->empty()) resource = std::move(documents->front());
  if (resource.is_null() || resource.is_object()) return {};
  return "json: cannot unmarshal " + std::string(go_type(resource)) +
         " into Go value of type map[string]json.RawMessage";
}

std::string resource_problem(const Modification& kind, std::string_view text) {
  json::value resource;
  if (auto problem = shape_problem(text, resource); !problem.empty()) return problem;
  const std::string message(kind.message);
  if (kind.member != "listener" && find_text(resource, {"name"}).empty()) {
    return "invalid " + message + ".Name: value length must be at least 1 runes";
  }
  if (kind.member == "virtualHost" && find_list(resource, {"domains"}).empty()) {
    return "invalid " + message + ".Domains: value must contain at least 1 item(s)";
  }
  return {};
}

void check_resource(const Modification& kind, const ConfValue& value) {
  if (!check_defined(value)) return;
  if (const auto problem = resource_problem(kind, value.text()); !problem.empty()) value.refuse(not_valid(problem));
}

void check_json_patch(const ConfValue& patch) {
  const auto op = patch.at("op").text();
  const bool moves = op == "move" || op == "copy";
  const auto from = patch.at("from");
  if (moves != from.is_set()) {
    from.refuse(one_of_text("from", moves ? "must not be empty" : "is allowed only", "op", {"move", "copy"}));
  }
  const bool writes = op == "add" || op == "replace";
  const auto value = patch.at("value");
  if (writes != value.is_set()) {
    value.refuse(one_of_text("value", writes ? "must not be empty" : "is allowed only", "op", {"add", "replace"}));
  }
  const auto path = patch.at("path");
  if (op == "remove" && (path.text().empty() || path.text() == "/")) path.refuse("root path cannot be removed");
}

void check_patch(const Modification& kind, const ConfValue& change) {
  const auto value = change.at("value");
  const auto patches = change.at("jsonPatches");
  const std::string name(kind.member);
  if (!value.is_set() && patches.size() == 0) {
    change.refuse(name + " must have exactly one defined: value, jsonPatches");
  } else if (!value.is_set()) {
    for_each(patches, check_json_patch);
  } else if (patches.size() > 0) {
    change.refuse(name + " must have only one type defined: value, jsonPatches");
  } else {
    json::value part;
    if (const auto problem = shape_problem(value.text(), part); !problem.empty()) value.refuse(not_valid(problem));
  }
}

// Another filter has to be named beside which the new one stands; a patch needs the filter itself.
void check_filter_name(std::string_view operation, const ConfValue& name) {
  if (name.is_set()) return;
  if (operation == "Patch") name.refuse("must be defined");
  if (operation != "AddBefore" && operation != "AddAfter") return;
  name.refuse("must be defined. You need to pick a filter " +
              std::string(operation == "AddBefore" ? "before" : "after") + " which this one will be added");
}

// What is new has no other that it could match. A virtual host is added to the routes of a match, so only its own name
// makes no sense.
void check_no_match(const Modification& kind, const ConfValue& match) {
  const auto refused = kind.member == "virtualHost" ? match.at("name") : match;
  if (refused.is_set()) refused.refuse("must not be defined");
}

void check_change(const Modification& kind, const ConfValue& change) {
  const auto operation = change.at("operation").text();
  if (operation == "Remove") {
    if (change.has("value")) change.at("value").refuse("must not be defined");
    return;
  }
  if (kind.filter) check_filter_name(operation, change.at("match").at("name"));
  if (operation == "Patch") return check_patch(kind, change);
  if (!kind.filter) check_no_match(kind, change.at("match"));
  check_resource(kind, change.at("value"));
}

void check_modification(const ConfValue& modification) {
  const auto count = std::count_if(modifications.begin(), modifications.end(),
                                   [&](const Modification& kind) { return modification.has(kind.member); });
  if (count != 1) {
    return modification.refuse("exactly one modification can be defined at a time. Currently, " +
                               std::to_string(count) + " modifications are defined");
  }
  for (const auto& kind : modifications) {
    if (modification.has(kind.member)) check_change(kind, modification.at(kind.member));
  }
}

}  // namespace

void check_proxy_patch_conf(const PolicyView& /*policy*/, const ConfValue& item) {
  const auto list = item.at("default").at("appendModifications");
  if (list.size() == 0) list.refuse("must not be empty");
  for_each(list, check_modification);
}

}  // namespace kdsd::policy
