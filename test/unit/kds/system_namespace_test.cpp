#include "kds/system_namespace.h"

#include <gmock/gmock.h>

#include "kds/outbound.h"
#include "model/hash.h"
#include "policy/references.h"

#include "pair.h"

namespace kdsd::kds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Labels labels_in(const std::string& namespace_, const std::string& name, const std::string& role) {
  return {{"kuma.io/origin", "zone"},     {"kuma.io/zone", "east"},    {"k8s.kuma.io/namespace", namespace_},
          {"kuma.io/display-name", name}, {"kuma.io/mesh", "default"}, {"kuma.io/env", "kubernetes"},
          {"kuma.io/policy-role", role}};
}

// The start of a process, with what a former one left behind.
std::unique_ptr<TestPlane> start(const std::string& zone, const std::string& system_namespace,
                                 const TestPlane* former = nullptr, Status* outcome = nullptr) {
  auto plane = std::make_unique<TestPlane>(zone, namespaced(system_namespace));
  if (former != nullptr) {
    plane->entries = former->entries;
    plane->facts = former->facts;
    plane->revision = former->revision;
    plane->restart();
  }
  const auto kind = plane->core->options().control_plane;
  const auto status =
      plane->write([&](Transaction& transaction) { return rename_system_namespace(transaction, kind); });
  if (outcome != nullptr) {
    *outcome = status;
  } else {
    EXPECT_TRUE(status.ok()) << status.text();
  }
  return plane;
}

TEST(SystemNamespace, RenamedOneTakesOwnResourcesAndCopiesAlong) {
  auto global = start("", "kuma-system");
  auto east = start("east", "old-system");
  auto west = start("west", "west-system");
  TestLink to_west(*global, *west, "west", "c2");
  {
    TestLink to_east(*global, *east, "east", "c1");
    ASSERT_TRUE(east->put("MeshTimeout", "default", "a.shop", producer_spec, labels_in("shop", "a", "producer")).ok());
    ASSERT_TRUE(
        east->put("MeshTimeout", "default", "s.old-system", timeout_spec, labels_in("old-system", "s", "system")).ok());
    ASSERT_TRUE(
        east->put("MeshTimeout", "default", "b.new-system", producer_spec, labels_in("new-system", "b", "producer"))
            .ok());
    ASSERT_TRUE(global
                    ->put("MeshTimeout", "default", "g.kuma-system", timeout_spec,
                          {{"k8s.kuma.io/namespace", "kuma-system"}, {"kuma.io/display-name", "g"}})
                    .ok());
    to_east.settle();
    to_west.settle();
    to_east.cut();
  }
  const auto of_global = hashed_name("default", "g", {"kuma-system"});
  const auto of_b = hashed_name("default", "b", {"east", "new-system"});
  EXPECT_TRUE(west->find("MeshTimeout", "default", of_b + ".west-system"));
  EXPECT_THAT(east->names("MeshTimeout"),
              UnorderedElementsAre("a.shop", "b.new-system", "s.old-system", of_global + ".old-system"));
  const auto before = east->find("MeshTimeout", "default", of_global + ".old-system");

  auto renamed = start("east", "new-system", east.get());
  EXPECT_THAT(renamed->names("MeshTimeout"),
              UnorderedElementsAre("a.shop", "b.new-system", "s.new-system", of_global + ".new-system"));
  const auto moved = renamed->find("MeshTimeout", "default", "s.new-system");
  EXPECT_EQ(moved->labels, labels_in("new-system", "s", "system"));
  const auto copy = renamed->find("MeshTimeout", "default", of_global + ".new-system");
  EXPECT_EQ(copy->labels, before->labels) << "copies keep what their author says";
  EXPECT_EQ(copy->modified, before->modified);
  EXPECT_EQ(renamed->find("MeshTimeout", "default", "b.new-system")->labels.get(label::policy_role), "system")
      << "what stood in a team's namespace is the operator's now";
  EXPECT_EQ(renamed->entries.size(), east->entries.size()) << "no tombstones are left behind";

  TestLink again(*global, *renamed, "east", "c3");
  to_west.settle();
  EXPECT_EQ(again.resources_down, 0u) << "the zone holds what it held";
  EXPECT_FALSE(west->find("MeshTimeout", "default", of_b + ".west-system"));
  EXPECT_TRUE(
      global->find("MeshTimeout", "default", hashed_name("default", "s", {"east", "new-system"}) + ".kuma-system"));
  EXPECT_FALSE(
      global->find("MeshTimeout", "default", hashed_name("default", "s", {"east", "old-system"}) + ".kuma-system"));
}

TEST(SystemNamespace, GlobalThatRenamesItsOwnSendsNothingAgainButItsOwnResources) {
  auto global = start("", "kuma-system");
  auto east = start("east", "east-system");
  auto west = start("west", "west-system");
  auto to_east = std::make_unique<TestLink>(*global, *east, "east", "c1");
  auto to_west = std::make_unique<TestLink>(*global, *west, "west", "c2");
  ASSERT_TRUE(east->put("MeshTimeout", "default", "a.shop", producer_spec, labels_in("shop", "a", "producer")).ok());
  ASSERT_TRUE(global
                  ->put("MeshTimeout", "default", "g.kuma-system", timeout_spec,
                        {{"k8s.kuma.io/namespace", "kuma-system"}, {"kuma.io/display-name", "g"}})
                  .ok());
  to_east->settle();
  to_west->settle();
  to_east->cut();
  to_west->cut();

  auto renamed = start("", "mesh-system", global.get());
  const auto wire = hashed_name("default", "a", {"east", "shop"});
  const auto copy = renamed->find("MeshTimeout", "default", wire + ".mesh-system");
  ASSERT_TRUE(copy);
  EXPECT_THAT(policy::derived_form(*copy, renamed->core->options().control_plane).spec,
              HasSubstr(R"("namespace":"mesh-system")"));
  EXPECT_EQ(copy->spec, producer_spec);

  TestLink again(*renamed, *west, "west", "c4");
  EXPECT_THAT(
      west->names("MeshTimeout"),
      UnorderedElementsAre(wire + ".west-system", hashed_name("default", "g", {"mesh-system"}) + ".west-system"));
  EXPECT_EQ(again.removals_down, 1u) << "the name of the global's own policy, and nothing else";
}

TEST(SystemNamespace, NameThatIsTakenStopsTheRenamingWhole) {
  auto east = start("east", "old-system");
  ASSERT_TRUE(
      east->put("MeshTimeout", "default", "a.old-system", timeout_spec, labels_in("old-system", "a", "system")).ok());
  ASSERT_TRUE(
      east->put("MeshTimeout", "default", "s.old-system", timeout_spec, labels_in("old-system", "s", "system")).ok());
  ASSERT_TRUE(
      east->put("MeshTimeout", "default", "s.new-system", producer_spec, labels_in("new-system", "s", "producer"))
          .ok());
  Status outcome;
  auto renamed = start("east", "new-system", east.get(), &outcome);
  EXPECT_EQ(outcome.code(), Code::conflict);
  EXPECT_THAT(outcome.message(), HasSubstr("MeshTimeout/default/s.new-system exists already"));
  EXPECT_THAT(renamed->names("MeshTimeout"), ElementsAre("a.old-system", "s.new-system", "s.old-system"));
}

// A tombstone that stands where something moves to is forgotten; who was away then needs the full state.
TEST(SystemNamespace, MovingOverATombstoneRaisesTheFloor) {
  auto east = start("east", "old-system");
  ASSERT_TRUE(
      east->put("MeshTimeout", "default", "s.new-system", producer_spec, labels_in("new-system", "s", "producer"))
          .ok());
  ASSERT_TRUE(east->remove("MeshTimeout", "default", "s.new-system").ok());
  ASSERT_TRUE(
      east->put("MeshTimeout", "default", "s.old-system", timeout_spec, labels_in("old-system", "s", "system")).ok());
  const auto& type = *Catalogue::builtin().find("MeshTimeout");
  const auto deleted_at = Revision{east->revision.value - 1};
  auto renamed = start("east", "new-system", east.get());
  EXPECT_EQ(renamed->core->index().floor(type), deleted_at);
  EXPECT_THAT(renamed->names("MeshTimeout"), ElementsAre("s.new-system"));
}

TEST(SystemNamespace, FirstStartAndUniversalControlPlanesMoveNothing) {
  auto east = start("east", "a-system");
  EXPECT_EQ(east->facts.at("system-namespace"), "a-system");
  auto again = start("east", "a-system", east.get());
  EXPECT_EQ(again->revision, east->revision) << "a start notes its epoch and changes no resource";
  TestPlane universal("");
  ASSERT_TRUE(universal
                  .write([&](Transaction& transaction) {
                    return rename_system_namespace(transaction, universal.core->options().control_plane);
                  })
                  .ok());
  EXPECT_FALSE(universal.facts.contains("system-namespace"));
}

}  // namespace
}  // namespace kdsd::kds
