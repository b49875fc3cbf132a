// Which JSON values stand for which members of proto types: verdicts of a Kuma 2.13.
#include "policy/proto_shape.h"

#include <gtest/gtest.h>

#include "model/json.h"

namespace kdsd::policy {
namespace {

Result<boost::json::value> read(std::string_view type, std::string_view spec) {
  return read_proto_document(*Catalogue::builtin().find(type), *parse_json(spec));
}
std::string problem(std::string_view type, std::string_view spec) { return read(type, spec).status().message(); }
// Empty where it is refused.
std::string shown(std::string_view type, std::string_view spec) {
  const auto out = read(type, spec);
  return out.ok() ? to_compact_json(*out) : "";
}

TEST(ProtoShapeTest, FlagsAndTextsKeepTheirKind) {
  EXPECT_EQ(problem("Zone", R"({"enabled":"yes"})"), "invalid Zone object: enabled must be true or false");
  EXPECT_EQ(problem("Zone", R"({"enabled":false})"), "");
  EXPECT_EQ(problem("Dataplane", R"({"networking":{"address":3}})"),
            "invalid Dataplane object: networking.address must be a text");
  EXPECT_EQ(problem("Dataplane", R"({"networking":{"inbound":[{"tags":{"a":1}}]}})"),
            "invalid Dataplane object: networking.inbound[0].tags[\"a\"] must be a text");
  EXPECT_EQ(problem("Zone", "3"), "invalid Zone object: the document must be an object");
}

TEST(ProtoShapeTest, IntegersMayBeTextsAndUnknownMembersAreLeftOut) {
  EXPECT_EQ(shown("Dataplane", R"({"networking":{"inbound":[{"port":"80"}]},"unknown":3})"),
            R"({"networking":{"inbound":[{"port":80}]}})");
  for (const auto* port : {"80.0", "8e1", R"("080")", R"("+80")", R"("")", "true", "{}"}) {
    EXPECT_EQ(problem("Dataplane", std::string(R"({"networking":{"inbound":[{"port":)") + port + "}]}}"),
              "invalid Dataplane object: networking.inbound[0].port must be an integer")
        << port;
  }
}

TEST(ProtoShapeTest, DurationsAreThoseOfGo) {
  const auto with = [](const std::string& text) {
    return shown("Timeout", R"({"conf":{"connectTimeout":)" + text + "}}");
  };
  EXPECT_EQ(with(R"("1m")"), R"({"conf":{"connectTimeout":"60.000000000s"}})");
  EXPECT_EQ(with(R"("1h2m3.5s")"), R"({"conf":{"connectTimeout":"3723.500000000s"}})");
  EXPECT_EQ(with(R"("-1500ms")"), R"({"conf":{"connectTimeout":"-1.500000000s"}})");
  EXPECT_EQ(with(R"("0")"), R"({"conf":{"connectTimeout":"0.000000000s"}})");
  for (const auto* text : {R"("1 s")", R"("fast")", "5", R"({"seconds":5})", R"("9223372037s")"})
    EXPECT_EQ(with(text), "") << text;
}

TEST(ProtoShapeTest, EnumerationsHaveTheirWordsAndNumbers) {
  const auto with = [](const std::string& text) {
    return shown("Retry", R"({"conf":{"http":{"retriableMethods":[)" + text + "]}}}");
  };
  EXPECT_EQ(with(R"("GET")"), R"({"conf":{"http":{"retriableMethods":["GET"]}}})");
  EXPECT_EQ(with("0"), R"({"conf":{"http":{"retriableMethods":["NONE"]}}})");
  for (const auto* text : {R"("get")", R"("bogus")", R"("1")", "1.0"}) EXPECT_EQ(with(text), "") << text;
}

TEST(ProtoShapeTest, ListsAreListsAndNullInThemIsEmpty) {
  EXPECT_EQ(shown("Timeout", R"({"sources":[null],"destinations":null})"), R"({"sources":[{}]})");
  EXPECT_EQ(problem("Timeout", R"({"sources":{}})"), "invalid Timeout object: sources must be a list");
  EXPECT_EQ(shown("Timeout", R"({"sources":[{"match":{"a":null}}]})"), R"({"sources":[{"match":{"a":""}}]})");
}

TEST(ProtoShapeTest, OfMembersThatExcludeEachOtherTheLastOneCounts) {
  EXPECT_EQ(shown("MeshGatewayRoute", R"({"conf":{"http":{"rules":[]},"tcp":{"rules":[]}}})"),
            R"({"conf":{"http":{"rules":[]}}})");
}

TEST(ProtoShapeTest, DataIsBase64InWholeGroups) {
  EXPECT_EQ(shown("Secret", R"({"data":"YQ=="})"), R"({"data":"YQ=="})");
  EXPECT_EQ(shown("Secret", R"({"data":"YQ==\n"})"), R"({"data":"YQ=="})");
  for (const auto* text : {R"("YQ")", R"("Zm9-")", "{}", R"({"value":"YQ=="})"}) {
    EXPECT_EQ(shown("Secret", std::string(R"({"data":)") + text + "}"), "") << text;
  }
}

}  // namespace
}  // namespace kdsd::policy
