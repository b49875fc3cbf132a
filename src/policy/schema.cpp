#include "policy/schema.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "model/json.h"
#include "policy/outcome.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

// A regular expression is matched by recursion, so its input has to be bounded. The longest legal text of a schema that
// has a pattern is 256 bytes.
constexpr std::size_t longest_matched_text = 1024;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

std::string_view actual_type(const json::value& value) {
  if (value.is_string()) return "string";
  if (value.is_number()) return "number";
  if (value.is_bool()) return "boolean";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return "null";
}

// As it is written: peers take neither `80.0` nor `8e1` for a whole number.
bool is_whole(const json::value& value) { return value.is_int64() || value.is_uint64(); }

bool fits_type(std::string_view type, const json::value& value) {
  if (type == "integer") return is_whole(value);
  return type == actual_type(value);
}

bool is_set(const json::value& schema, std::string_view key) {
  const auto* found = find(schema, {key});
  return found != nullptr && found->is_bool() && found->get_bool();
}

// Whether the member that a schema describes holds a number. 32-bit members without a sign carry the format `int32`,
// too; `x-kdsd-unsigned` tells them. Other formats say nothing about numbers.
bool fits_format(const json::value& schema, std::string_view format, const json::value& value) {
  if (format != "int32" && format != "int64") return true;
  const auto number = whole_number(value);
  if (!number || format == "int64") return number.has_value();
  if (is_set(schema, "x-kdsd-unsigned")) return *number >= 0 && *number <= std::numeric_limits<std::uint32_t>::max();
  return *number >= std::numeric_limits<std::int32_t>::min() && *number <= std::numeric_limits<std::int32_t>::max();
}

std::optional<double> number_of(const json::value& schema, std::string_view key) {
  const auto* found = find(schema, {key});
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->to_number<double>();
}

std::string shown(double number) {
  auto text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Characters as people count them: bytes that do not continue a sequence.
std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

class Walker {
 public:
  // MeshTrafficPermission takes more spellings of an action than its schema lists; own_door.h checks them.
  explicit Walker(const ResourceType& type) : free_actions_(type.name == "MeshTrafficPermission") {}

  json::value walk(const json::value& schema, const json::value& value, const std::string& path) {
    if (is_set(schema, "x-kubernetes-preserve-unknown-fields")) return value;
    if (is_set(schema, "x-kubernetes-int-or-string")) {
      if (!value.is_string() && !is_whole(value)) refuse(path, "in body must validate at least one schema (anyOf)");
      return value;
    }
    const auto type = find_text(schema, {"type"});
    if (!type.empty() && !fits_type(type, value)) {
      refuse(path, "in body must be of type " + std::string(type) + ": \"" + std::string(actual_type(value)) + "\"");
      return value;
    }
    const auto format = find_text(schema, {"format"});
    if (value.is_number() && !fits_format(schema, format, value)) {
      refuse(path, "in body must be of type " + std::string(format) + ": \"" + to_compact_json(value) + "\"");
      return value;
    }
    check_enum(schema, value, path);
    if (const auto* text = value.if_string()) check_text(schema, view(*text), path);
    if (value.is_number()) check_number(schema, value.to_number<double>(), path);
    if (const auto* array = value.if_array()) return walk_array(schema, *array, path);
    if (const auto* object = value.if_object()) return walk_object(schema, *object, path);
    return value;
  }

  Violations take() { return std::move(violations_); }

 private:
  void refuse(const std::string& path, std::string reason) {
    if (violations_.size() < limits::violations) violations_.push_back({path, std::move(reason)});
  }

  void check_enum(const json::value& schema, const json::value& value, const std::string& path) {
    const auto* allowed = find(schema, {"enum"});
    if (allowed == nullptr || !allowed->is_array()) return;
    if (free_actions_ && path.ends_with(".default.action")) return;
    std::string list;
    for (const auto& item : allowed->get_array()) {
      if (json_equal(item, value)) return;
      if (!list.empty()) list += ' ';
      list += item.is_string() ? std::string(view(item.get_string())) : to_compact_json(item);
    }
    refuse(path, "in body should be one of [" + list + "]");
  }

  void check_text(const json::value& schema, std::string_view text, const std::string& path) {
    const auto length = static_cast<double>(characters(text));
    if (auto least = number_of(schema, "minLength"); least && length < *least) {
      refuse(path, "in body should be at least " + shown(*least) + " chars long");
    }
    if (auto most = number_of(schema, "maxLength"); most && length > *most) {
      refuse(path, "in body should be at most " + shown(*most) + " chars long");
    }
    const auto pattern = find_text(schema, {"pattern"});
    if (!pattern.empty() && !matches(std::string(pattern), text)) {
      refuse(path, "in body should match '" + std::string(pattern) + "'");
    }
  }

  bool matches(const std::string& pattern, std::string_view text) {
    if (text.size() > longest_matched_text) return false;
    auto it = patterns_.find(pattern);
    if (it == patterns_.end()) {
      try {
        it = patterns_.emplace(pattern, std::regex(pattern)).first;
      } catch (const std::regex_error&) {
        it = patterns_.emplace(pattern, std::nullopt).first;  // a pattern nobody can read refuses nothing
      }
    }
    return !it->second || std::regex_search(text.begin(), text.end(), *it->second);
  }

  void check_number(const json::value& schema, double number, const std::string& path) {
    if (auto least = number_of(schema, "minimum"); least && number < *least) {
      refuse(path, "in body should be greater than or equal to " + shown(*least));
    }
    if (auto most = number_of(schema, "maximum"); most && number > *most) {
      refuse(path, "in body should be less than or equal to " + shown(*most));
    }
  }

  json::value walk_array(const json::value& schema, const json::array& array, const std::string& path) {
    const auto size = static_cast<double>(array.size());
    if (auto least = number_of(schema, "minItems"); least && size < *least) {
      refuse(path, "in body should have at least " + shown(*least) + " items");
    }
    if (auto most = number_of(schema, "maxItems"); most && size > *most) {
      refuse(path, "in body should have at most " + shown(*most) + " items");
    }
    const auto* items = find(schema, {"items"});
    if (items == nullptr) return array;
    json::array out;
    out.reserve(array.size());
    for (std::size_t i = 0; i < array.size(); ++i) out.push_back(walk(*items, array[i], element(path, i)));
    return out;
  }

  json::value walk_object(const json::value& schema, const json::object& object, const std::string& path) {
    const auto* properties = find(schema, {"properties"});
    const auto* extra = find(schema, {"additionalProperties"});
    if (properties == nullptr && extra == nullptr) {
      return json::object();  // a schema that names no members knows none
    }
    check_required(schema, object, path);
    json::object out;
    for (const auto& entry : object) {
      if (entry.value().is_null()) continue;  // null counts as missing
      const std::string_view key(entry.key().data(), entry.key().size());
      if (const auto* known = properties ? find(*properties, {key}) : nullptr) {
        out.emplace(entry.key(), walk(*known, entry.value(), member(path, key)));
      } else if (extra != nullptr && extra->is_object()) {
        out.emplace(entry.key(), walk(*extra, entry.value(), keyed(path, key)));
      } else if (extra != nullptr && extra->is_bool() && extra->get_bool()) {
        out.emplace(entry.key(), entry.value());
      }
    }
    if (properties != nullptr) add_defaults(properties->get_object(), out);
    return out;
  }

  void check_required(const json::value& schema, const json::object& object, const std::string& path) {
    const auto* required = find(schema, {"required"});
    if (required == nullptr || !required->is_array()) return;
    for (const auto& name : required->get_array()) {
      const auto* found = object.if_contains(name.get_string());
      if (found != nullptr && !found->is_null()) continue;
      const auto* fallback = find(schema, {"properties", view(name.get_string()), "default"});
      if (fallback == nullptr) refuse(member(path, view(name.get_string())), "in body is required");
    }
  }

  void add_defaults(const json::object& properties, json::object& out) {
    for (const auto& property : properties) {
      const auto* fallback =
          property.value().is_object() ? property.value().get_object().if_contains("default") : nullptr;
      if (fallback != nullptr && !out.contains(property.key())) out.emplace(property.key(), *fallback);
    }
  }

  bool free_actions_;
  Violations violations_;
  std::map<std::string, std::optional<std::regex>> patterns_;
};

// An item of `from` without a reference means all clients of the mesh (policy-semantics.md 2.1). Peers demand the
// reference, so it is filled in as a default would be.
void fill_from_items(json::value& spec) {
  auto* object = spec.if_object();
  auto* from = object ? object->if_contains("from") : nullptr;
  if (from == nullptr || !from->is_array()) return;
  for (auto& item : from->get_array()) {
    auto* entry = item.if_object();
    if (entry == nullptr) continue;
    const auto* ref = entry->if_contains("targetRef");
    const bool empty = ref == nullptr || ref->is_null() || (ref->is_object() && ref->get_object().empty());
    if (empty) (*entry)["targetRef"] = json::object{{"kind", "Mesh"}};
  }
}

}  // namespace

SchemaOutcome check_schema(const ResourceType& type, const json::value& spec) {
  if (spec.is_null()) return {{{"", ".spec in body is required"}}, {}};
  if (!type.schema.is_object()) return {{}, spec};
  json::value filled = spec;
  if (type.is_target_ref_policy && type.has_from) fill_from_items(filled);
  Walker walker(type);
  auto pruned = walker.walk(type.schema, filled, "spec");
  return {walker.take(), std::move(pruned)};
}

}  // namespace kdsd::policy
