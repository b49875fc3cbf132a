// What a peer sends that would stop others, fill the store, or take what is another's (kds-protocol.md 6, 13).
#include <gmock/gmock.h>

#include "kds/inbound.h"
#include "model/hash.h"

#include "kuma/system/v1alpha1/zone.pb.h"
#include "scripted_zone.h"

namespace kdsd::kds {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Resource service(const std::string& name, const std::string& spec, Labels labels = {}) {
  Resource out;
  out.type = Catalogue::builtin().find("MeshService");
  out.mesh = "default";
  out.name = name;
  out.labels = std::move(labels);
  out.spec = spec;  // as it came: what a document cannot say, the wire can
  return out;
}

class OfAZone : public testing::Test {
 protected:
  OfAZone() { EXPECT_TRUE(global_.put("Mesh", "", "default", "{}").ok()); }

  Receiving from(const std::string& zone) const {
    Receiving out;
    out.control_plane = global_.core->options().control_plane;
    out.zone = zone;
    out.relays_as = &global_.core->sending();
    return out;
  }
  std::string refusal(const Resource& resource) {
    const auto applied = global_.take(resource, from("west"));
    return applied.rejected.empty() ? "" : applied.rejected.front().text;
  }

  TestPlane global_{""};
};

// A decoder that does not look at the case takes `Ports` for `ports`.
TEST_F(OfAZone, MembersWrittenInAnotherCaseAreRefused) {
  EXPECT_THAT(refusal(service("a", R"({"ports":[{"port":80}],"Ports":5})")),
              HasSubstr("spec.Ports: has to be written as ports"));
  EXPECT_THAT(refusal(service("a", "{\"port\u017f\":7}")), HasSubstr("has to be written as ports"));
  EXPECT_EQ(refusal(service("a", R"({"ports":[{"port":80}],"portsOfLater":5})")), "") << "a member of a later version";
}

TEST_F(OfAZone, NumbersThatTheirMemberCannotHoldAreRefused) {
  for (const auto* port : {"80.0", "8e1", "4294967295", "2147483648"}) {
    EXPECT_NE(refusal(service("a", std::string(R"({"ports":[{"port":)") + port + "}]}")), "") << port;
  }
  for (const auto* port : {"80.0", "1.5", "9007199254740991"}) {
    EXPECT_NE(refusal(service("a", std::string(R"({"ports":[{"port":80,"targetPort":)") + port + "}]}")), "") << port;
  }
  EXPECT_EQ(refusal(service("a", R"({"ports":[{"port":80,"targetPort":2147483647}]})")), "");
}

TEST_F(OfAZone, NameUnderWhichItIsRelayedEndsBetweenCharacters) {
  auto timeout = service("a", R"({"to":[{"targetRef":{"kind":"Mesh"},"default":{"connectionTimeout":"1s"}}]})",
                         {{"kuma.io/display-name", std::string(235, 'a') + "\u00e9"}});
  timeout.type = Catalogue::builtin().find("MeshTimeout");
  EXPECT_EQ(refusal(timeout), "");
  const auto held = global_.find("MeshTimeout", "default", "a");
  ASSERT_TRUE(held);
  const auto sent = wire_name(*held, global_.core->sending());
  EXPECT_TRUE(sent.starts_with(std::string(235, 'a') + "-")) << sent;
  timeout.labels.set("kuma.io/display-name", std::string(254, 'a'));
  EXPECT_THAT(refusal(timeout), HasSubstr("display-name: value length"));
}

TEST_F(OfAZone, TwoOfOneBatchThatAreRelayedUnderOneNameAreOneTooMany) {
  const Labels labels = {{"kuma.io/display-name", "a"}, {"kuma.io/zone", "west"}};
  const auto hashed = canonical_name("default", "a", labels);
  Incoming incoming;
  incoming.type = Catalogue::builtin().find("MeshService");
  incoming.response.resources = {{service(hashed, "{}", labels), "", {}}, {service("plain", "{}", labels), "", {}}};
  Applied applied;
  EXPECT_TRUE(global_
                  .write([&](Transaction& transaction) {
                    applied = apply_incoming(transaction, incoming, from("west"));
                    return Status();
                  })
                  .ok());
  ASSERT_THAT(applied.rejected, SizeIs(1));
  EXPECT_EQ(applied.rejected.front().rule, "conflict");
  EXPECT_THAT(global_.names("MeshService"), ElementsAre(hashed));
}

TEST_F(OfAZone, NameHashedForAnotherZoneIsRefusedWhereZonesProveTheirs) {
  const Labels of_east = {{"kuma.io/display-name", "web"}, {"kuma.io/zone", "east"}};
  const auto name = canonical_name("default", "web", of_east);
  auto proving = from("west");
  proving.zones_prove_names = true;
  EXPECT_THAT(global_.take(service(name, "{}", of_east), proving).rejected, SizeIs(1));
  EXPECT_THAT(global_.take(service(name, "{}", of_east), from("west")).rejected, IsEmpty()) << "as a Kuma global";
}

TEST_F(OfAZone, LongReasonIsCutAndStillNamesTheResource) {
  const auto applied =
      global_.take(service("a", R"({"ports":[{"port":")" + std::string(300'000, 'x') + R"("}]})"), from("west"));
  EXPECT_TRUE(applied.nack_text.starts_with("MeshService \"a\" mesh \"default\": ")) << applied.nack_text.substr(0, 99);
  EXPECT_LE(applied.nack_text.size(), limits::nack_line_bytes);
}

std::string response_with_labels(std::size_t count, std::size_t value_bytes) {
  const auto field = [](int number, const std::string& content) {
    std::string out(1, static_cast<char>(number << 3 | 2));
    auto size = content.size();
    for (; size > 127; size >>= 7) out += static_cast<char>((size & 127) | 128);
    return out + static_cast<char>(size) + content;
  };
  auto meta = field(1, "a") + field(2, "default");
  for (std::size_t i = 0; i < count; ++i) {
    meta += field(6, field(1, "k" + std::to_string(i)) + field(2, std::string(value_bytes, 'v')));
  }
  const auto any = field(1, "type.googleapis.com/kuma.mesh.v1alpha1.KumaResource") +
                   field(2, field(1, meta) + field(2, field(2, "{}")));
  return field(2, field(2, any)) + field(4, "MeshService");
}

TEST(ReceivedLabels, AreBoundedInNumberAndBytes) {
  const auto problem = [](std::size_t count, std::size_t value_bytes) {
    const auto response = decode_response(response_with_labels(count, value_bytes), Catalogue::builtin());
    EXPECT_TRUE(response.ok());
    if (!response.ok() || response->resources.size() != 1U) return std::string("?");
    const auto& received = response->resources.front();
    EXPECT_EQ(received.resource.labels.size(), received.problem.ok() ? count : 0U);
    return received.problem.message();
  };
  EXPECT_EQ(problem(kdsd::limits::labels_max, 1), "");
  EXPECT_THAT(problem(kdsd::limits::labels_max + 1, 1), HasSubstr("labels: more than 1000"));
  EXPECT_THAT(problem(10, kdsd::limits::label_bytes_max / 10), HasSubstr("bytes"));
}

Request first_request(const std::string& type) {
  Request out;
  out.type = type;
  out.node_id = "old";
  out.subscribe = {"*"};
  return out;
}

TEST(RequestsOfAPeer, SayOnlySoMuchAboutWhatItHolds) {
  auto request = first_request("MeshTimeout");
  for (std::size_t i = 0; i <= limits::held_versions; ++i) request.held["t" + std::to_string(i)] = "v";
  EXPECT_THAT(decode_request(encode_request(request))->held, IsEmpty());
  request.held.erase("t0");
  EXPECT_THAT(decode_request(encode_request(request))->held, SizeIs(limits::held_versions));
}

TEST(RequestsOfAPeer, SayOnlySoMuchAboutThePeer) {
  auto request = first_request("MeshTimeout");
  request.node.instance_id = std::string(255, 'i') + "\u00e9";
  request.node.kuma_version = std::string(1000, '2');
  request.node.config = std::string(limits::node_config_bytes + 1, 'c');
  request.node.features = Features(std::vector<std::string>(100, "f"));
  const auto node = decode_request(encode_request(request))->node;
  EXPECT_EQ(node.instance_id, std::string(255, 'i'));
  EXPECT_EQ(node.kuma_version.size(), limits::node_text_bytes);
  EXPECT_EQ(node.config, "");
  // Cut between characters it would have the length that is allowed.
  request.node.config = std::string(limits::node_config_bytes, 'c') + "\u00e9";
  EXPECT_EQ(decode_request(encode_request(request))->node.config, "");
  EXPECT_THAT(node.features.names(), SizeIs(limits::node_features));
}

TEST(RequestsOfAPeer, WithALongTypeEndTheStreamAndUnknownTypesAreNotKept) {
  TestPlane global("");
  auto opened = global.core->opened({StreamKind::global_to_zone, "old", "c1", {"hash-suffix"}, false});
  ASSERT_TRUE(opened.ok());
  global.step();
  for (const auto* type : {"Mesh", "Later"}) {
    global.core->received(*opened, encode_request(first_request(type)));
    global.step();
  }
  global.pass(11);  // by then it is written again
  kuma::system::v1alpha1::ZoneInsight insight;
  ASSERT_TRUE(insight.ParseFromString(global.find("ZoneInsight", "", "old")->spec));
  const auto& stat = insight.subscriptions(0).status().stat();
  EXPECT_TRUE(stat.contains("Mesh"));
  EXPECT_FALSE(stat.contains("Later"));
  global.core->received(*opened, encode_request(first_request(std::string(limits::type_name_bytes + 1, 'T'))));
  global.step();
  EXPECT_EQ(global.ended[*opened], "type_url is no name of a type");
}

std::string patch(std::size_t bytes) {
  return R"({"targetRef":{"kind":"Mesh"},"default":{"appendModifications":[{"cluster":{"operation":"Add","value":")" +
         std::string(bytes, 'x') + R"("}}]}})";
}

// field-cases F053: what goes into no message must not take the stream along.
class FitsIntoNoMessage : public testing::Test {
 protected:
  FitsIntoNoMessage() : global_("", bounded()) {
    EXPECT_TRUE(global_.put("Mesh", "", "default", "{}").ok());
    node_.features = Features(own_node_features());
  }
  static CoreOptions bounded() {
    CoreOptions options;
    options.message_bytes_max = 8000;
    return options;
  }
  void put(const std::string& name, std::size_t bytes) {
    ASSERT_TRUE(global_.put("MeshProxyPatch", "default", name, patch(bytes)).ok());
  }

  TestPlane global_;
  NodeInfo node_;
};

TEST_F(FitsIntoNoMessage, ResourceIsLeftOutAloneAndToldOnce) {
  put("small", 10);
  ScriptedZone zone(global_, node_, "MeshProxyPatch");
  zone.acknowledge();
  for (const std::size_t bytes : {9000, 9001}) put("large", bytes);
  put("other", 10);
  zone.acknowledge();
  EXPECT_THAT(zone.held, SizeIs(2));
  const auto told = std::count_if(global_.logged.begin(), global_.logged.end(), [](const std::string& line) {
    return line.find("held-back=\"MeshProxyPatch/default/large has ") != std::string::npos;
  });
  EXPECT_EQ(told, 1);
  ResumeToken token;
  ASSERT_TRUE(ResumeToken::parse(zone.token, token));
  EXPECT_LT(
      token.revision,
      global_.core->index().find_entry({Catalogue::builtin().find("MeshProxyPatch"), "default", "large"})->revision)
      << "a token never claims what is not held";
  put("large", 100);
  zone.acknowledge();
  EXPECT_THAT(zone.held, SizeIs(3)) << "it has become smaller";
}

// Complete without it, the state would make the peer delete what it has of the resource.
TEST_F(FitsIntoNoMessage, ResourceHoldsBackAFirstState) {
  put("small", 10);
  put("large", 9000);
  ScriptedZone zone(global_, node_, "MeshProxyPatch");
  EXPECT_THAT(zone.held, IsEmpty());
  EXPECT_THAT(global_.logged, Contains(HasSubstr("held-back=\"MeshProxyPatch/default/large has ")));
  put("large", 100);
  global_.pass(3);
  zone.acknowledge();
  EXPECT_THAT(zone.held, SizeIs(2));
}

}  // namespace
}  // namespace kdsd::kds
