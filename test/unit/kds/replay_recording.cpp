#include "replay_recording.h"

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <sstream>

#include "model/json.h"
#include "model/proto_spec.h"

#include "../recorded_bytes.h"
#include "../test_data.h"
#include "envoy/service/discovery/v3/discovery.pb.h"
#include "kuma/mesh/v1alpha1/kds.pb.h"

namespace kdsd::kds::replay {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
namespace pb = google::protobuf;
namespace discovery = envoy::service::discovery::v3;

constexpr std::string_view any_prefix = "type.googleapis.com/";

std::string text_of(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

// A spec or a status: JSON as it is where the URL is empty, else the JSON form of the message that the URL names.
void write_any(const json::object& content, pb::Any& out) {
  const auto url = text_of(content, "@type");
  out.set_type_url(url);
  if (url.empty()) {
    const auto* value = content.if_contains("value");
    if (value != nullptr) out.set_value(to_wire_json(*value));
    return;
  }
  json::object members = content;
  members.erase("@type");
  // The recorder replaced long secrets by "(1675 bytes)"; any bytes do, as long as they are the same each time.
  if (text_of(members, "data").starts_with("(")) members["data"] = "AAAA";
  auto bytes = proto_from_json(std::string_view(url).substr(any_prefix.size()), members);
  EXPECT_TRUE(bytes.ok()) << bytes.status().text();
  if (bytes.ok()) out.set_value(*bytes);
}

void write_resource(const json::object& recorded, discovery::Resource& out) {
  out.set_name(text_of(recorded, "name"));
  out.set_version(text_of(recorded, "version"));
  const auto* content = recorded.if_contains("resource");
  if (content == nullptr) return;
  kuma::mesh::v1alpha1::KumaResource resource;
  if (const auto* meta = content->as_object().if_contains("meta")) {
    const auto status = pb::util::JsonStringToMessage(json::serialize(*meta), resource.mutable_meta());
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  if (const auto* spec = content->as_object().if_contains("spec"))
    write_any(spec->as_object(), *resource.mutable_spec());
  if (const auto* part = content->as_object().if_contains("status"))
    write_any(part->as_object(), *resource.mutable_status());
  out.mutable_resource()->PackFrom(resource);
}

// The bytes of a message of which only the JSON form was kept.
std::string encode(json::object message, bool is_response) {
  json::array resources;
  if (auto* found = message.if_contains("resources")) {
    resources = found->as_array();
    message.erase("resources");
  }
  discovery::DeltaDiscoveryRequest request;
  discovery::DeltaDiscoveryResponse response;
  pb::Message& out = is_response ? static_cast<pb::Message&>(response) : request;
  const auto status = pb::util::JsonStringToMessage(json::serialize(message), &out);
  EXPECT_TRUE(status.ok()) << status.ToString();
  for (const auto& resource : resources) write_resource(resource.as_object(), *response.add_resources());
  return out.SerializeAsString();
}

std::optional<StreamKind> stream_of(const json::object& recorded) {
  const auto rpc = text_of(recorded, "rpc");
  if (rpc == "GlobalToZoneSync") return StreamKind::global_to_zone;
  if (rpc == "ZoneToGlobalSync") return StreamKind::zone_to_global;
  return std::nullopt;
}

void read_message(const json::object& recorded, Event& event) {
  event.is_response = text_of(recorded, "type").ends_with("DeltaDiscoveryResponse");
  const auto* message = recorded.if_contains("message");
  // "39 resources": the JSON form lacks them, too.
  event.is_left_out = recorded.contains("message_omitted");
  if (recorded.contains("raw")) {
    event.bytes = base64_decode(recorded.at("raw").as_string());
    if (text_of(recorded, "encoding") == "gzip") event.bytes = gunzip(event.bytes);
  } else if (message != nullptr && !event.is_left_out) {
    event.bytes = encode(message->as_object(), event.is_response);
  }
  if (message == nullptr) return;
  const auto& content = message->as_object();
  event.type = text_of(content, "typeUrl");
  event.nonce = text_of(content, event.is_response ? "nonce" : "responseNonce");
  if (const auto* node = content.if_contains("node")) event.node_id = text_of(node->as_object(), "id");
  if (const auto* identity = content.if_contains("controlPlane"); identity != nullptr && event.from == Side::zone)
    event.node_id = text_of(identity->as_object(), "identifier");
  if (const auto* error = content.if_contains("errorDetail")) {
    event.is_nack = true;
    event.error_text = text_of(error->as_object(), "message");
  }
}

bool is_failure(const json::object& trailers) {
  for (const auto& header : trailers.at("headers").as_array()) {
    if (header.at(0) == "grpc-status") return header.at(1) != "0";
  }
  return false;
}

// Nothing for what is not about the sync streams.
std::optional<Event> read_event(const json::object& recorded, std::size_t index) {
  Event event;
  event.index = index;
  event.stream = stream_of(recorded);
  if (const auto* connection = recorded.if_contains("conn"))
    event.connection = static_cast<int>(connection->to_number<int>());
  event.from = text_of(recorded, "dir").starts_with("zone") ? Side::zone : Side::global;
  const auto kind = text_of(recorded, "event");
  if (kind == "note") {
    event.kind = Event::Kind::note;
    event.text = text_of(recorded, "text");
  } else if (kind == "tcp_open") {
    event.kind = Event::Kind::connected;
  } else if (kind == "goaway" || kind == "tcp_fin" || kind == "tcp_reset") {
    event.kind = Event::Kind::ended;
  } else if (!event.stream) {
    return std::nullopt;
  } else if (kind == "message") {
    if (!recorded.contains("type")) return std::nullopt;  // compressed in a way that no side understands
    event.kind = Event::Kind::message;
    read_message(recorded, event);
  } else if (kind == "headers" && event.from == Side::zone) {
    event.kind = Event::Kind::opened;
    for (const auto& header : recorded.at("headers").as_array()) {
      if (header.at(0) == "client-id") event.zone = header.at(1).as_string();
      if (header.at(0) == "features") event.features.emplace_back(header.at(1).as_string());
    }
  } else if ((kind == "trailers" && is_failure(recorded)) || kind == "rst_stream" || kind == "half_close") {
    event.kind = Event::Kind::ended;
  } else {
    return std::nullopt;
  }
  return event;
}

}  // namespace

std::string Outcome::describe() const {
  switch (kind) {
    case Kind::none:
      return "no answer";
    case Kind::ack:
      return "ACK";
    case Kind::nack:
      return "NACK \"" + text + "\"";
    case Kind::ended:
      return "end of the stream";
  }
  return "";
}

Recording Recording::read(const std::string& name) {
  std::ifstream in(test_data() / "wire" / (name + ".json"), std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  const auto content = json::parse(text.str()).as_object();
  Recording out;
  out.name_ = name;
  out.zone_ = text_of(content, "zone");
  out.global_ = text_of(content, "global");
  out.leaves_out_ = content.contains("left_out");
  const auto& events = content.at("events").as_array();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& recorded = events[i].as_object();
    if (auto event = read_event(recorded, i)) {
      out.events_.push_back(std::move(*event));
    } else if (text_of(recorded, "event") == "message") {
      ++out.others_[recorded.contains("type") ? text_of(recorded, "rpc") : "unreadable"];
    }
  }
  return out;
}

std::size_t Recording::messages() const {
  return static_cast<std::size_t>(std::count_if(events_.begin(), events_.end(),
                                                [](const Event& event) { return event.kind == Event::Kind::message; }));
}

std::size_t Recording::messages_of_zone(const std::string& zone) const {
  return static_cast<std::size_t>(std::count_if(events_.begin(), events_.end(), [&](const Event& event) {
    return event.kind == Event::Kind::message && zone_of(event.connection) == zone;
  }));
}

std::string Recording::zone_of(int connection) const {
  std::string other;  // where the connection does not tell
  for (const auto& event : events_) {
    const auto& zone = event.kind == Event::Kind::opened ? event.zone : event.node_id;
    if (zone.empty()) continue;
    if (event.connection == connection) return zone;
    if (other.empty()) other = zone;
  }
  return other;
}

bool Recording::is_opening_recorded(int connection) const {
  return std::any_of(events_.begin(), events_.end(), [&](const Event& event) {
    return event.connection == connection && event.kind == Event::Kind::opened;
  });
}

Outcome Recording::outcome(const Event& message) const {
  Outcome out;
  bool is_last_of_stream = true;  // of its sender
  bool is_last_of_connection = true;
  for (const auto& event : events_) {
    if (event.index <= message.index || event.connection != message.connection) continue;
    if (event.kind == Event::Kind::connected) break;
    const bool same_stream = event.stream == message.stream;
    if (event.kind == Event::Kind::message) {
      if (event.from == message.from) is_last_of_connection = false;
      if (event.from == message.from && same_stream) is_last_of_stream = false;
      const bool answers = same_stream && message.is_response && !event.is_response && event.type == message.type &&
                           event.nonce == message.nonce && event.from != message.from;
      if (answers) return {event.is_nack ? Outcome::Kind::nack : Outcome::Kind::ack, event.error_text};
    }
    if (event.kind == Event::Kind::ended && (same_stream || !event.stream)) {
      const bool is_last = event.stream ? is_last_of_stream : is_last_of_connection;
      if (event.from != message.from && is_last) return {Outcome::Kind::ended, ""};
      break;
    }
  }
  return out;
}

std::vector<std::string> recording_names() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(test_data() / "wire")) {
    if (entry.path().extension() == ".json") out.push_back(entry.path().stem().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace kdsd::kds::replay
