// What is kept from Kuma zones that store in Kubernetes (kds-protocol.md 6.7), rule by rule and over a stream.
#include "kds/api_server_rules.h"

#include <gmock/gmock.h>

#include "kds/delivery.h"
#include "kds/explain.h"
#include "model/hash.h"
#include "policy/object_questions.h"

#include "pair.h"
#include "scripted_zone.h"

namespace kdsd::kds {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;
using testing::UnorderedElementsAre;

Resource resource_of(const std::string& type, const std::string& spec = "{}") {
  Resource out;
  out.type = Catalogue::builtin().find(type);
  out.mesh = "default";
  out.spec = spec;
  return out;
}

// The rows of the table in 6.7, and recording 75.
TEST(ApiServerRules, SayWhatTheApiServerOfAZoneWasSeenToRefuse) {
  const auto policy = resource_of("MeshTimeout");
  const auto labelled = [&](const std::string& key, const std::string& value) {
    return refused_by_api_server(policy, "a-b992xww4z2769x7d", Labels{{key, value}});
  };
  EXPECT_THAT(labelled("team", std::string(63, 'a')), IsEmpty());
  EXPECT_THAT(labelled("team", std::string(64, 'a')), StartsWith("label team: "));
  EXPECT_THAT(labelled("team", "with blank"), StartsWith("label team: "));
  EXPECT_THAT(labelled("k8s.kuma.io/namespace", std::string(64, 'a')), StartsWith("label k8s.kuma.io/namespace: "));
  EXPECT_THAT(labelled("kuma.io/zone", "east!"), StartsWith("label kuma.io/zone: "));
  EXPECT_THAT(labelled("no key", "a"), StartsWith("label no key: "));
  for (const auto* annotation : {"kuma.io/display-name", "k8s.kuma.io/service-account", "kuma.io/workload"})
    EXPECT_THAT(labelled(annotation, std::string(200, 'a')), IsEmpty()) << annotation;

  const auto named = [&](const std::string& name) { return refused_by_api_server(policy, name, {}); };
  EXPECT_THAT(named("with.dots"), IsEmpty());
  EXPECT_THAT(named("Capital"), StartsWith("name Capital: "));
  EXPECT_THAT(named("low_line"), StartsWith("name low_line: "));
  EXPECT_THAT(named(std::string(254, 'a')), StartsWith("name "));
  EXPECT_THAT(refused_by_api_server(resource_of("Mesh"), "my_mesh", {}), StartsWith("name my_mesh: "));
  EXPECT_THAT(refused_by_api_server(resource_of("Secret"), "Bad_Secret", {}), StartsWith("name Bad_Secret: "));

  const auto acting = [](const std::string& action) {
    const auto spec = R"({"from":[{"targetRef":{"kind":"Mesh"},"default":{"action":")" + action + R"("}}]})";
    return refused_by_api_server(resource_of("MeshTrafficPermission", spec), "a", {});
  };
  for (const auto* action : {"Allow", "Deny", "AllowWithShadowDeny"}) EXPECT_THAT(acting(action), IsEmpty()) << action;
  EXPECT_THAT(acting("ALLOW"), StartsWith("action ALLOW: "));
}

NodeInfo kuma_node(const std::string& environment) {
  NodeInfo node;
  node.features = Features({"zone-token", "hash-suffix", "producer-policy-flow", "optional-top-level-target-ref"});
  node.config = R"({"environment":")" + environment + R"("})";
  return node;
}

class HeldBack : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& team) {
    ASSERT_TRUE(global_.put("MeshTimeout", "default", name, timeout_spec, {{"team", team}}).ok());
  }
  static std::string wire(const std::string& name) { return hashed_name("default", name, {}); }

  TestPlane global_{""};
  const std::string bad_ = std::string(64, 'a');
};

TEST_F(HeldBack, NothingThatItsApiServerWouldRefuseReachesAKumaZoneOnKubernetes) {
  put("good", "a");
  put("bad", bad_);
  ScriptedZone zone(global_, kuma_node("kubernetes"));
  EXPECT_THAT(zone.held, ElementsAre(wire("good")));
  EXPECT_EQ(spared_of(*global_.core),
            (std::map<std::string, std::map<std::string, std::size_t>>{{"old", {{"MeshTimeout", 1}}}}));
  zone.acknowledge();

  put("bad", "mended");
  zone.acknowledge();
  EXPECT_THAT(zone.held, UnorderedElementsAre(wire("good"), wire("bad")));
  EXPECT_THAT(spared_of(*global_.core), IsEmpty());

  put("good", bad_);
  zone.acknowledge();
  EXPECT_THAT(zone.held, ElementsAre(wire("bad"))) << "what it holds would be out of date";
  EXPECT_THAT(global_.logged, testing::Contains(testing::HasSubstr("result=held-back reason=\"its API server would "
                                                                   "refuse it: label team: ")));
}

TEST_F(HeldBack, OtherPeersGetEverything) {
  put("bad", bad_);
  auto kdsd = kuma_node("kubernetes");
  kdsd.features = Features(own_node_features());
  for (const auto& node : {kuma_node("universal"), kdsd}) {
    ScriptedZone zone(global_, node);
    EXPECT_THAT(zone.held, ElementsAre(wire("bad")));
    EXPECT_THAT(spared_of(*global_.core), IsEmpty());
  }
}

TEST_F(HeldBack, ExplainNamesWhatIsRefused) {
  put("bad", bad_);
  ScriptedZone zone(global_, kuma_node("kubernetes"));
  const auto told = explain(*global_.find("MeshTimeout", "default", "bad"), world_of(*global_.core),
                            policy::ObjectAnswers().lookup());
  ASSERT_EQ(told.zones.size(), 1u);
  EXPECT_FALSE(told.zones[0].sent);
  EXPECT_THAT(told.zones[0].reason, StartsWith("api-server-refuses:label team: "));
}

}  // namespace
}  // namespace kdsd::kds
