#include "policy/schema.h"

#include "policy/duration.h"
#include "policy/outcome.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

const ResourceType& type_of(std::string_view name) { return *Catalogue::builtin().find(name); }

SchemaOutcome check(std::string_view type, std::string_view spec) { return check_schema(type_of(type), json_of(spec)); }

std::string refusals(std::string_view type, std::string_view spec) { return joined(check(type, spec).violations); }

TEST(SchemaTest, DocumentWithoutASpecIsRefusedWithAnEmptyField) {
  const auto outcome = check("MeshTimeout", "null");
  ASSERT_EQ(outcome.violations.size(), 1U);
  EXPECT_EQ(outcome.violations[0], (Violation{"", ".spec in body is required"}));
}

TEST(SchemaTest, DefaultsAreFilledInAndUnknownMembersDropped) {
  const auto outcome =
      check("MeshExternalService", R"({"match":{"port":443,"colour":"red"},"endpoints":null,"tls":{"version":{}}})");
  ASSERT_TRUE(outcome.ok()) << joined(outcome.violations);
  EXPECT_TRUE(json_equal(outcome.spec, json_of(R"({"match":{"port":443,"protocol":"tcp","type":"HostnameGenerator"},
      "tls":{"allowRenegotiation":false,"enabled":false,"version":{"max":"TLSAuto","min":"TLSAuto"}}})")))
      << to_compact_json(outcome.spec);
}

TEST(SchemaTest, WrittenValuesWinOverDefaultsAndKeepTheirOrder) {
  const auto outcome = check("MeshService", R"({"state":"Available","ports":[{"targetPort":"http","port":80}]})");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(to_compact_json(outcome.spec),
            R"({"state":"Available","ports":[{"targetPort":"http","port":80,"appProtocol":"tcp"}]})");
}

TEST(SchemaTest, MapsAndFreeMembersAreKept) {
  const auto generator =
      check("HostnameGenerator", R"({"template":"x","extension":{"type":"a","config":{"deep":[1,null]}},
      "selector":{"meshService":{"matchLabels":{"any.key/at.all":"v"}}}})");
  ASSERT_TRUE(generator.ok());
  EXPECT_EQ(to_compact_json(*find(generator.spec, {"extension", "config"})), R"({"deep":[1,null]})");
  EXPECT_EQ(find_text(generator.spec, {"selector", "meshService", "matchLabels", "any.key/at.all"}), "v");
  EXPECT_EQ(refusals("HostnameGenerator", R"({"template":"x","selector":{"meshService":{"matchLabels":{"a.b":3}}}})"),
            R"(spec.selector.meshService.matchLabels["a.b"]: in body must be of type string: "number")");
}

TEST(SchemaTest, EveryKindOfRuleHasItsText) {
  EXPECT_EQ(refusals("MeshService", R"({"state":"Maybe"})"),
            "spec.state: in body should be one of [Available Unavailable]");
  EXPECT_EQ(refusals("MeshExternalService", R"({"match":{"port":0}})"),
            "spec.match.port: in body should be greater than or equal to 1");
  EXPECT_EQ(refusals("MeshExternalService", R"({"match":{"port":65536}})"),
            "spec.match.port: in body should be less than or equal to 65535");
  EXPECT_EQ(refusals("MeshExternalService", R"({"match":{"port":1.5}})"),
            R"(spec.match.port: in body must be of type integer: "number")");
  EXPECT_EQ(refusals("MeshExternalService", R"({"match":{"port":1},"endpoints":[{"address":"","port":1}]})"),
            "spec.endpoints[0].address: in body should be at least 1 chars long");
  EXPECT_EQ(refusals("MeshTrust", R"({"trustDomain":"a","caBundles":[]})"),
            "spec.caBundles: in body should have at least 1 items");
  EXPECT_EQ(refusals("MeshTrust", R"({"trustDomain":")" + std::string(254, 'a') + R"(","caBundles":[{"type":"Pem"}]})"),
            "spec.trustDomain: in body should be at most 253 chars long");
  EXPECT_EQ(refusals("MeshTrace", R"({"default":{"backends":[{"type":"Zipkin"},{"type":"Zipkin"}]}})"),
            "spec.default.backends: in body should have at most 1 items");
  EXPECT_EQ(refusals("MeshService", R"({"ports":[{"port":1,"targetPort":true}]})"),
            "spec.ports[0].targetPort: in body must validate at least one schema (anyOf)");
}

TEST(SchemaTest, NumbersBeyondTheWidthOfTheirFormatAreOfAnotherType) {
  const auto port = [](const std::string& number) {
    return refusals("MeshService", R"({"ports":[{"port":)" + number + "}]}");
  };
  for (const auto* number :
       {"2147483648", "4294967295", "-2147483649", "9223372036854775808", "18446744073709551615"}) {
    EXPECT_EQ(port(number), R"(spec.ports[0].port: in body must be of type int32: ")" + std::string(number) + "\"");
  }
  for (const auto* number : {"2147483647", "-2147483648"}) EXPECT_EQ(port(number), "") << number;
  for (const auto* number : {"80.0", "8e1"}) EXPECT_NE(port(number), "") << number;
  // Members without a sign carry the same format.
  const auto backend = [](const std::string& number) {
    return refusals("MeshTCPRoute", R"({"to":[{"targetRef":{"kind":"MeshService","name":"a"},
        "rules":[{"default":{"backendRefs":[{"kind":"MeshService","name":"a","port":)" +
                                        number + "}]}}]}]}");
  };
  EXPECT_EQ(backend("4294967295"), "");
  for (const auto* number : {"-1", "4294967296"}) EXPECT_NE(backend(number), "") << number;
  const auto attempts = [](const std::string& number) {
    return refusals("MeshRetry", R"({"to":[{"targetRef":{"kind":"Mesh"},
        "default":{"http":{"hostSelectionMaxAttempts":)" +
                                     number + "}}}]}");
  };
  EXPECT_EQ(attempts("9223372036854775807"), "");
  EXPECT_EQ(
      attempts("9223372036854775808"),
      R"(spec.to[0].default.http.hostSelectionMaxAttempts: in body must be of type int64: "9223372036854775808")");
}

TEST(SchemaTest, PatternsAreMatchedAndLongTextsCannotExhaustTheStack) {
  const auto route = [](const std::string& name) {
    return R"({"to":[{"targetRef":{"kind":"MeshService","name":"a"},"rules":[{"default":{},"matches":[{"headers":[{"name":")" +
           name + R"(","value":"x"}]}]}]}]})";
  };
  EXPECT_EQ(refusals("MeshHTTPRoute", route("x-team")), "");
  EXPECT_TRUE(
      refusals("MeshHTTPRoute", route("X Team")).ends_with("in body should match '^[a-z0-9!#$%&'*+\\-.^_\\x60|~]+$'"));
  EXPECT_NE(refusals("MeshHTTPRoute", route(std::string(200'000, 'a'))), "");
}

TEST(SchemaTest, ItemOfFromWithoutReferenceMeansTheWholeMesh) {
  const auto outcome =
      check("MeshTrafficPermission", R"({"from":[{"default":{"action":"Allow"}},{"targetRef":{},"default":{}}]})");
  ASSERT_TRUE(outcome.ok()) << joined(outcome.violations);
  for (const auto& item : find(outcome.spec, {"from"})->get_array())
    EXPECT_EQ(find_text(item, {"targetRef", "kind"}), "Mesh");
}

TEST(SchemaTest, AllSpellingsOfActionsPassTheSchema) {
  EXPECT_EQ(
      refusals("MeshTrafficPermission", R"({"from":[{"targetRef":{"kind":"Mesh"},"default":{"action":"ALLOW"}}]})"),
      "");
}

TEST(SchemaTest, TypesWithoutASchemaPassUnchanged) {
  const auto spec = json_of(R"({"anything":[1]})");
  const auto outcome = check_schema(type_of("Mesh"), spec);
  EXPECT_TRUE(outcome.ok());
  EXPECT_TRUE(json_equal(outcome.spec, spec));
}

TEST(DecodeTest, DurationsAndBase64AreRefusedWithTheirPlace) {
  const auto problem = [](std::string_view type, std::string_view spec) {
    return check_decodes(type_of(type), json_of(spec)).message();
  };
  EXPECT_EQ(problem("MeshTimeout", R"({"to":[{"default":{"connectionTimeout":"fast"}}]})"),
            R"(invalid MeshTimeout object: spec.to[0].default.connectionTimeout: invalid duration "fast")");
  EXPECT_EQ(
      problem("MeshTimeout", R"({"to":[{"default":{"connectionTimeout":"1h0m0s","http":{"requestTimeout":"0s"}}}]})"),
      "");
  EXPECT_EQ(problem("MeshFaultInjection", R"({"to":[{"default":{"http":[{"delay":{"value":"x","percentage":1}}]}}]})"),
            R"(invalid MeshFaultInjection object: spec.to[0].default.http[0].delay.value: invalid duration "x")");
  EXPECT_EQ(problem("MeshExternalService", R"({"tls":{"verification":{"caCert":{"inline":"%%%"}}}})"),
            "invalid MeshExternalService object: spec.tls.verification.caCert.inline: illegal base64 data");
}

TEST(DurationTest, GoSpellingsAreRead) {
  EXPECT_EQ(parse_go_duration("0"), 0);
  EXPECT_EQ(parse_go_duration("1h0m0s"), 3'600'000'000'000);
  EXPECT_EQ(parse_go_duration("1.5s"), 1'500'000'000);
  EXPECT_EQ(parse_go_duration("0.1s"), 100'000'000);
  EXPECT_EQ(parse_go_duration(".5ms"), 500'000);
  EXPECT_EQ(parse_go_duration("-25ms"), -25'000'000);
  EXPECT_EQ(parse_go_duration("3us2ns"), 3'002);
  EXPECT_EQ(parse_go_duration("9223372036854775807ns"), 9'223'372'036'854'775'807);
  for (std::string_view bad :
       {"", "-", "5", "s", "1x", "1 s", ".s", "1s2", "9223372036854775808ns", "300000000000h", "1.2.3s"}) {
    EXPECT_EQ(parse_go_duration(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace kdsd::policy
