#include <algorithm>
#include <array>
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
    return {};
  }

 private:
  std::string object_problem(const json::value& schema, const json::object& object, const std::string& path) {
    const auto* properties = find(schema, {"properties"});
    if (properties == nullptr) return {};
    for (const auto& entry : object) {
      const std::string_view key(entry.key().data(), entry.key().size());
      const auto* known = find(*properties, {key});
      if (known == nullptr) continue;
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
