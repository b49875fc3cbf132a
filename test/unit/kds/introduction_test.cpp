// What a zone says of itself with its requests, and when that counts (kds-protocol.md 3.3; field-cases F101).
#include <gmock/gmock.h>

#include "scripted_zone.h"

namespace kdsd::kds {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr char timeout_spec[] =
    R"({"targetRef":{"kind":"Mesh"},"to":[{"targetRef":{"kind":"Mesh"},"default":{"connectionTimeout":"1s"}}]})";
constexpr char changed_spec[] =
    R"({"targetRef":{"kind":"Mesh"},"to":[{"targetRef":{"kind":"Mesh"},"default":{"connectionTimeout":"2s"}}]})";
constexpr char retry_spec[] =
    R"({"targetRef":{"kind":"Mesh"},"to":[{"targetRef":{"kind":"Mesh"},"default":{"tcp":{"maxConnectAttempt":2}}}]})";

// A zone that says per request what it wants to.
class Introduction : public testing::Test {
 protected:
  Introduction() : global_("") {
    EXPECT_TRUE(global_.put("Mesh", "", "default", "{}").ok());
    EXPECT_TRUE(global_.put("MeshTimeout", "default", "t", timeout_spec).ok());
    EXPECT_TRUE(global_.put("MeshRetry", "default", "r", retry_spec).ok());
    auto opened = global_.core->opened({StreamKind::global_to_zone, "old", "c1", {}, false});
    EXPECT_TRUE(opened.ok());
    id_ = *opened;
    global_.step();
  }

  // The name of the one resource that the zone is sent for it.
  std::string ask(const std::string& type, const std::string& version) {
    Request request;
    request.type = type;
    request.node_id = "old";
    request.subscribe = {"*"};
    // Only a request without a nonce is written with metadata.
    if (version.empty()) request.nonce = "none";
    request.node.kuma_version = version;
    request.node.features = Features({"hash-suffix"});
    global_.core->received(id_, encode_request(request));
    global_.step();
    for (const auto& sent : std::exchange(global_.outgoing, {})) {
      auto response = decode_response(sent.bytes, Catalogue::builtin());
      if (!response.ok() || response->resources.size() != 1U) return "?";
      return response->resources.front().resource.name;
    }
    return "";
  }
  const Sender& sender() { return *global_.core->sender_of("old"); }

  TestPlane global_;
  StreamId id_ = 0;
};

TEST_F(Introduction, CountsWhenTheFirstRequestHasIt) {
  EXPECT_NE(ask("MeshTimeout", "2.13.10"), "t") << "a hashed name";
  EXPECT_TRUE(sender().features().has("hash-suffix"));
  EXPECT_NE(ask("MeshRetry", ""), "r") << "said once for all types";
  EXPECT_EQ(sender().node().kuma_version, "2.13.10");
}

TEST_F(Introduction, CountsFromTheRequestThatHasItFirst) {
  EXPECT_EQ(ask("MeshTimeout", ""), "t") << "who said nothing has no features";
  EXPECT_NE(ask("MeshRetry", "2.13.10"), "r");
  EXPECT_EQ(sender().node().kuma_version, "2.13.10");
  EXPECT_THAT(global_.logged, Contains(HasSubstr("version=2.13.10")));
  // Later ones change nothing, and a type keeps the form in which it began.
  ask("MeshHTTPRoute", "2.14.0");
  EXPECT_EQ(sender().node().kuma_version, "2.13.10");
  ASSERT_TRUE(global_.put("MeshTimeout", "default", "t", changed_spec).ok());
  EXPECT_EQ(ask("MeshTimeout", ""), "t");
}

TEST(Size, OfAMessageThatIsTooLargeIsToldWithItsTypeAndTheLimit) {
  CoreOptions options;
  options.message_bytes_max = 2000;
  TestPlane global("", options);
  auto opened = global.core->opened({StreamKind::zone_to_global, "east", "c1", {"hash-suffix"}, false});
  ASSERT_TRUE(opened.ok());
  global.step();
  ResponseHead head;
  head.type = "MeshService";
  head.nonce = "1";
  head.sender = "east";
  head.removed = {std::string(3000, 'x') + ".default"};
  const auto bytes = encode_response_head(head);
  global.core->received(*opened, bytes);
  global.step();
  const auto text =
      "a message of MeshService has " + std::to_string(bytes.size()) + " bytes, more than the limit of 2000";
  EXPECT_EQ(global.ended[*opened], text);
  EXPECT_THAT(global.logged, Contains("peer=east refused=\"" + text + "\""));
}

TEST(Size, OfAMessageThatIsNoResponseIsToldWithoutAType) {
  const auto told = [](const std::string& bytes) { return too_large_text(bytes, 1, Catalogue::builtin()); };
  EXPECT_EQ(told("\xff\xff\xff"), "a message has 3 bytes, more than the limit of 1");
  EXPECT_EQ(told(std::string("\x22\x7fMesh", 6)), "a message has 6 bytes, more than the limit of 1");
  EXPECT_EQ(told(std::string("\x22\x04Mosh", 6)), "a message has 6 bytes, more than the limit of 1");
}

}  // namespace
}  // namespace kdsd::kds
