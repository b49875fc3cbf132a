#include "model/proto_spec.h"

#include <boost/json/parse.hpp>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <memory>

#include "model/json.h"

#include "registry.h"

namespace kdsd {
namespace json = boost::json;
namespace pb = google::protobuf;
namespace {

std::unique_ptr<pb::Message> new_message(std::string_view name) {
  kdsd_link_protos();
  const auto* descriptor = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(std::string(name));
  if (descriptor == nullptr) return nullptr;
  const auto* prototype = pb::MessageFactory::generated_factory()->GetPrototype(descriptor);
  return std::unique_ptr<pb::Message>(prototype->New());
}

std::unique_ptr<pb::Message> parse(std::string_view name, std::string_view binary) {
  auto message = new_message(name);
  if (message == nullptr || !message->ParseFromArray(binary.data(), static_cast<int>(binary.size()))) return nullptr;
  return message;
}

// Types of google.protobuf print as values of their own, without members of their own.
bool is_well_known(const pb::Descriptor& descriptor) { return descriptor.file()->package() == "google.protobuf"; }

// The library prints fields by number; documents show them as declared.
json::value reorder(json::value value, const pb::Descriptor& descriptor);

json::value reorder_field(json::value value, const pb::FieldDescriptor& field) {
  if (field.cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) return value;
  if (field.is_map()) {
    const auto* item = field.message_type()->map_value();
    if (item->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE || !value.is_object()) return value;
    for (auto& member : value.get_object()) member.value() = reorder(std::move(member.value()), *item->message_type());
    return value;
  }
  if (field.is_repeated()) {
    if (!value.is_array()) return value;
    for (auto& item : value.get_array()) item = reorder(std::move(item), *field.message_type());
    return value;
  }
  return reorder(std::move(value), *field.message_type());
}

json::value reorder(json::value value, const pb::Descriptor& descriptor) {
  if (is_well_known(descriptor) || !value.is_object()) return value;
  auto& source = value.get_object();
  json::object out;
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const auto& field = *descriptor.field(i);
    auto* member = source.if_contains(field.json_name());
    if (member != nullptr) out.emplace(field.json_name(), reorder_field(std::move(*member), field));
  }
  return out;
}

}  // namespace

std::string serialize_deterministic(const pb::Message& message) {
  std::string out;
  message.ByteSizeLong();  // fills the cached sizes that the next call relies on
  {
    pb::io::StringOutputStream stream(&out);
    pb::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeWithCachedSizes(&coded);
  }
  return out;
}

Result<std::string> proto_from_json(std::string_view message_name, const json::object& object) {
  auto message = new_message(message_name);
  if (message == nullptr) return Status(Code::internal, "no message " + std::string(message_name));
  pb::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  auto status = pb::util::JsonStringToMessage(to_compact_json(object), message.get(), options);
  if (!status.ok()) return Status(Code::malformed, std::string(status.message()));
  return serialize_deterministic(*message);
}

Result<json::object> proto_to_json(std::string_view message_name, std::string_view binary) {
  auto message = parse(message_name, binary);
  if (message == nullptr) return Status(Code::malformed, "does not decode as " + std::string(message_name));
  std::string text;
  auto status = pb::util::MessageToJsonString(*message, &text);
  if (!status.ok()) return Status(Code::malformed, std::string(status.message()));
  json::error_code ec;
  auto value = json::parse(text, ec);
  if (ec || !value.is_object()) return Status(Code::internal, "JSON of " + std::string(message_name));
  return reorder(std::move(value), *message->GetDescriptor()).get_object();
}

bool proto_is_valid(std::string_view message_name, std::string_view binary) {
  return parse(message_name, binary) != nullptr;
}

bool proto_equal(std::string_view message_name, std::string_view a, std::string_view b) {
  if (a == b) return true;
  auto left = parse(message_name, a);
  auto right = parse(message_name, b);
  return left != nullptr && right != nullptr && pb::util::MessageDifferencer::Equals(*left, *right);
}

}  // namespace kdsd
