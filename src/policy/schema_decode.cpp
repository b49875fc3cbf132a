#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/json.h"
#include "policy/duration.h"
#include "policy/outcome.h"
#include "policy/schema.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace {

// Members that peers decode as durations. The schemas show them as plain text.
constexpr std::array<std::string_view, 19> duration_members = {"baseEjectionTime",
                                                               "baseInterval",
                                                               "connectionTimeout",
                                                               "expiry",
                                                               "idleTimeout",
                                                               "initialJitter",
                                                               "interval",
                                                               "intervalJitter",
                                                               "maxConnectionDuration",
                                                               "maxInterval",
                                                               "maxStreamDuration",
                                                               "noTrafficInterval",
                                                               "perTryTimeout",
                                                               "refreshInterval",
                                                               "requestHeadersTimeout",
                                                               "requestTimeout",
                                                               "streamIdleTimeout",
                                                               "timeout",
                                                               "ttl"};

bool is_duration(std::string_view path, std::string_view name) {
  if (std::find(duration_members.begin(), duration_members.end(), name) != duration_members.end()) return true;
  return path.ends_with(".delay.value");
}

bool is_base64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  const auto end = text.find_last_not_of('=');
  const auto letters = end == std::string_view::npos ? 0 : end + 1;
  if (text.size() - letters > 2) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(letters), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  });
}

// Whether an integer member, or one that is an integer or a text, holds the number.
bool holds(const json::value& schema, const json::value& value) {
  const bool is_choice = find(schema, {"x-kubernetes-int-or-string"}) != nullptr;
  if (!is_choice && find_text(schema, {"type"}) != "integer") return true;
  const auto number = value.is_double() ? std::nullopt : whole_number(value);
  if (!number) return false;
  if (!is_choice) return true;
  return *number >= std::numeric_limits<std::int32_t>::min() && *number <= std::numeric_limits<std::int32_t>::max();
}

// Small letters, and the two letters beyond ASCII that have one of them as their small form.
std::string folded(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with("\u017f")) {
      out += 's';
      i += 1;
    } else if (name.substr(i).starts_with("\u212a")) {
      out += 'k';
      i += 2;
    } else {
      const char c = name[i];
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return out;
}

// Members by the form in which a decoder that does not look at the case compares them.
std::map<std::string, std::string_view> folded_members(const json::value& properties) {
  std::map<std::string, std::string_view> out;
  for (const auto& property : properties.get_object()) {
    const std::string_view known(property.key().data(), property.key().size());
    out.emplace(folded(known), known);
  }
  return out;
}

class Decoder {
 public:
  // The first value that does not decode, as "path: reason"; empty when all do.
  std::string problem(const json::value& schema, const json::value& value, const std::string& path,
                      std::string_view name) {
    if (const auto* object = value.if_object()) return object_problem(schema, *object, path);
    if (const auto* array = value.if_array()) {
      const auto* items = find(schema, {"items"});
      for (std::size_t i = 0; items != nullptr && i < array->size(); ++i) {
        if (auto text = problem(*items, (*array)[i], element(path, i), name); !text.empty()) return text;
      }
      return {};
    }
    if (const auto* text = value.if_string()) {
      const std::string_view content(text->data(), text->size());
      if (find_text(schema, {"type"}) == "string" && is_duration(path, name) && !parse_go_duration(content)) {
        return path + ": invalid duration " + to_compact_json(value);
      }
      if (find_text(schema, {"format"}) == "byte" && !is_base64(content)) return path + ": illegal base64 data";
    }
    if (value.is_number() && !holds(schema, value)) return path + ": cannot hold " + to_compact_json(value);
    return {};
  }

 private:
  std::string object_problem(const json::value& schema, const json::object& object, const std::string& path) {
    const auto* properties = find(schema, {"properties"});
    if (properties == nullptr) return {};
    std::optional<std::map<std::string, std::string_view>> members;
    for (const auto& entry : object) {
      const std::string_view key(entry.key().data(), entry.key().size());
      const auto* known = find(*properties, {key});
      if (known == nullptr) {
        if (!members) members = folded_members(*properties);
        if (const auto meant = members->find(folded(key)); meant != members->end())
          return member(path, key) + ": has to be written as " + std::string(meant->second);
        continue;
      }
      if (auto text = problem(*known, entry.value(), member(path, key), key); !text.empty()) return text;
    }
    return {};
  }
};

}  // namespace

Status check_decodes(const ResourceType& type, const json::value& spec) {
  const auto text = Decoder().problem(type.schema, spec, "spec", {});
  if (text.empty()) return {};
  return Status(Code::malformed, "invalid " + type.name + " object: " + text);
}

}  // namespace kdsd::policy
