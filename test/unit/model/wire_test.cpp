// The recorded KDS traffic of test/data/wire against our own .proto files: every message is parsed and written again,
// with the resources and specs inside it, and has to come out as the bytes that went in.

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "../recorded_bytes.h"
#include "../test_data.h"
#include "envoy/service/discovery/v3/discovery.pb.h"
#include "kuma/mesh/v1alpha1/kds.pb.h"
#include "registry.h"

namespace kdsd {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
namespace pb = google::protobuf;

using envoy::service::discovery::v3::DeltaDiscoveryRequest;
using envoy::service::discovery::v3::DeltaDiscoveryResponse;
using kuma::mesh::v1alpha1::KumaResource;

constexpr std::string_view any_prefix = "type.googleapis.com/";

// One gRPC message of a recording; `event` is its index in the `events` of the file.
struct Recorded {
  std::string file;
  std::size_t event;
  std::string type;  // full name of the protobuf message, empty if the recorder did not know it
  std::string encoding;
  std::string sent;     // the bytes as sent, still compressed
  json::value content;  // the message as the recorder decoded it

  std::string place() const { return file + " event " + std::to_string(event); }
};

// What is special about a recorded message or about a resource in it.
enum class Oddity {
  other_service,    // a method of another service: there is no message to parse it with
  other_encoding,   // compressed with something that is neither gzip nor identity
  unknown_fields,   // carries fields that no release knows
  other_envelope,   // the resource is not a KumaResource, or there is none
  unreadable_spec,  // the spec or the status is neither JSON nor a message of the type that its URL names
};

// All of them come from the scripted test peer, which sent them to see what a Global or a zone makes of them.
struct Exception {
  std::string_view file;
  std::size_t event;
  std::string_view resource;  // empty if the whole message is meant
  Oddity oddity;
};

constexpr std::array exceptions{
    // A call of the Check method of the gRPC health service.
    Exception{"20-client-id.json", 31, "", Oddity::other_service},
    // A request compressed with deflate.
    Exception{"21-encoding.json", 9, "", Oddity::other_encoding},
    // A Dataplane with the fields 1006 and 1007.
    Exception{"25-attribution.json", 48, "", Oddity::unknown_fields},
    // The type URL of the spec ends in "whatever".
    Exception{"25-attribution.json", 54, "tu.default", Oddity::unreadable_spec},
    // JSON that ends early, in a spec and in a status; three bytes that are not a Dataplane.
    Exception{"33-fatal-responses.json", 4, "a.default", Oddity::unreadable_spec},
    Exception{"33-fatal-responses.json", 81, "a.default", Oddity::unreadable_spec},
    Exception{"33-fatal-responses.json", 34, "a.default", Oddity::unreadable_spec},
    // A bare Mesh where the envelope should be.
    Exception{"33-fatal-responses.json", 76, "a.default", Oddity::other_envelope},
    // JSON that ends early.
    Exception{"50-zone-receives.json", 92, "badj.default", Oddity::unreadable_spec},
    // A resource with a name and a version only.
    Exception{"58-zone-missing-spec.json", 34, "y.default", Oddity::other_envelope},
};

bool is_exception(Oddity oddity, const Recorded& recorded, std::string_view resource = "") {
  return std::any_of(exceptions.begin(), exceptions.end(), [&](const Exception& exception) {
    return exception.oddity == oddity && exception.file == recorded.file && exception.event == recorded.event &&
           exception.resource == resource;
  });
}

bool is_readable(const Recorded& recorded) {
  return !is_exception(Oddity::other_service, recorded) && !is_exception(Oddity::other_encoding, recorded);
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return std::move(content).str();
}

std::vector<Recorded> read_recordings() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(test_data() / "wire")) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Recorded> all;
  for (const fs::path& path : paths) {
    const json::value recording = json::parse(read_file(path));
    const json::array& events = recording.at("events").as_array();
    for (std::size_t i = 0; i < events.size(); ++i) {
      const json::object& event = events[i].as_object();
      const json::value* raw = event.if_contains("raw");
      if (raw == nullptr) continue;
      const json::value* type = event.if_contains("type");
      const json::value* content = event.if_contains("message");
      all.push_back({path.filename().string(), i, type ? json::value_to<std::string>(*type) : "",
                     json::value_to<std::string>(event.at("encoding")), base64_decode(raw->as_string()),
                     content ? *content : json::value()});
    }
  }
  return all;
}

const std::vector<Recorded>& recordings() {
  static const std::vector<Recorded> all = read_recordings();
  return all;
}

const pb::Descriptor* find_message(const std::string& full_name) {
  kdsd_link_protos();
  return pb::DescriptorPool::generated_pool()->FindMessageTypeByName(full_name);
}

std::unique_ptr<pb::Message> parse(const std::string& full_name, const std::string& bytes) {
  const pb::Descriptor* descriptor = find_message(full_name);
  if (descriptor == nullptr) return nullptr;
  std::unique_ptr<pb::Message> message(pb::MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
  return message->ParseFromString(bytes) ? std::move(message) : nullptr;
}

std::string encode(const pb::Message& message) {
  std::string bytes;
  {
    pb::io::StringOutputStream stream(&bytes);
    pb::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

// The numbers of all unknown fields in a message and in the messages inside it; what is packed in an Any stays closed.
void collect_unknown_fields(const pb::Message& message, std::vector<int>& numbers) {
  const pb::Reflection& reflection = *message.GetReflection();
  const pb::UnknownFieldSet& unknown = reflection.GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) numbers.push_back(unknown.field(i).number());
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      collect_unknown_fields(reflection.GetMessage(message, field), numbers);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      collect_unknown_fields(reflection.GetRepeatedMessage(message, field, i), numbers);
    }
  }
}

std::vector<int> unknown_fields_of(const pb::Message& message) {
  std::vector<int> numbers;
  collect_unknown_fields(message, numbers);
  return numbers;
}

std::string plain_bytes(const Recorded& recorded) {
  return recorded.encoding == "gzip" ? gunzip(recorded.sent) : recorded.sent;
}

std::string message_name(const pb::Any& any) {
  const std::string& url = any.type_url();
  return url.starts_with(any_prefix) ? url.substr(any_prefix.size()) : "";
}

// One resource of a recorded response, with its envelope open.
struct RecordedResource {
  const Recorded* response;
  std::string name;
  std::string envelope_bytes;
  KumaResource envelope;
  json::value content;  // the envelope as the recorder decoded it

  std::string place() const { return response->place() + " " + name; }
};

std::vector<RecordedResource> read_resources() {
  std::vector<RecordedResource> all;
  for (const Recorded& recorded : recordings()) {
    if (recorded.type != DeltaDiscoveryResponse::descriptor()->full_name()) continue;
    DeltaDiscoveryResponse response;
    EXPECT_TRUE(response.ParseFromString(plain_bytes(recorded))) << recorded.place();
    for (int i = 0; i < response.resources_size(); ++i) {
      const auto& resource = response.resources(i);
      if (is_exception(Oddity::other_envelope, recorded, resource.name())) {
        EXPECT_NE(message_name(resource.resource()), KumaResource::descriptor()->full_name());
        continue;
      }
      RecordedResource opened{&recorded, resource.name(), resource.resource().value(), {}, {}};
      EXPECT_EQ(message_name(resource.resource()), KumaResource::descriptor()->full_name()) << opened.place();
      EXPECT_TRUE(opened.envelope.ParseFromString(opened.envelope_bytes)) << opened.place();
      opened.content = recorded.content.at("resources").at(static_cast<std::size_t>(i)).at("resource");
      all.push_back(std::move(opened));
    }
  }
  return all;
}

const std::vector<RecordedResource>& resources() {
  static const std::vector<RecordedResource> all = read_resources();
  return all;
}

// `bytes` is a request whose node metadata has its keys in another order than the deterministic one: everything behind
// the node, which is the first field, has to be equal byte by byte, and the node has to have equal content and size.
void expect_equal_but_for_metadata_order(const DeltaDiscoveryRequest& request, const std::string& bytes,
                                         const std::string& place) {
  EXPECT_GT(request.node().metadata().fields_size(), 1) << place;
  EXPECT_EQ(encode(request).size(), bytes.size()) << place;
  DeltaDiscoveryRequest without_node = request;
  without_node.clear_node();
  EXPECT_TRUE(bytes.ends_with(encode(without_node))) << place;
  DeltaDiscoveryRequest again;
  ASSERT_TRUE(again.ParseFromString(encode(request))) << place;
  EXPECT_TRUE(pb::util::MessageDifferencer::Equals(again, request)) << place;
}

TEST(WireTest, RecordingsHoldAllMessagesByType) {
  std::map<std::string, int> by_type;
  std::map<std::string, int> by_encoding;
  for (const Recorded& recorded : recordings()) {
    by_type[recorded.type.substr(recorded.type.rfind('.') + 1)] += 1;
    by_encoding[recorded.encoding] += 1;
    EXPECT_EQ(recorded.type.empty(), !is_readable(recorded)) << recorded.place();
  }
  const std::map<std::string, int> types{
      {"", 2},
      {"ClustersRequest", 1},
      {"ClustersResponse", 1},
      {"DeltaDiscoveryRequest", 877},
      {"DeltaDiscoveryResponse", 762},
      {"StatsRequest", 13},
      {"StatsResponse", 14},
      {"XDSConfigRequest", 1},
      {"XDSConfigResponse", 3},
      {"ZoneHealthCheckRequest", 76},
      {"ZoneHealthCheckResponse", 66},
  };
  const std::map<std::string, int> encodings{{"deflate", 1}, {"gzip", 1580}, {"identity", 235}};
  EXPECT_EQ(by_type, types);
  EXPECT_EQ(by_encoding, encodings);
}

// The sender is written in Go, which does not sort the keys of a map unless asked to. It asks for resources, not for
// requests: the metadata of a node, a Struct with several keys, comes in any order.
TEST(WireTest, EveryMessageIsWrittenAsItWasRead) {
  int read = 0;
  int reordered = 0;
  for (const Recorded& recorded : recordings()) {
    if (!is_readable(recorded)) continue;
    const std::string bytes = plain_bytes(recorded);
    const auto message = parse(recorded.type, bytes);
    ASSERT_NE(message, nullptr) << recorded.place();
    EXPECT_EQ(unknown_fields_of(*message), std::vector<int>()) << recorded.place();
    read += 1;
    if (encode(*message) == bytes) continue;
    const auto* request = dynamic_cast<const DeltaDiscoveryRequest*>(message.get());
    ASSERT_NE(request, nullptr) << recorded.place();
    expect_equal_but_for_metadata_order(*request, bytes, recorded.place());
    reordered += 1;
  }
  EXPECT_EQ(read, 1814);
  EXPECT_EQ(reordered, 282);
}

TEST(WireTest, EveryResourceIsWrittenAsItWasRead) {
  for (const RecordedResource& resource : resources()) {
    EXPECT_EQ(encode(resource.envelope), resource.envelope_bytes) << resource.place();
    EXPECT_EQ(unknown_fields_of(resource.envelope), std::vector<int>()) << resource.place();
  }
  EXPECT_EQ(resources().size(), 474U);
}

TEST(WireTest, EverySpecIsWrittenAsItWasRead) {
  std::map<std::string, int> by_type;
  for (const RecordedResource& resource : resources()) {
    const pb::Any& spec = resource.envelope.spec();
    if (spec.type_url().empty()) continue;
    const auto message = parse(message_name(spec), spec.value());
    if (is_exception(Oddity::unreadable_spec, *resource.response, resource.name)) {
      EXPECT_EQ(message, nullptr) << resource.place();
      continue;
    }
    ASSERT_NE(message, nullptr) << resource.place() << " " << spec.type_url();
    EXPECT_EQ(encode(*message), spec.value()) << resource.place();
    by_type[message_name(spec).substr(std::string_view("kuma.").size())] += 1;
  }
  const std::map<std::string, int> types{
      {"mesh.v1alpha1.Dataplane", 19},     {"mesh.v1alpha1.Mesh", 63},    {"mesh.v1alpha1.MeshGateway", 3},
      {"mesh.v1alpha1.ServiceInsight", 8}, {"mesh.v1alpha1.Timeout", 4},  {"mesh.v1alpha1.ZoneEgress", 3},
      {"mesh.v1alpha1.ZoneIngress", 8},    {"system.v1alpha1.Config", 7}, {"system.v1alpha1.Secret", 27},
  };
  EXPECT_EQ(by_type, types);
}

TEST(WireTest, UnknownFieldsOfASpecAreKept) {
  std::map<std::string, std::vector<int>> found;
  for (const RecordedResource& resource : resources()) {
    const auto message = parse(message_name(resource.envelope.spec()), resource.envelope.spec().value());
    if (message == nullptr) continue;
    const std::vector<int> numbers = unknown_fields_of(*message);
    if (numbers.empty()) continue;
    EXPECT_TRUE(is_exception(Oddity::unknown_fields, *resource.response)) << resource.place();
    found[resource.name] = numbers;
  }
  std::vector<int> numbers;
  for (const auto& [name, some] : found) numbers.insert(numbers.end(), some.begin(), some.end());
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(numbers, (std::vector<int>{1006, 1007}));
}

// The recorder used descriptors of the release; equal JSON means equal field names, JSON names and enum values.
TEST(WireTest, SpecsReadAsJsonLikeTheRecorderReadThem) {
  int compared = 0;
  for (const RecordedResource& resource : resources()) {
    const pb::Any& spec = resource.envelope.spec();
    const auto message = parse(message_name(spec), spec.value());
    // The recorder shortens secrets and drops unknown fields.
    if (message == nullptr || message->GetDescriptor()->name() == "Secret") continue;
    if (is_exception(Oddity::unknown_fields, *resource.response)) continue;
    json::object expected = resource.content.at("spec").as_object();
    expected.erase("@type");
    std::string text;
    ASSERT_TRUE(pb::util::MessageToJsonString(*message, &text).ok()) << resource.place();
    EXPECT_EQ(json::parse(text), json::value(expected)) << resource.place();
    compared += 1;
  }
  EXPECT_EQ(compared, 114);
}

// Whether a spec or status without type URL has JSON in it, which has to be the JSON that the recorder found.
bool holds_json(const RecordedResource& resource, const pb::Any& any, std::string_view part) {
  EXPECT_EQ(any.type_url(), "") << resource.place();
  if (any.value().empty()) return false;
  boost::system::error_code error;
  const json::value found = json::parse(any.value(), error);
  const json::value* expected = resource.content.at(part).as_object().if_contains("value");
  if (expected == nullptr) {
    EXPECT_TRUE(error) << resource.place();
    EXPECT_TRUE(is_exception(Oddity::unreadable_spec, *resource.response, resource.name)) << resource.place();
    return false;
  }
  EXPECT_FALSE(error) << resource.place();
  EXPECT_EQ(found, *expected) << resource.place();
  return true;
}

TEST(WireTest, SpecsAndStatusesWithoutTypeUrlAreJson) {
  int specs = 0;
  int statuses = 0;
  for (const RecordedResource& resource : resources()) {
    const pb::Any& spec = resource.envelope.spec();
    if (spec.type_url().empty() && holds_json(resource, spec, "spec")) specs += 1;
    if (holds_json(resource, resource.envelope.status(), "status")) statuses += 1;
  }
  EXPECT_EQ(specs, 323);
  EXPECT_EQ(statuses, 44);
}

TEST(ProtoRegistryTest, EveryMessageOfTheCatalogueIsRegistered) {
  int named = 0;
  int types = 0;
  for (const auto& entry : fs::directory_iterator(test_data() / "../../schema/types")) {
    const json::value type = json::parse(read_file(entry.path()));
    types += 1;
    const json::value* message = type.as_object().if_contains("protoMessage");
    if (message == nullptr || !message->is_string() || message->as_string().empty()) continue;
    const pb::Descriptor* descriptor = find_message(json::value_to<std::string>(*message));
    ASSERT_NE(descriptor, nullptr) << entry.path();
    EXPECT_EQ(json::value_to<std::string>(type.at("anyTypeUrl")), std::string(any_prefix) + descriptor->full_name());
    named += 1;
  }
  EXPECT_EQ(types, 52);
  EXPECT_EQ(named, 29);
}

TEST(ProtoRegistryTest, MessagesNobodyElseNamesAreRegistered) {
  for (const char* name :
       {"kuma.mesh.v1alpha1.DataplaneOverview", "kuma.mesh.v1alpha1.ZoneIngressOverview",
        "kuma.mesh.v1alpha1.ZoneEgressOverview", "kuma.system.v1alpha1.ZoneOverview",
        "kuma.plugins.ca.BuiltinCertificateAuthorityConfig", "kuma.plugins.ca.ProvidedCertificateAuthorityConfig",
        "kuma.mesh.v1alpha1.PrometheusMetricsBackendConfig", "kuma.system.v1alpha1.PingResponse",
        "kuma.mesh.v1alpha1.VirtualOutbound.Conf.TemplateParameter", "google.rpc.Status", "kdsd.v1.Rejection",
        "envoy.service.discovery.v3.DiscoveryResponse", "xds.core.v3.ContextParams", "envoy.type.v3.SemanticVersion"}) {
    EXPECT_NE(find_message(name), nullptr) << name;
  }
}

// "name=number" of every field, in the order of the declaration, which is also their order in REST documents.
std::string fields_of(const std::string& message) {
  const pb::Descriptor* descriptor = find_message(message);
  if (descriptor == nullptr) return "no such message";
  std::string text;
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const pb::FieldDescriptor& field = *descriptor->field(i);
    text += (i == 0 ? "" : " ") + field.json_name() + "=" + std::to_string(field.number());
  }
  return text;
}

TEST(ProtoRegistryTest, FieldsHaveTheirNamesNumbersAndOrder) {
  EXPECT_EQ(fields_of("kuma.mesh.v1alpha1.Dataplane.Networking"),
            "address=5 advertisedAddress=7 gateway=3 inbound=1 outbound=2 transparentProxying=4 admin=8");
  EXPECT_EQ(fields_of("kuma.mesh.v1alpha1.KumaResource.Meta"), "name=1 mesh=2 version=5 labels=6");
  EXPECT_EQ(fields_of("kuma.system.v1alpha1.ZoneInsight"),
            "subscriptions=1 envoyAdminStreams=2 healthCheck=3 kdsStreams=4");
  EXPECT_EQ(fields_of("envoy.service.discovery.v3.DeltaDiscoveryRequest"),
            "node=1 typeUrl=2 resourceNamesSubscribe=3 resourceNamesUnsubscribe=4 resourceLocatorsSubscribe=8 "
            "resourceLocatorsUnsubscribe=9 initialResourceVersions=5 responseNonce=6 errorDetail=7");
  EXPECT_EQ(fields_of("envoy.service.discovery.v3.DeltaDiscoveryResponse"),
            "systemVersionInfo=1 resources=2 typeUrl=4 removedResources=6 removedResourceNames=8 nonce=5 "
            "controlPlane=7 resourceErrors=9");
  EXPECT_EQ(fields_of("kdsd.v1.RejectedResource"), "type=1 mesh=2 name=3 rule=4 text=5");
}

TEST(ProtoRegistryTest, ServicesHaveTheirStreamingDirections) {
  const pb::ServiceDescriptor* sync =
      pb::DescriptorPool::generated_pool()->FindServiceByName("kuma.mesh.v1alpha1.KDSSyncService");
  ASSERT_NE(sync, nullptr);
  const pb::MethodDescriptor* up = sync->FindMethodByName("ZoneToGlobalSync");
  ASSERT_NE(up, nullptr);
  EXPECT_EQ(up->input_type()->name(), "DeltaDiscoveryResponse");
  EXPECT_EQ(up->output_type()->name(), "DeltaDiscoveryRequest");
  EXPECT_TRUE(up->client_streaming() && up->server_streaming());
}

}  // namespace
}  // namespace kdsd
