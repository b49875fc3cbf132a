#include "policy/proto_shape.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <google/protobuf/descriptor.h>
#include <string>

#include "policy/outcome.h"

#include "registry.h"

namespace kdsd::policy {
namespace json = boost::json;
namespace pb = google::protobuf;
namespace {

enum class Wanted { anything, flag, text };

// Wrappers stand for their bare value; other well-known types have forms of their own, which the library checks.
Wanted wanted_of_message(const pb::Descriptor& message) {
  if (message.full_name() == "google.protobuf.BoolValue") return Wanted::flag;
  if (message.full_name() == "google.protobuf.StringValue") return Wanted::text;
  return Wanted::anything;
}

Wanted wanted_of(const pb::FieldDescriptor& field) {
  switch (field.type()) {
    case pb::FieldDescriptor::TYPE_BOOL:
      return Wanted::flag;
    case pb::FieldDescriptor::TYPE_STRING:
      return Wanted::text;
    case pb::FieldDescriptor::TYPE_MESSAGE:
      return wanted_of_message(*field.message_type());
    default:
      return Wanted::anything;
  }
}

std::string message_problem(const pb::Descriptor& message, const json::value& value, const std::string& path);

std::string value_problem(const pb::FieldDescriptor& field, const json::value& value, const std::string& path) {
  if (value.is_null()) return {};
  const auto wanted = wanted_of(field);
  if (wanted == Wanted::flag && !value.is_bool()) return path + " must be true or false";
  if (wanted == Wanted::text && !value.is_string()) return path + " must be a text";
  if (field.type() != pb::FieldDescriptor::TYPE_MESSAGE) return {};
  return message_problem(*field.message_type(), value, path);
}

std::string field_problem(const pb::FieldDescriptor& field, const json::value& value, const std::string& path) {
  if (field.is_map()) {
    if (!value.is_object()) return {};
    for (const auto& entry : value.get_object()) {
      const std::string_view key(entry.key().data(), entry.key().size());
      auto problem = value_problem(*field.message_type()->map_value(), entry.value(), keyed(path, key));
      if (!problem.empty()) return problem;
    }
    return {};
  }
  if (!field.is_repeated()) return value_problem(field, value, path);
  if (!value.is_array()) return {};
  for (std::size_t i = 0; i < value.get_array().size(); ++i) {
    if (auto problem = value_problem(field, value.get_array()[i], element(path, i)); !problem.empty()) return problem;
  }
  return {};
}

std::string message_problem(const pb::Descriptor& message, const json::value& value, const std::string& path) {
  if (message.file()->package() == "google.protobuf" || !value.is_object()) return {};
  for (int i = 0; i < message.field_count(); ++i) {
    const auto& field = *message.field(i);
    const auto* found = value.get_object().if_contains(field.json_name());
    if (found == nullptr) found = value.get_object().if_contains(field.name());
    if (found == nullptr) continue;
    if (auto problem = field_problem(field, *found, member(path, field.json_name())); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace

Status check_proto_shape(const ResourceType& type, const json::value& spec) {
  kdsd_link_protos();
  const auto* message = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(type.proto_message);
  if (message == nullptr) return {};
  const auto problem = message_problem(*message, spec, "");
  if (problem.empty()) return {};
  return Status(Code::malformed, "invalid " + type.name + " object: " + problem);
}

}  // namespace kdsd::policy
