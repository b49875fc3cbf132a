#include "kds/wire.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <google/protobuf/io/coded_stream.h>
#include <initializer_list>

#include "model/clipped.h"
#include "model/json.h"
#include "model/proto_spec.h"

#include "envoy/service/discovery/v3/discovery.pb.h"
#include "kdsd/v1/sync.pb.h"
#include "kuma/mesh/v1alpha1/kds.pb.h"

namespace kdsd::kds {
namespace discovery = envoy::service::discovery::v3;

namespace {

constexpr std::string_view resume_key = "kdsd-resume";

std::string_view url_name(std::string_view url) {
  auto slash = url.rfind('/');
  return slash == std::string_view::npos ? url : url.substr(slash + 1);
}

std::string text_of(const google::protobuf::Struct& fields, const std::string& key,
                    std::size_t bytes_max = limits::node_text_bytes) {
  auto it = fields.fields().find(key);
  return it == fields.fields().end() ? std::string() : std::string(clipped(it->second.string_value(), bytes_max));
}

NodeInfo node_info(const google::protobuf::Struct& metadata) {
  NodeInfo node;
  node.instance_id = text_of(metadata, "control-plane-id");
  node.config = text_of(metadata, "config", std::string::npos);
  if (node.config.size() > limits::node_config_bytes) node.config.clear();  // half of it tells nothing
  node.resume = text_of(metadata, std::string(resume_key));
  if (auto it = metadata.fields().find("version"); it != metadata.fields().end()) {
    const auto& version = it->second.struct_value();
    if (auto cp = version.fields().find("kumaCp"); cp != version.fields().end()) {
      const auto& parts = cp->second.struct_value();
      node.kuma_version = text_of(parts, "version");
      node.git_tag = text_of(parts, "gitTag");
      node.git_commit = text_of(parts, "gitCommit");
      node.build_date = text_of(parts, "buildDate");
    }
  }
  if (auto it = metadata.fields().find("features"); it != metadata.fields().end()) {
    std::vector<std::string> names;
    for (const auto& value : it->second.list_value().values()) {
      if (names.size() == limits::node_features) break;
      names.emplace_back(clipped(value.string_value(), limits::node_text_bytes));
    }
    node.features = Features(std::move(names));
  }
  return node;
}

void write_node(const NodeInfo& node, google::protobuf::Struct& metadata) {
  auto& fields = *metadata.mutable_fields();
  auto& cp =
      *(*fields["version"].mutable_struct_value()->mutable_fields())["kumaCp"].mutable_struct_value()->mutable_fields();
  cp["version"].set_string_value(node.kuma_version);
  cp["gitTag"].set_string_value(node.git_tag);
  cp["gitCommit"].set_string_value(node.git_commit);
  cp["buildDate"].set_string_value(node.build_date);
  fields["config"].set_string_value(node.config);
  fields["control-plane-id"].set_string_value(node.instance_id);
  auto& features = *fields["features"].mutable_list_value();
  for (const auto& name : node.features.names()) features.add_values()->set_string_value(name);
  if (!node.resume.empty()) fields[std::string(resume_key)].set_string_value(node.resume);
}

// Any parts of a resource that have to be right for it to be used.
Status check_spec(const ResourceType& type, const kuma::mesh::v1alpha1::KumaResource& message) {
  if (!message.has_spec()) return Status(Code::malformed, "spec is missing");
  const auto& spec = message.spec();
  if (type.encoding == SpecEncoding::proto) {
    if (url_name(spec.type_url()) != type.proto_message) {
      return Status(Code::malformed,
                    "spec is a " + std::string(url_name(spec.type_url())) + ", not a " + type.proto_message);
    }
    if (!proto_is_valid(type.proto_message, spec.value())) return Status(Code::malformed, "spec does not decode");
    return {};
  }
  auto value = parse_json(spec.value());
  if (!value.ok()) return Status(Code::malformed, "spec: " + value.status().message());
  if (!value->is_object()) return Status(Code::malformed, "spec is no object");
  if (message.has_status() && !message.status().value().empty()) {
    auto status = parse_json(message.status().value());
    if (!status.ok()) return Status(Code::malformed, "status: " + status.status().message());
  }
  return {};
}

Status check_labels(const kuma::mesh::v1alpha1::KumaResource& message) {
  const auto& labels = message.meta().labels();
  std::size_t bytes = 0;
  for (const auto& [key, value] : labels) bytes += key.size() + value.size();
  return check_label_limits(labels.size(), bytes).prefixed("labels");
}

Status decode_resource(const discovery::Resource& item, const ResourceType& type, ReceivedResource& out) {
  if (!item.has_resource() || url_name(item.resource().type_url()) != "kuma.mesh.v1alpha1.KumaResource") {
    return Status(Code::malformed, type.name + ": an element is no KumaResource");
  }
  kuma::mesh::v1alpha1::KumaResource message;
  if (!message.ParseFromString(item.resource().value())) {
    return Status(Code::malformed, type.name + ": a KumaResource does not decode");
  }
  auto& resource = out.resource;
  resource.type = &type;
  resource.name = message.meta().name();
  (type.mesh_scoped ? resource.mesh : out.extra_mesh) = message.meta().mesh();
  out.version = item.version();
  out.problem = check_labels(message);
  if (out.problem.ok()) out.problem = check_spec(type, message);
  if (out.problem.ok()) {
    const auto& labels = message.meta().labels();
    resource.labels = Labels(std::vector<Labels::Entry>(labels.begin(), labels.end()));
  }
  resource.spec = message.spec().value();
  if (type.has_status) resource.status = message.status().value();
  return {};
}

}  // namespace

namespace {

constexpr std::array<std::string_view, 4> kdsd_features = {
    feature::kdsd_resume, feature::kdsd_chunked, feature::kdsd_structured_nack, feature::kdsd_target_ref_rewrite};

std::vector<std::string> with_kdsd_features(std::initializer_list<std::string_view> names) {
  std::vector<std::string> out(names.begin(), names.end());
  out.insert(out.end(), kdsd_features.begin(), kdsd_features.end());
  return out;
}

}  // namespace

const std::vector<std::string>& own_node_features() {
  static const auto names = with_kdsd_features({feature::zone_token, feature::hash_suffix, feature::multizone_generator,
                                                feature::producer_policy_flow, feature::optional_target_ref});
  return names;
}

const std::vector<std::string>& own_request_features() {
  static const auto names = with_kdsd_features({feature::zone_ping_health, feature::hash_suffix});
  return names;
}

Features::Features(std::vector<std::string> names) : names_(std::move(names)) {}

bool Features::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::uint8_t Features::bits() const {
  std::uint8_t bits = 0;
  if (has(feature::producer_policy_flow)) bits |= feature_bit::producer_policy_flow;
  if (has(feature::optional_target_ref)) bits |= feature_bit::optional_target_ref;
  if (has(feature::multizone_generator)) bits |= feature_bit::multizone_generator;
  return bits;
}

std::string ResumeToken::text() const {
  return store_id + "/" + std::to_string(epoch) + "/" + std::to_string(revision.value) + "/" +
         std::to_string(feature_bits);
}

bool ResumeToken::parse(std::string_view text, ResumeToken& token) {
  std::vector<std::string_view> parts;
  while (true) {
    auto slash = text.find('/');
    parts.push_back(text.substr(0, slash));
    if (slash == std::string_view::npos) break;
    text.remove_prefix(slash + 1);
  }
  if (parts.size() != 4 || parts[0].empty()) return false;
  auto number = [](std::string_view digits, std::uint64_t& out) {
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  std::uint64_t bits = 0;
  if (!number(parts[1], token.epoch) || !number(parts[2], token.revision.value) || !number(parts[3], bits))
    return false;
  token.store_id = parts[0];
  token.feature_bits = static_cast<std::uint8_t>(bits);
  return true;
}

Result<Request> decode_request(std::string_view bytes) {
  discovery::DeltaDiscoveryRequest message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Status(Code::malformed, "a DeltaDiscoveryRequest does not decode");
  }
  Request out;
  out.type = message.type_url();
  out.has_node = message.has_node();
  out.node_id = message.node().id();
  out.has_metadata = message.node().has_metadata();
  if (out.has_metadata) out.node = node_info(message.node().metadata());
  out.subscribe.assign(message.resource_names_subscribe().begin(), message.resource_names_subscribe().end());
  out.unsubscribe.assign(message.resource_names_unsubscribe().begin(), message.resource_names_unsubscribe().end());
  // Who says that much gets the full state instead, which is no more work.
  const auto& held = message.initial_resource_versions();
  if (held.size() <= limits::held_versions) out.held.insert(held.begin(), held.end());
  out.nonce = message.response_nonce();
  out.is_nack = message.has_error_detail();
  out.error_text = clipped(message.error_detail().message(), limits::error_text_bytes);
  for (const auto& detail : message.error_detail().details()) {
    kdsd::v1::Rejection rejection;
    if (url_name(detail.type_url()) != rejection.GetTypeName() || !rejection.ParseFromString(detail.value())) continue;
    for (const auto& item : rejection.resources()) {
      out.rejected.push_back({item.type(), item.mesh(), item.name(), item.rule(), item.text()});
    }
  }
  return out;
}

std::string too_large_text(std::string_view bytes, std::size_t bytes_max, const Catalogue& catalogue) {
  // Not decoded: what is refused for its size must not become objects first.
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  constexpr std::uint32_t text_field = 2;  // the wire type of texts and messages
  constexpr auto type_tag = (discovery::DeltaDiscoveryResponse::kTypeUrlFieldNumber << 3) | text_field;
  std::string type;
  std::uint32_t length = 0;
  for (auto tag = in.ReadTag(); (tag & 7) == text_field && in.ReadVarint32(&length); tag = in.ReadTag()) {
    if (tag == type_tag && !in.ReadString(&type, static_cast<int>(length))) type.clear();
    if (tag != type_tag && !in.Skip(static_cast<int>(length))) break;
  }
  const auto subject = catalogue.find(type) == nullptr ? "a message" : "a message of " + type;
  return subject + " has " + std::to_string(bytes.size()) + " bytes, more than the limit of " +
         std::to_string(bytes_max);
}

Result<Response> decode_response(std::string_view bytes, const Catalogue& catalogue) {
  discovery::DeltaDiscoveryResponse message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Status(Code::malformed, "a DeltaDiscoveryResponse does not decode");
  }
  Response out;
  out.type = message.type_url();
  out.nonce = message.nonce();
  out.sender = message.control_plane().identifier();
  out.version_info = message.system_version_info();
  out.removed.assign(message.removed_resources().begin(), message.removed_resources().end());
  const auto* type = catalogue.find(out.type);
  if (type == nullptr) return Status(Code::malformed, "unknown type_url \"" + out.type + "\"");
  out.resources.reserve(static_cast<std::size_t>(message.resources_size()));
  for (const auto& item : message.resources()) {
    ReceivedResource received;
    if (auto status = decode_resource(item, *type, received); !status.ok()) return status;
    out.resources.push_back(std::move(received));
  }
  return out;
}

std::string encode_request(const Request& request) {
  discovery::DeltaDiscoveryRequest message;
  message.set_type_url(request.type);
  message.mutable_node()->set_id(request.node_id);
  // Only first requests carry the metadata; every one carries the id (3.3).
  if (request.nonce.empty()) write_node(request.node, *message.mutable_node()->mutable_metadata());
  for (const auto& name : request.subscribe) message.add_resource_names_subscribe(name);
  for (const auto& [name, version] : request.held) (*message.mutable_initial_resource_versions())[name] = version;
  message.set_response_nonce(request.nonce);
  if (request.is_nack) {
    auto& error = *message.mutable_error_detail();
    error.set_message(request.error_text);
    if (!request.rejected.empty()) {
      kdsd::v1::Rejection rejection;
      for (const auto& item : request.rejected) {
        auto& added = *rejection.add_resources();
        added.set_type(item.type);
        added.set_mesh(item.mesh);
        added.set_name(item.name);
        added.set_rule(item.rule);
        added.set_text(item.text);
      }
      auto& detail = *error.add_details();
      detail.set_type_url("type.googleapis.com/" + rejection.GetTypeName());
      detail.set_value(rejection.SerializeAsString());
    }
  }
  return serialize_deterministic(message);
}

void Message::append(std::shared_ptr<const std::string> part) {
  bytes += part->size();
  parts.push_back(std::move(part));
}

void Message::append(std::string part) { append(std::make_shared<const std::string>(std::move(part))); }

std::string Message::joined() const {
  std::string out;
  out.reserve(bytes);
  for (const auto& part : parts) out += *part;
  return out;
}

std::string encode_response_head(const ResponseHead& head) {
  discovery::DeltaDiscoveryResponse message;
  message.set_type_url(head.type);
  message.set_nonce(head.nonce);
  message.set_system_version_info(head.version_info);
  message.mutable_control_plane()->set_identifier(head.sender);
  for (const auto& name : head.removed) message.add_removed_resources(name);
  return message.SerializeAsString();
}

RemovedKey parse_removed(const ResourceType& type, std::string_view text) {
  auto dot = text.rfind('.');
  if (dot == std::string_view::npos) return {"", std::string(text)};
  std::string mesh = type.mesh_scoped ? std::string(text.substr(dot + 1)) : std::string();
  return {std::move(mesh), std::string(text.substr(0, dot))};
}

}  // namespace kdsd::kds
