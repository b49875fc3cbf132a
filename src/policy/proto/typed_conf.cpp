#include "policy/proto/typed_conf.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <google/protobuf/descriptor.h>
#include <limits>

#include "model/json.h"
#include "policy/proto/values.h"

#include "registry.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace pb = google::protobuf;
namespace {

std::string_view go_kind(const json::value& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  if (value.is_array()) return "array";
  return value.is_object() ? "object" : "number";
}

std::string wrong_kind(const json::value& value, std::string_view wanted, std::string_view number = {}) {
  std::string out = "json: cannot unmarshal ";
  out += go_kind(value);
  if (!number.empty()) out.append(" ").append(number);
  return out.append(" into Go value of type ").append(wanted);
}

std::string_view text_of(const json::value& value) {
  const auto& text = value.get_string();
  return {text.data(), text.size()};
}

// Numbers may be texts.
std::string uint32_problem(const json::value& value) {
  constexpr std::string_view type = "uint32";
  if (value.is_string()) {
    const auto text = text_of(value);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return {};
    if (text.empty()) return "unexpected end of JSON input";
    const bool begins_number = text.front() == '-' || (text.front() >= '0' && text.front() <= '9');
    if (begins_number) return wrong_kind(json::value(0), type, text);
    return "invalid character '" + std::string(1, text.front()) + "' looking for beginning of value";
  }
  if (!value.is_number()) return wrong_kind(value, type);
  const auto number = whole_number(value);
  const bool fits = number && *number >= 0 && *number <= std::numeric_limits<std::uint32_t>::max();
  return fits ? std::string() : wrong_kind(value, type, to_compact_json(value));
}

std::string bytes_problem(const json::value& value) {
  if (!value.is_string()) return wrong_kind(value, "[]byte");
  const auto text = text_of(value);
  const auto is_base64 = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
           c == '=' || c == '\n' || c == '\r';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_base64(text[i])) return "illegal base64 data at input byte " + std::to_string(i);
  }
  return {};
}

std::string enum_problem(const pb::EnumDescriptor& type, const json::value& value) {
  if (!value.is_string() || type.FindValueByName(std::string(text_of(value))) != nullptr) return {};
  return "unknown value " + go_quoted(to_compact_json(value)) + " for enum " + type.full_name();
}

std::string message_problem(const pb::Descriptor& message, const json::value& value);

std::string value_problem(const pb::FieldDescriptor& field, const json::value& value) {
  if (value.is_null()) return {};
  switch (field.type()) {
    case pb::FieldDescriptor::TYPE_STRING:
      return value.is_string() ? std::string() : wrong_kind(value, "string");
    case pb::FieldDescriptor::TYPE_BOOL:
      return value.is_bool() ? std::string() : wrong_kind(value, "bool");
    case pb::FieldDescriptor::TYPE_UINT32:
      return uint32_problem(value);
    case pb::FieldDescriptor::TYPE_BYTES:
      return bytes_problem(value);
    case pb::FieldDescriptor::TYPE_ENUM:
      return enum_problem(*field.enum_type(), value);
    case pb::FieldDescriptor::TYPE_MESSAGE:
      return message_problem(*field.message_type(), value);
    default:
      return {};
  }
}

std::string list_problem(const pb::FieldDescriptor& field, const json::value& value) {
  if (!value.is_array()) return wrong_kind(value, "[]json.RawMessage");
  for (const auto& item : value.get_array()) {
    if (auto problem = value_problem(field, item); !problem.empty()) return problem;
  }
  return {};
}

std::string map_problem(const pb::FieldDescriptor& field, const json::value& value) {
  if (!value.is_object()) return wrong_kind(value, "map[string]json.RawMessage");
  for (const auto& entry : value.get_object()) {
    if (auto problem = value_problem(*field.message_type()->map_value(), entry.value()); !problem.empty())
      return problem;
  }
  return {};
}

std::string field_problem(const pb::FieldDescriptor& field, const json::value& value) {
  if (value.is_null()) return {};
  if (field.is_map()) return map_problem(field, value);
  return field.is_repeated() ? list_problem(field, value) : value_problem(field, value);
}

// A wrapper stands for its bare value.
std::string message_problem(const pb::Descriptor& message, const json::value& value) {
  if (message.file()->package() == "google.protobuf") return value_problem(*message.field(0), value);
  if (!value.is_object()) return wrong_kind(value, "map[string]json.RawMessage");
  for (int i = 0; i < message.field_count(); ++i) {
    const auto& field = *message.field(i);
    const auto* found = value.get_object().if_contains(field.json_name());
    if (found == nullptr) found = value.get_object().if_contains(field.name());
    if (found == nullptr) continue;
    if (auto problem = field_problem(field, *found); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace

std::string decode_problem(std::string_view message_name, const ConfValue& conf) {
  if (!conf.is_set()) return {};
  kdsd_link_protos();
  const auto* message = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(std::string(message_name));
  return message == nullptr ? std::string() : message_problem(*message, *conf.json());
}

}  // namespace kdsd::policy
