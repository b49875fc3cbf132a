#include "policy/labels.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

const ResourceType& type_of(std::string_view name) { return *Catalogue::builtin().find(name); }

TEST(LabelsTest, OriginIsSeenFromTheOwnSide) {
  EXPECT_TRUE(is_locally_originated(Mode::global, {}));
  EXPECT_TRUE(is_locally_originated(Mode::zone, {{"kuma.io/origin", ""}}));
  EXPECT_TRUE(is_locally_originated(Mode::global, {{"kuma.io/origin", "global"}}));
  EXPECT_FALSE(is_locally_originated(Mode::zone, {{"kuma.io/origin", "global"}}));
  EXPECT_TRUE(is_locally_originated(Mode::zone, {{"kuma.io/origin", "zone"}}));
  EXPECT_FALSE(is_locally_originated(Mode::global, {{"kuma.io/origin", "zone"}}));
  EXPECT_FALSE(is_locally_originated(Mode::global, {{"kuma.io/origin", "moon"}}));
}

TEST(LabelsTest, ATypeThatZonesDoNotProvideGetsNoOriginThere) {
  const ControlPlaneKind zone{.mode = Mode::zone, .zone = "east"};
  const auto labels = compute_labels(zone, type_of("Mesh"), "", "", json_of("{}"), {});
  EXPECT_TRUE(labels.empty());
}

TEST(LabelsTest, WrittenOriginGlobalKeepsZoneAndEnvironmentAway) {
  const ControlPlaneKind zone{.mode = Mode::zone, .zone = "east"};
  const auto labels =
      compute_labels(zone, type_of("Dataplane"), "m", "", json_of("{}"), {{"kuma.io/origin", "global"}});
  EXPECT_EQ(labels, (Labels{{"kuma.io/mesh", "m"}, {"kuma.io/origin", "global"}, {"kuma.io/proxy-type", "sidecar"}}));
}

TEST(LabelsTest, NamespacedGlobalComputesNamespaceAndRoleOnly) {
  const ControlPlaneKind plane{.environment = Environment::kubernetes};
  const auto policy = compute_labels(plane, type_of("MeshTimeout"), "m", "kuma-system", json_of("{}"), {});
  EXPECT_EQ(
      policy,
      (Labels{{"k8s.kuma.io/namespace", "kuma-system"}, {"kuma.io/mesh", "m"}, {"kuma.io/policy-role", "system"}}));
  const auto gateway = compute_labels(plane, type_of("MeshGateway"), "m", "", json_of("{}"), {});
  EXPECT_EQ(gateway, (Labels{{"kuma.io/mesh", "m"}}));
}

TEST(LabelsTest, RoleFollowsTheSpec) {
  const ControlPlaneKind plane{.mode = Mode::zone, .zone = "east", .environment = Environment::kubernetes};
  const auto role = [&](std::string_view spec) {
    return compute_labels(plane, type_of("MeshTimeout"), "m", "shop", json_of(spec),
                          {{"kuma.io/policy-role", "producer"}})
        .get("kuma.io/policy-role");
  };
  EXPECT_EQ(role(R"({"to":[{"targetRef":{"kind":"Mesh"}}]})"), "consumer");
  EXPECT_EQ(role(R"({"rules":[{}]})"), "workload-owner");
  EXPECT_EQ(role(R"({"to":[{"targetRef":{"kind":"MeshService","name":"a"}}]})"), "producer");
}

TEST(LabelsTest, LongValuesOfAnnotationsPassWhereThereAreNamespaces) {
  const Labels user{{"kuma.io/display-name", std::string(200, 'n')}};
  ControlPlaneKind plane{.environment = Environment::kubernetes};
  Outcome kubernetes;
  check_labels(plane, type_of("MeshTimeout"), "m", "kuma-system", user, kubernetes);
  EXPECT_TRUE(kubernetes.ok()) << joined(kubernetes.violations);
  plane.environment = Environment::universal;
  Outcome universal;
  check_labels(plane, type_of("MeshTimeout"), "m", "", user, universal);
  EXPECT_EQ(universal.violations.size(), 1U);
}

TEST(LabelsTest, AnEmptyKeyBreaksTwoRulesAtOnce) {
  Outcome outcome;
  check_labels({}, type_of("MeshTimeout"), "m", "", {{"", "x"}}, outcome);
  ASSERT_EQ(outcome.violations.size(), 2U);
  EXPECT_EQ(outcome.violations[0].field, R"(labels[""])");
  EXPECT_EQ(outcome.violations[1].field, R"(labels[""])");
}

}  // namespace
}  // namespace kdsd::policy
