// `kdsd policy …` and `kdsd inspect rules|rbac`: evaluations as tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/json.h"

#include "cli_support.h"

namespace kdsd::app::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char timeouts[] = R"({"policies":[
  {"type":"MeshTimeout","name":"a","labels":{"kuma.io/origin":"global"},"spec":{"to":[{"targetRef":{"kind":"Mesh"},
   "default":{"idleTimeout":"1s","http":{"requestTimeout":"1s"}}}]}},
  {"type":"MeshTimeout","name":"b","labels":{"kuma.io/zone":"east"},"spec":{"to":[{"targetRef":{"kind":"Mesh"},
   "default":{"http":{"requestTimeout":"2s"}}}]}}],
  "outbounds":[{"outbound":"kri_msvc_default_east_shop_catalog_"}]})";

Outcome evaluate(std::vector<std::string> arguments, const std::string& input) {
  Shell shell;
  shell.input = input;
  arguments.insert(arguments.begin(), "policy");
  arguments.insert(arguments.end(), {"-f", "-"});
  return shell.run(arguments);
}

TEST(CliPolicy, MergeSaysWhichPolicyGaveWhichField) {
  const auto outcome = evaluate({"merge", "--origin"}, timeouts);
  EXPECT_EQ(outcome.code, exit_done) << outcome.err;
  EXPECT_EQ(outcome.out,
            "OUTBOUND                              FIELD                 VALUE   ORIGIN\n"
            "kri_msvc_default_east_shop_catalog_   idleTimeout           1s      a[0]\n"
            "                                      http.requestTimeout   2s      b[0]\n");
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(CliPolicy, MergePrintsWhatTheEndpointAnswers) {
  const auto outcome = evaluate({"merge", "-o", "json"}, timeouts);
  EXPECT_EQ(outcome.code, exit_done) << outcome.err;
  const auto answer = parse_json(outcome.out);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(
      to_compact_json(*answer),
      R"({"outbounds":{"kri_msvc_default_east_shop_catalog_":{"idleTimeout":"1s","http":{"requestTimeout":"2s"}}}})");
}

TEST(CliPolicy, ACaseIsAnInputToo) {
  const auto outcome = evaluate({"merge"}, std::string(R"({"id":"x","input":)") + timeouts + "}");
  EXPECT_EQ(outcome.code, exit_done) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("http.requestTimeout   2s"));
}

constexpr char permissions[] = R"({"policies":[{"type":"MeshTrafficPermission","name":"p","spec":{"from":[
  {"targetRef":{"kind":"Mesh"},"default":{"action":"Allow"}},
  {"targetRef":{"kind":"MeshService","name":"old"},"default":{"action":"Deny"}}]}}]})";

TEST(CliPolicy, GroupsOfClientsAreSpelledOut) {
  EXPECT_EQ(evaluate({"merge"}, permissions).out,
            "CLIENTS                   FIELD    VALUE\n"
            "kuma.io/service=old       action   Deny\n"
            "not kuma.io/service=old   action   Allow\n");
  EXPECT_EQ(evaluate({"rbac"}, permissions).out,
            "RULES      ACTION   CLIENTS\n"
            "enforced   ALLOW    not spiffe://default/old\n");
}

TEST(CliPolicy, RulesOfRoutesHaveARowForEachPart) {
  const auto outcome = evaluate({"merge", "--origin"}, R"({"mergeKind":"routes","confsLowToHigh":[
      {"rules":[{"matches":[{"method":"GET"}],"default":{"filters":[]}}]},
      {"rules":[{"matches":[{"method":"GET"}],"default":{"backendRefs":[]}}]}]})");
  EXPECT_EQ(outcome.code, exit_done) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("rules[0].default.filters"));
  EXPECT_THAT(outcome.out, HasSubstr("confsLowToHigh[1]"));
}

TEST(CliPolicy, GrantsAndAttachmentAnswerInWords) {
  EXPECT_EQ(
      evaluate({"grant"}, R"({"reference":{"from":{"kind":"A","namespace":"a"},"to":{"kind":"B","namespace":"b"}}})")
          .out,
      "denied: no-grant\n");
  const auto outcome =
      evaluate({"attach", "--origin"}, R"({"chain":[{"kind":"Service","name":"s","namespace":"shop"}],"policies":[
      {"name":"old","namespace":"shop","creationTimestamp":"2026-01-01T00:00:00Z","targetRef":{"kind":"Service","name":"s"},"default":{"a":1}},
      {"name":"new","namespace":"shop","creationTimestamp":"2026-01-02T00:00:00Z","targetRef":{"kind":"Service","name":"s"},"default":{"a":2}}]})");
  EXPECT_EQ(outcome.code, exit_done) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("highest to lowest: shop/old default, shop/new default\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("conflict: a of shop/new default is not what shop/old default says, which wins\n"));
}

TEST(CliPolicy, WhatIsWrongWithTheInputIsNamed) {
  const auto outcome = evaluate({"merge"}, R"({"policies":[{"type":"MeshTimeout"}]})");
  EXPECT_EQ(outcome.code, exit_failed);
  EXPECT_THAT(outcome.err, HasSubstr("policies[0].name: must be set"));
  EXPECT_EQ(Shell().run({"policy", "merge"}).code, exit_wrong_use) << "a file is needed";
  EXPECT_EQ(evaluate({"grant"}, "{\"a\"").code, exit_failed);
}

TEST(CliInspect, RulesOfAProxyAreATable) {
  FakeServer server([](const FakeRequest& request) {
    EXPECT_EQ(request.target, "/meshes/shop/dataplanes/web-1/_rules?origin=true");
    return FakeAnswer{200, R"({"rules":[{"type":"MeshTimeout","warnings":[],"toRules":[],"fromRules":[],
      "inboundRules":[{"inbound":{"name":"http","port":80},"rules":[{"conf":[{"idleTimeout":"7s"}],
        "origin":[{"resourceMeta":{"name":"in"},"ruleIndex":0}]}]}],
      "toResourceRules":[{"conf":[{"idleTimeout":"1s"}],"fields":[[{"field":"idleTimeout","origin":["a[0]"]}]],
        "origin":[{"resourceMeta":{"name":"a"}},{"resourceMeta":{"name":"b"}}],
        "resourceMeta":{"name":"catalog","type":"MeshService"},"resourceSectionName":"main"}]}]})"};
  });
  const auto outcome =
      Shell().run({"inspect", "rules", "dataplane", "web-1", "-m", "shop", "--origin", "--address", server.address()});
  EXPECT_EQ(outcome.code, exit_done) << outcome.err;
  EXPECT_EQ(outcome.out,
            "TYPE          PLACE                              FIELD         VALUE   ORIGIN\n"
            "MeshTimeout   to MeshService catalog port main   idleTimeout   1s      a[0]\n"
            "              inbound http (80)                  idleTimeout   7s      in\n");
}

TEST(CliInspect, RulesByTagsSayForEachFieldWhichPolicyGaveIt) {
  FakeServer server([](const FakeRequest&) {
    return FakeAnswer{200, R"({"rules":[{"type":"MeshTimeout","warnings":[],"fromRules":[],"inboundRules":[],
      "toResourceRules":[],"toRules":[{"matchers":[],"conf":{"idleTimeout":"1s","connectionTimeout":"2s"},
        "fields":[{"field":"idleTimeout","origin":["a"]},{"field":"connectionTimeout","origin":["b"]}],
        "origin":[{"name":"b"},{"name":"a"}]}]}]})"};
  });
  const auto outcome =
      Shell().run({"inspect", "rules", "dataplane", "web-1", "--origin", "--address", server.address()});
  EXPECT_EQ(outcome.out,
            "TYPE          PLACE               FIELD               VALUE   ORIGIN\n"
            "MeshTimeout   to tags everybody   idleTimeout         1s      a\n"
            "                                  connectionTimeout   2s      b\n");
}

TEST(CliInspect, OfATypeThatHasNoSuchViewIsWrongUse) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"inspect", "rules", "meshtimeout", "a"},
                                             {"inspect", "rbac", "meshservice", "a"},
                                             {"inspect", "explicit", "mesh", "a"}}) {
    const auto outcome = Shell().run(arguments);
    EXPECT_EQ(outcome.code, exit_wrong_use);
    EXPECT_THAT(outcome.err, HasSubstr("`inspect " + arguments[1] + "` is for "));
  }
}

TEST(CliInspect, WhoMayCallAProxyIsATableForEachInbound) {
  FakeServer server([](const FakeRequest& request) {
    EXPECT_EQ(request.target, "/meshes/default/dataplanes/web-1/_rbac");
    return FakeAnswer{200, R"({"inbounds":[{"inbound":{"port":80},"warnings":[],"config":
      {"rules":{"action":"ALLOW","policies":{}}}}]})"};
  });
  const auto outcome = Shell().run({"inspect", "rbac", "dataplane", "web-1", "--address", server.address()});
  EXPECT_EQ(outcome.code, exit_done) << outcome.err;
  EXPECT_EQ(outcome.out,
            "inbound 80\n"
            "RULES      ACTION   CLIENTS\n"
            "enforced   ALLOW    nobody\n");
}

}  // namespace
}  // namespace kdsd::app::cli
