#include "policy/proto_shape.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <cstdio>
#include <google/protobuf/descriptor.h>
#include <optional>
#include <string>

#include "policy/duration.h"
#include "policy/outcome.h"

#include "registry.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace pb = google::protobuf;
namespace {

constexpr std::int64_t nanos_per_second = 1'000'000'000;

Status wrong(const std::string& path, std::string_view wanted) {
  return {Code::malformed, (path.empty() ? "the document" : path) + " must be " + std::string(wanted)};
}

// As the protobuf library spells a duration.
std::string in_seconds(std::int64_t nanos) {
  const auto part = nanos % nanos_per_second;
  char text[40];
  std::snprintf(text, sizeof text, "%s%lld.%09llds", nanos < 0 ? "-" : "",
                static_cast<long long>(std::abs(nanos / nanos_per_second)), static_cast<long long>(std::abs(part)));
  return text;
}

// Digits of an integer as JSON writes it.
bool is_integer_text(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Nothing where the value is no integer. What does not fit 64 bits stays a text, which no member holds.
std::optional<json::value> integer_of(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return value;
  if (!value.is_string()) return std::nullopt;
  const std::string_view text(value.get_string().data(), value.get_string().size());
  if (!is_integer_text(text)) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? json::value(number) : value;
}

// Whole groups of four, in the alphabet without replacements; lines may be broken.
std::optional<std::string> base64_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '\n' && c != '\r') out += c;
  }
  const auto letters = out.find_last_not_of('=');
  const auto size = letters == std::string::npos ? 0 : letters + 1;
  const bool is_whole = out.size() % 4 == 0 && out.size() - size <= 2;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  };
  if (!is_whole || !std::all_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size), is_letter))
    return std::nullopt;
  return out;
}

using Read = Result<json::value>;

Read read_message(const pb::Descriptor& message, const json::value& value, const std::string& path);

Read read_scalar(const pb::FieldDescriptor& field, const json::value& value, const std::string& path) {
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      if (!value.is_bool()) return wrong(path, "true or false");
      return value;
    case pb::FieldDescriptor::CPPTYPE_STRING: {
      if (!value.is_string()) return wrong(path, "a text");
      if (field.type() != pb::FieldDescriptor::TYPE_BYTES) return value;
      auto text = base64_text({value.get_string().data(), value.get_string().size()});
      if (!text) return wrong(path, "base64");
      return json::value(*text);
    }
    case pb::FieldDescriptor::CPPTYPE_ENUM: {
      const auto& type = *field.enum_type();
      if (value.is_string() && type.FindValueByName(value.get_string().c_str()) != nullptr) return value;
      if (!value.is_int64()) return wrong(path, "a value of " + type.name());
      const auto* known = type.FindValueByNumber(static_cast<int>(value.get_int64()));
      return known == nullptr ? value : json::value(known->name());
    }
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      if (!value.is_number() && !value.is_string()) return wrong(path, "a number");
      return value;
    default:
      if (auto number = integer_of(value)) return *number;
      return wrong(path, "an integer");
  }
}

// Types of google.protobuf have forms of their own. A wrapper stands for its bare value.
Read read_well_known(const pb::Descriptor& message, const json::value& value, const std::string& path) {
  if (message.name() == "Duration") {
    const auto nanos =
        value.is_string() ? parse_go_duration({value.get_string().data(), value.get_string().size()}) : std::nullopt;
    if (!nanos) return wrong(path, "a duration");
    return json::value(in_seconds(*nanos));
  }
  if (message.name().ends_with("Value") && message.name() != "Value" && message.name() != "ListValue" &&
      message.name() != "NullValue") {
    return read_scalar(*message.field(0), value, path);
  }
  return value;
}

Read read_value(const pb::FieldDescriptor& field, const json::value& value, const std::string& path) {
  if (field.cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) return read_scalar(field, value, path);
  return read_message(*field.message_type(), value, path);
}

// What null stands for where something has to stand.
json::value empty_value(const pb::FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_MESSAGE:
      return json::object();
    case pb::FieldDescriptor::CPPTYPE_STRING:
      return json::value("");
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return json::value(false);
    default:
      return json::value(0);
  }
}

Read read_map(const pb::FieldDescriptor& field, const json::value& value, const std::string& path) {
  if (!value.is_object()) return wrong(path, "a map");
  const auto& item = *field.message_type()->map_value();
  json::object out;
  for (const auto& entry : value.get_object()) {
    const std::string_view key(entry.key().data(), entry.key().size());
    auto read = entry.value().is_null() ? Read(empty_value(item)) : read_value(item, entry.value(), keyed(path, key));
    if (!read.ok()) return read;
    out.emplace(entry.key(), std::move(*read));
  }
  return json::value(std::move(out));
}

Read read_list(const pb::FieldDescriptor& field, const json::value& value, const std::string& path) {
  if (!value.is_array()) return wrong(path, "a list");
  json::array out;
  for (std::size_t i = 0; i < value.get_array().size(); ++i) {
    const auto& each = value.get_array()[i];
    auto read = each.is_null() ? Read(empty_value(field)) : read_value(field, each, element(path, i));
    if (!read.ok()) return read;
    out.push_back(std::move(*read));
  }
  return json::value(std::move(out));
}

const json::value* written(const json::object& object, const pb::FieldDescriptor& field) {
  const auto* found = object.if_contains(field.json_name());
  if (found == nullptr) found = object.if_contains(field.name());
  return found != nullptr && found->is_null() ? nullptr : found;
}

// Of members that exclude each other the one declared last counts.
bool is_overridden(const json::object& object, const pb::FieldDescriptor& field) {
  const auto* choice = field.real_containing_oneof();
  if (choice == nullptr) return false;
  for (int i = choice->field_count() - 1; i >= 0 && choice->field(i) != &field; --i) {
    if (written(object, *choice->field(i)) != nullptr) return true;
  }
  return false;
}

Read read_message(const pb::Descriptor& message, const json::value& value, const std::string& path) {
  if (message.file()->package() == "google.protobuf") return read_well_known(message, value, path);
  if (!value.is_object()) return wrong(path, "an object");
  const auto& object = value.get_object();
  json::object out;
  for (int i = 0; i < message.field_count(); ++i) {
    const auto& field = *message.field(i);
    const auto* found = written(object, field);
    if (found == nullptr || is_overridden(object, field)) continue;
    const auto place = member(path, field.json_name());
    auto read = field.is_map()        ? read_map(field, *found, place)
                : field.is_repeated() ? read_list(field, *found, place)
                                      : read_value(field, *found, place);
    if (!read.ok()) return read;
    out.emplace(field.json_name(), std::move(*read));
  }
  return json::value(std::move(out));
}

}  // namespace

Result<json::value> read_proto_document(const ResourceType& type, const json::value& spec) {
  kdsd_link_protos();
  const auto* message = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(type.proto_message);
  if (message == nullptr) return Status(Code::internal, "no message " + type.proto_message);
  auto read = read_message(*message, spec, "");
  if (read.ok()) return read;
  return Status(Code::malformed, "invalid " + type.name + " object: " + read.status().message());
}

}  // namespace kdsd::policy
