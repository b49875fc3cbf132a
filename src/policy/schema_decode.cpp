#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
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

// Both signed and unsigned 32-bit members carry the format `int32`.
constexpr std::int64_t least_int32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t most_int32 = std::numeric_limits<std::uint32_t>::max();

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
    const auto format = find_text(schema, {"format"});
    if (const auto* text = value.if_string()) {
      const std::string_view content(text->data(), text->size());
      if (find_text(schema, {"type"}) == "string" && is_duration(path, name) && !parse_go_duration(content)) {
        return path + ": invalid duration " + to_compact_json(value);
      }
      if (format == "byte" && !is_base64(content)) return path + ": illegal base64 data";
    }
    if (format == "int32" && value.is_number() && !fits_int32(value)) {
      return path + ": number " + to_compact_json(value) + " is too large";
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

  static bool fits_int32(const json::value& value) {
    if (value.is_int64()) return value.get_int64() >= least_int32 && value.get_int64() <= most_int32;
    if (value.is_uint64()) return value.get_uint64() <= static_cast<std::uint64_t>(most_int32);
    const double number = value.get_double();
    return number >= static_cast<double>(least_int32) && number <= static_cast<double>(most_int32);
  }
};

}  // namespace

Status check_decodes(const ResourceType& type, const json::value& spec) {
  const auto text = Decoder().problem(type.schema, spec, "spec", {});
  if (text.empty()) return {};
  return Status(Code::malformed, "invalid " + type.name + " object: " + text);
}

}  // namespace kdsd::policy
