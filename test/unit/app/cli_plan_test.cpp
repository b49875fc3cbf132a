// `kdsd plan`, `explain` and `inspect explicit`: what is asked of a server, what is printed, and plans without one.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/world_file.h"
#include "model/json.h"

#include "cli_support.h"

namespace kdsd::app::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char policy[] = R"(
type: MeshTimeout
mesh: default
name: catalog-timeouts
namespace: shop
spec:
  to:
    - targetRef: {kind: MeshService, name: catalog}
      default: {connectionTimeout: 10s}
)";

constexpr char world[] = R"(
mode: zone
zone: east
environment: kubernetes
global: {environment: kubernetes, systemNamespace: kuma-system}
zones:
  - {name: east, environment: kubernetes}
  - {name: west, environment: kubernetes, systemNamespace: mesh-system}
  - {name: north, features: [hash-suffix, optional-top-level-target-ref]}
)";

class CliPlan : public ::testing::Test {
 protected:
  CliPlan() {
    std::string name = (std::filesystem::temp_directory_path() / "kdsd-plan-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~CliPlan() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }

 private:
  std::string folder_;
};

TEST_F(CliPlan, OfflineItShowsThreePlacesSideBySide) {
  const auto outcome =
      Shell().run({"plan", "-f", write("policy.yaml", policy), "--offline", "--as", write("world.yaml", world)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("MeshTimeout/default/catalog-timeouts.shop would be created\n"));
  EXPECT_THAT(outcome.out, HasSubstr("new in zone west\n"));
  EXPECT_THAT(outcome.out, HasSubstr("zone east   catalog-timeouts                    shop          original, here\n"));
  EXPECT_THAT(outcome.out, HasSubstr("global      catalog-timeouts-cbf955d8z9d525vf   kuma-system   copy\n"));
  EXPECT_THAT(outcome.out, HasSubstr("zone west   catalog-timeouts-cbf955d8z9d525vf   mesh-system   copy\n"));
  EXPECT_THAT(outcome.out, HasSubstr("zone west   catalog-fv9v4c7b29w24244   mesh-system\n"));
  EXPECT_THAT(outcome.out, HasSubstr("feature-missing:producer-policy-flow"));
}

TEST_F(CliPlan, ARefusedDocumentHasItsViolationsAndTheExitCodeIsOne) {
  const auto broken = write("broken.yaml", "type: MeshTimeout\nname: a\nnamespace: shop\nspec: {to: [{}]}\n");
  const auto outcome = Shell().run({"plan", "-f", broken, "--offline", "--as", write("world.yaml", world)});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("MeshTimeout/default/a.shop refused: "));
  EXPECT_THAT(outcome.out, HasSubstr("\n  spec.to[0]"));
}

TEST_F(CliPlan, AZoneOfTheDescriptionMayBeTheAuthor) {
  const auto global =
      write("world.yaml", "mode: global\nzones: [{name: east, environment: kubernetes}, {name: west}]\n");
  const auto file = write("policy.yaml", policy);
  const auto outcome = Shell().run({"plan", "-f", file, "--zone", "east", "--offline", "--as", global});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("written in  zone east, namespace shop"));
  EXPECT_THAT(outcome.out, HasSubstr("new in zone west"));
  EXPECT_EQ(Shell().run({"plan", "-f", file, "--zone", "mars", "--offline", "--as", global}).code, 1);
}

TEST_F(CliPlan, OfflineAndAsGoTogether) {
  const auto file = write("policy.yaml", policy);
  EXPECT_EQ(Shell().run({"plan", "-f", file, "--offline"}).code, 2);
  EXPECT_EQ(Shell().run({"plan", "-f", file, "--as", file}).code, 2);
}

TEST_F(CliPlan, AServerIsAskedOnceForAllDocuments) {
  const FakeServer server([](const FakeRequest&) {
    return FakeAnswer{200, R"({"documents":[{"action":"create","document":"a"},{"action":"refuse","document":"b",)"
                           R"("refusal":"no","violations":[{"field":"spec","reason":"is wrong"}]}]})"};
  });
  const auto file = write("two.yaml", std::string(policy) + "---" + policy);
  const auto outcome = Shell().run({"plan", "-f", file, "--zone", "east", "--address", server.address()});
  EXPECT_THAT(server.lines(), ElementsAre("POST /_plan?zone=east"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("a would be created\n"));
  EXPECT_THAT(outcome.out, HasSubstr("b refused: no\n  spec: is wrong\n"));
}

TEST_F(CliPlan, ExplainAsksForTheResource) {
  const FakeServer server([](const FakeRequest&) {
    return FakeAnswer{
        200, R"({"origin":{"kind":"global"},"sync":{"reason":"global-originated","sentence":"why","toGlobal":null,
      "zones":[{"zone":"east","sent":true,"reason":"global-originated","delivery":{"online":true,"state":"rejected",
      "holds":"unknown","lagRevisions":4,"lagSeconds":2.5,"lastRejection":{"text":"no thanks"}}}]},
      "places":[{"place":"global","here":true,"author":true,"name":"slow"}],"references":[],"warnings":["look"]})"};
  });
  const auto outcome = Shell().run({"explain", "meshtimeouts", "slow", "-m", "shop", "--address", server.address()});
  EXPECT_THAT(server.lines(), ElementsAre("GET /meshes/shop/meshtimeouts/slow/_explain"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("rule        global-originated: why\n"));
  EXPECT_THAT(outcome.out, HasSubstr("4 (2.5s)"));
  EXPECT_THAT(outcome.out, HasSubstr("zone east refused: no thanks\n"));
  EXPECT_THAT(outcome.out, HasSubstr("Warning: look\n"));
}

TEST_F(CliPlan, InspectExplicitPrintsADocumentWithItsScope) {
  const FakeServer server([](const FakeRequest&) {
    return FakeAnswer{200, R"({"role":"consumer","effectiveScope":{"zone":"east","namespace":"web"},
      "resource":{"type":"MeshTimeout","name":"c"}})"};
  });
  const auto outcome = Shell().run({"inspect", "explicit", "MeshTimeout", "c", "--address", server.address()});
  EXPECT_THAT(server.lines(), ElementsAre("GET /meshes/default/meshtimeouts/c/_explicit"));
  EXPECT_EQ(outcome.out, "# role: consumer\n# holds for: zone east, namespace web\ntype: MeshTimeout\nname: c\n");
}

TEST(WorldFile, EveryFaultIsNamed) {
  const auto description = parse_json(R"({"mode":"both","environment":"cloud","colour":1,
      "zones":[{"name":"East"},{"name":"west","enabled":"yes"},{"name":"west","features":[7]}]})");
  const auto world = world_from(*description);
  ASSERT_FALSE(world.ok());
  std::vector<std::string> fields;
  for (const auto& violation : world.status().violations()) fields.push_back(violation.field);
  EXPECT_THAT(fields, ::testing::UnorderedElementsAre("colour", "environment", "mode", "zones[0].name",
                                                      "zones[1].enabled", "zones[2].features", "zones"));
}

TEST(WorldFile, ADescriptionWithoutZonesKnowsNone) {
  const auto world = world_from(*parse_json(R"({"mode":"zone","zone":"east"})"));
  ASSERT_TRUE(world.ok()) << world.status().text();
  EXPECT_FALSE(world->knows_zones);
  EXPECT_TRUE(world->plane().federated);
}

}  // namespace
}  // namespace kdsd::app::cli
