// apply, get, delete and zones against a small server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "app/cli/rest_client.h"

#include "cli_support.h"

namespace kdsd::app::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* slow =
    "type: MeshTimeout\nmesh: default\nname: slow\n"
    "spec:\n  to:\n    - targetRef: {kind: Mesh}\n      default: {connectionTimeout: 10s}\n";

constexpr const char* slow_path = "/meshes/default/meshtimeouts/slow";

std::string stored_slow(const std::string& timeout, const std::string& labels = R"({"kuma.io/mesh":"default"})") {
  return R"({"type":"MeshTimeout","mesh":"default","name":"slow","creationTime":"2026-01-01T00:00:00Z",
    "modificationTime":"2026-01-01T00:00:00Z","labels":)" +
         labels +
         R"(,"kri":"kri_mt_default___slow_","spec":{"targetRef":{"kind":"Mesh"},"to":[{"targetRef":{"kind":"Mesh"},
    "default":{"connectionTimeout":")" +
         timeout + R"("}}]}})";
}

constexpr const char* missing = R"({"title":"Could not retrieve a resource","detail":"Not found"})";

// Answers by "METHOD /path"; everything else is not there.
FakeServer::Handler answers(std::map<std::string, FakeAnswer> known) {
  return [known = std::move(known)](const FakeRequest& request) {
    const auto found = known.find(request.method + " " + request.target);
    return found == known.end() ? FakeAnswer{404, missing} : found->second;
  };
}

Outcome apply_text(const FakeServer& server, const std::string& text) {
  Shell shell;
  shell.input = text;
  return shell.run({"apply", "--address", server.address(), "-f", "-"});
}

TEST(CliApply, WhatIsNotThereIsCreated) {
  FakeServer server(answers({{std::string("PUT ") + slow_path, {201, "{}"}}}));
  const auto outcome = apply_text(server, slow);
  EXPECT_EQ(outcome.out, "MeshTimeout/default/slow created\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(server.lines(), ElementsAre(std::string("GET ") + slow_path, std::string("PUT ") + slow_path));
  EXPECT_EQ(server.requests()[1].accept, "application/json");
  EXPECT_THAT(server.requests()[1].body, StartsWith(R"({"type":"MeshTimeout","mesh":"default","name":"slow")"));
}

TEST(CliApply, AnotherSpecIsAnUpdate) {
  FakeServer server(answers({{std::string("GET ") + slow_path, {200, stored_slow("9s")}},
                             {std::string("PUT ") + slow_path, {200, R"({"warnings":["old field"]})"}}}));
  const auto outcome = apply_text(server, slow);
  EXPECT_EQ(outcome.out, "MeshTimeout/default/slow updated\n");
  EXPECT_EQ(outcome.err, "Warning: MeshTimeout/default/slow: old field\n");
}

TEST(CliApply, ALabelThatTheFileNoLongerHasIsAnUpdate) {
  FakeServer server(answers({{std::string("GET ") + slow_path, {200, stored_slow("10s", R"({"team":"a"})")}},
                             {std::string("PUT ") + slow_path, {200, "{}"}}}));
  EXPECT_EQ(apply_text(server, slow).out, "MeshTimeout/default/slow updated\n");
}

TEST(CliApply, TheSameIsNotSentAgain) {
  const std::string text = std::string(slow).insert(std::string(slow).find("spec:"), "labels: {team: a}\n");
  FakeServer server(
      answers({{std::string("GET ") + slow_path,
                {200, stored_slow("10s", R"({"kuma.io/mesh":"default","kuma.io/origin":"zone","team":"a"})")}}}));
  // The top-level reference that the server shows is not in the file: a spec with one is another spec.
  const std::string with_target = std::string(text).replace(text.find("  to:"), 0, "  targetRef: {kind: Mesh}\n");
  const auto outcome = apply_text(server, with_target);
  EXPECT_EQ(outcome.out, "MeshTimeout/default/slow unchanged\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(server.lines(), ElementsAre(std::string("GET ") + slow_path));
}

TEST(CliApply, AfterARefusalTheOthersAreStillApplied) {
  FakeServer server(answers({{"PUT /meshes/default/meshtimeouts/bad",
                              {400, R"({"title":"Could not process a resource","detail":"Resource is not valid",
                                "invalid_parameters":[{"field":"spec.to[2].default.idleTimeout","reason":"must be positive"}]})"}},
                             {std::string("PUT ") + slow_path, {201, "{}"}}}));
  const std::string bad = std::string(slow).replace(std::string(slow).find("slow"), 4, "bad");
  const auto outcome = apply_text(server, bad + "---\ntype: Nonsense\nname: x\n---\n" + slow);
  EXPECT_EQ(outcome.out,
            "MeshTimeout/default/bad refused: Could not process a resource (Resource is not valid)\n"
            "  spec.to[2].default.idleTimeout: must be positive\n"
            "standard input, document 2 refused: unknown type \"Nonsense\"\n"
            "MeshTimeout/default/slow created\n");
  EXPECT_EQ(outcome.code, 1);
}

TEST(CliApply, AKubernetesDocumentGoesToItsAddressOnBothKindsOfControlPlane) {
  const std::string text =
      "apiVersion: kuma.io/v1alpha1\nkind: MeshTimeout\nmetadata: {name: a.b, namespace: shop, labels: {kuma.io/mesh: "
      "m}}\n"
      "spec: {to: []}\n";
  FakeServer universal(answers(
      {{"GET /config", {200, R"({"environment":"universal"})"}}, {"PUT /meshes/m/meshtimeouts/a.b", {201, "{}"}}}));
  EXPECT_EQ(apply_text(universal, text).out, "MeshTimeout/m/a.b created\n");
  const std::string config = R"({"environment":"kubernetes","store":{"kubernetes":{"systemNamespace":"mesh-system"}}})";
  FakeServer namespaced(answers({{"GET /config", {200, config}},
                                 {"PUT /meshes/m/meshtimeouts/a.b.shop", {201, "{}"}},
                                 {"PUT /meshes/m/meshtimeouts/a.b.mesh-system", {201, "{}"}}}));
  EXPECT_EQ(apply_text(namespaced, text).out, "MeshTimeout/m/a.b.shop created\n");
  const std::string without = std::string(text).replace(text.find(", namespace: shop"), 17, "");
  EXPECT_EQ(apply_text(namespaced, without).out, "MeshTimeout/m/a.b.mesh-system created\n");
}

TEST(CliApply, ADryRunNeedsNoServerAndShowsWhatWouldBeSent) {
  Shell shell;
  shell.input = slow;
  const auto good = shell.run({"apply", "--dry-run", "-f", "-"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, StartsWith("# PUT /meshes/default/meshtimeouts/slow\ntype: MeshTimeout\n"));
  shell.input = std::string(slow).replace(std::string(slow).find("10s"), 3, "fast");
  const auto bad = shell.run({"apply", "--dry-run", "-f", "-"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, IsEmpty());
  EXPECT_THAT(bad.err, HasSubstr("MeshTimeout/default/slow refused:"));
}

TEST(CliApply, AServerThatIsNotThereEndsTheRun) {
  std::string address;
  {
    FakeServer gone(answers({}));
    address = gone.address();
  }
  Shell shell;
  shell.input = std::string(slow) + "---\n" + slow;
  const auto outcome = shell.run({"apply", "--address", address, "-f", "-"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("MeshTimeout/default/slow refused: cannot reach " + address));
  EXPECT_THAT(outcome.err, HasSubstr("1 more document(s) were not sent"));
}

TEST(CliClient, TokenAndAddressComeFromTheEnvironmentUnlessAFlagSaysOtherwise) {
  FakeServer server(answers({{"GET /base/meshes?size=1000", {200, R"({"total":0,"items":[],"next":null})"}}}));
  Shell shell;
  shell.environment = {{"KDSD_ADDRESS", server.address() + "/base/"}, {"KDSD_TOKEN", "from-variable"}};
  EXPECT_EQ(shell.run({"get", "meshes"}).code, 0);
  EXPECT_EQ(shell.run({"get", "meshes", "--token", "from-flag"}).code, 0);
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[0].authorization, "Bearer from-variable");
  EXPECT_EQ(server.requests()[1].authorization, "Bearer from-flag");
}

TEST(CliClient, AConnectionThatTheServerDroppedIsOpenedAgain) {
  FakeServer server([](const FakeRequest&) { return FakeAnswer{200, "{}", true}; });
  auto client = RestClient::create({.address = server.address()});
  ASSERT_TRUE(client.ok());
  for (int i = 0; i < 3; ++i) {
    const auto answer = client->get("/");
    ASSERT_TRUE(answer.ok()) << answer.status().message();
    EXPECT_EQ(answer->status, 200);
  }
}

TEST(CliClient, AnAnswerThatDoesNotComeIsGivenUp) {
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor silent(io, {boost::asio::ip::make_address("127.0.0.1"), 0});
  auto client = RestClient::create({.address = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port()),
                                    .timeout = std::chrono::milliseconds(1)});
  ASSERT_TRUE(client.ok());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client->get("/");
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.status().message(), HasSubstr("no answer within"));
  }
}

TEST(CliGet, FollowsPagesByTheirOffsetAlone) {
  const auto page = [](const std::string& name, const std::string& next) {
    return R"({"total":2,"items":[{"type":"MeshTimeout","mesh":"m","name":")" + name +
           R"(","labels":{"kuma.io/zone":"east","kuma.io/origin":"zone"},"spec":{}}],"next":)" + next + "}";
  };
  FakeServer server(
      answers({{"GET /meshtimeouts?size=1000", {200, page("a", R"("http://proxy:1/x?offset=k%3A2&size=1000")")}},
               {"GET /meshtimeouts?size=1000&offset=k%3A2", {200, page("b", "null")}}}));
  const auto outcome = Shell().run({"get", "MeshTimeout", "--address", server.address()});
  EXPECT_EQ(outcome.out,
            "MESH   NAME   TARGET   ZONE   ORIGIN   AGE\n"
            "m      a      Mesh     east   zone     -\n"
            "m      b      Mesh     east   zone     -\n");
  EXPECT_EQ(outcome.code, 0);
}

TEST(CliGet, OneResourceAsYamlAndJson) {
  FakeServer server(answers({{std::string("GET ") + slow_path, {200, stored_slow("10s")}}}));
  const auto yaml = Shell().run({"get", "meshtimeout", "slow", "-o", "yaml", "--address", server.address()});
  EXPECT_THAT(yaml.out, StartsWith("type: MeshTimeout\nmesh: default\nname: slow\n"));
  const auto json = Shell().run({"get", "meshtimeout", "slow", "-o", "json", "--address", server.address()});
  EXPECT_THAT(json.out, StartsWith("{\n \"type\": \"MeshTimeout\",\n"));
  const auto none = Shell().run({"get", "meshtimeout", "other", "--address", server.address()});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.err, "kdsd: MeshTimeout/default/other: Could not retrieve a resource (Not found)\n");
}

TEST(CliGet, ANamespaceIsPartOfTheNameAndAFilterOfLists) {
  FakeServer server(answers({}));
  (void)Shell().run({"get", "MeshTimeout", "slow", "-n", "shop", "--address", server.address()});
  (void)Shell().run({"get", "MeshTimeout", "-m", "m", "-n", "shop", "--address", server.address()});
  EXPECT_THAT(server.lines(),
              ElementsAre("GET /meshes/default/meshtimeouts/slow.shop",
                          "GET /meshes/m/meshtimeouts?size=1000&filter%5Blabels.k8s.kuma.io%2Fnamespace%5D=shop"));
}

TEST(CliGet, WatchShowsWhatChangesAndOutlivesARestart) {
  const auto list = [](const std::string& items) { return R"({"total":1,"items":[)" + items + R"(],"next":null})"; };
  int round = 0;
  FakeServer server([&](const FakeRequest&) {
    switch (round++) {
      case 0:
        return FakeAnswer{200, list(R"({"name":"a","type":"Zone","enabled":true})")};
      case 1:
        return FakeAnswer{503, ""};
      case 2:
        return FakeAnswer{200, list(R"({"name":"a","type":"Zone","enabled":false})")};
      default:
        return FakeAnswer{200, list("")};
    }
  });
  Shell shell;
  shell.watch_rounds = 5;
  const auto outcome = shell.run({"get", "zones", "--watch", "--address", server.address()});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out,
            "EVENT   NAME   ENABLED   ZONE   ORIGIN   AGE\n"
            "added   a      true      -      -        -\n"
            "modified   a      false     -      -        -\n"
            "deleted    a      false     -      -        -\n");
  EXPECT_THAT(outcome.err, HasSubstr("answers again"));
}

TEST(CliDelete, SaysWhatBecameOfIt) {
  FakeServer server(answers({{std::string("DELETE ") + slow_path, {200, "{}"}}}));
  const auto done = Shell().run({"delete", "meshtimeout", "slow", "--address", server.address()});
  EXPECT_EQ(done.out, "MeshTimeout/default/slow deleted\n");
  EXPECT_EQ(done.code, 0);
  const auto refused = Shell().run({"delete", "meshtimeout", "other", "--address", server.address()});
  EXPECT_THAT(refused.out, StartsWith("MeshTimeout/default/other refused: "));
  EXPECT_EQ(refused.code, 1);
}

TEST(CliDelete, OfAFileBeginsWithTheLastDocument) {
  FakeServer server(answers({{"DELETE /meshes/m", {200, "{}"}}, {"DELETE /meshes/m/meshtimeouts/slow", {200, "{}"}}}));
  Shell shell;
  shell.input = "type: Mesh\nname: m\n---\ntype: MeshTimeout\nmesh: m\nname: slow\nspec: {}\n";
  EXPECT_EQ(shell.run({"delete", "-f", "-", "--address", server.address()}).code, 0);
  EXPECT_THAT(server.lines(), ElementsAre("DELETE /meshes/m/meshtimeouts/slow", "DELETE /meshes/m"));
}

TEST(CliZones, SumsOverSubscriptionsAndCountsAnOpenOneAsOnline) {
  FakeServer server(answers({{"GET /zones/_overview?size=1000", {200, R"({"total":2,"next":null,"items":[
    {"type":"ZoneOverview","name":"east","zone":{"enabled":true},"zoneInsight":{"subscriptions":[
      {"connectTime":"2026-01-01T00:00:00Z","disconnectTime":"2026-01-01T01:00:00Z",
       "status":{"total":{"responsesSent":"41","responsesAcknowledged":"40","responsesRejected":"1"}},
       "version":{"kumaCp":{"version":"2.13.2"}}},
      {"connectTime":"2026-01-02T00:00:00Z","status":{"total":{"responsesSent":"2","responsesAcknowledged":"2"}},
       "version":{"kumaCp":{"version":"2.13.10"}}}]}},
    {"type":"ZoneOverview","name":"west","zone":{"enabled":false}}]})"}}}));
  const auto outcome = Shell().run({"zones", "--address", server.address()});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("NAME   ENABLED   ONLINE   SINCE"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("east   true      true     [0-9]+d +2.13.10   43     42      1\n"));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("west   false     false    - +- +0 +0 +0\n"));
  EXPECT_EQ(outcome.err, "");
}

TEST(CliZones, WhereNoZoneEverConnectedThatIsSaid) {
  FakeServer server(answers({{"GET /zones/_overview?size=1000", {200, R"({"total":1,"next":null,"items":[
    {"type":"ZoneOverview","name":"west","zone":{"enabled":true}}]})"}}}));
  const auto outcome = Shell().run({"zones", "--address", server.address()});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("no zone ever connected to this control plane"));
}

}  // namespace
}  // namespace kdsd::app::cli
