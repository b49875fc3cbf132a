// Who may have a resource changes without the receivers doing anything: each is told what concerns it, and nobody else
// is told anything (policy-semantics.md 1.3, 3.5).
#include <gmock/gmock.h>

#include "kds/core.h"
#include "kds/wire.h"
#include "model/hash.h"

#include "pair.h"
#include "scripted_zone.h"

namespace kdsd::kds {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string tagged(const std::string& zone) {
  std::string spec = producer_spec;
  return spec.replace(0, 1, R"({"targetRef":{"kind":"MeshSubset","tags":{"kuma.io/zone":")" + zone + R"("}},)");
}

class AudienceChanges : public ::testing::Test {
 protected:
  struct Told {
    std::size_t added = 0;
    std::size_t removed = 0;
    friend bool operator==(const Told&, const Told&) = default;
  };

  AudienceChanges() { settle(); }

  Labels labels(const std::string& role = "producer") const {
    return {{"kuma.io/origin", "zone"},
            {"kuma.io/zone", "east"},
            {"k8s.kuma.io/namespace", "shop"},
            {"kuma.io/display-name", "slow"},
            {"kuma.io/policy-role", role}};
  }
  void put(const std::string& spec, Labels with) {
    ASSERT_TRUE(east.put("MeshTimeout", "default", "slow.shop", spec, std::move(with)).ok());
    settle();
  }
  void enable(const char* spec) {
    ASSERT_TRUE(global.put("Zone", "", "east", spec).ok());
    settle();
  }
  void settle() {
    for (int i = 0; i < 3; ++i) {
      for (auto* link : {&to_east, &to_west, &to_north}) link->settle();
    }
  }

  // What was sent down to a zone since the last call.
  Told told(TestLink& link) { return {std::exchange(link.resources_down, 0), std::exchange(link.removals_down, 0)}; }
  void forget() {
    for (auto* link : {&to_east, &to_west, &to_north}) told(*link);
  }

  TestPlane global{""};
  TestPlane east{"east", namespaced("kuma-system")};
  TestPlane west{"west"};
  TestPlane north{"north"};
  TestLink to_east{global, east, "east", "c1"};
  TestLink to_west{global, west, "west", "c2"};
  TestLink to_north{global, north, "north", "c3"};
  const std::string wire = hashed_name("default", "slow", {"east", "shop"});
};

TEST_F(AudienceChanges, RoleThatChangesTakesThePolicyBackFromEverybodyWhoHadIt) {
  put(producer_spec, labels());
  forget();
  std::string consumer = producer_spec;
  consumer.replace(consumer.find(R"("name")"), 6, R"("namespace":"bank","name")");
  put(consumer, labels("consumer"));
  EXPECT_EQ(told(to_west), (Told{0, 1}));
  EXPECT_EQ(told(to_north), (Told{0, 1}));
  EXPECT_EQ(told(to_east), (Told{0, 0}));
  EXPECT_THAT(global.names("MeshTimeout"), ElementsAre(wire)) << "it stays visible on the global";
  put(consumer, labels("consumer"));
  EXPECT_EQ(told(to_west), (Told{0, 0}));
  put(producer_spec, labels());
  EXPECT_EQ(told(to_west), (Told{1, 0}));
  EXPECT_EQ(told(to_north), (Told{1, 0}));
}

TEST_F(AudienceChanges, ZoneTagThatMovesAddsToOneZoneAndRemovesFromAnother) {
  put(tagged("west"), labels());
  EXPECT_EQ(told(to_west), (Told{1, 0}));
  EXPECT_EQ(told(to_north), (Told{0, 0}));
  put(tagged("north"), labels());
  EXPECT_EQ(told(to_west), (Told{0, 1}));
  EXPECT_EQ(told(to_north), (Told{1, 0}));
  put(tagged("nobody"), labels());
  EXPECT_EQ(told(to_west), (Told{0, 0}));
  EXPECT_EQ(told(to_north), (Told{0, 1}));
  put(producer_spec, labels());
  EXPECT_EQ(told(to_west), (Told{1, 0}));
  EXPECT_EQ(told(to_north), (Told{1, 0}));
  EXPECT_EQ(told(to_east), (Told{0, 0}));
}

TEST_F(AudienceChanges, DeclaredRoleAloneDecidesToo) {
  put(producer_spec, labels("consumer"));
  EXPECT_EQ(told(to_west), (Told{0, 0}));
  put(producer_spec, labels("producer"));
  EXPECT_EQ(told(to_west), (Told{1, 0}));
  put(producer_spec, labels("workload-owner"));
  EXPECT_EQ(told(to_west), (Told{0, 1}));
}

TEST_F(AudienceChanges, SyncLabelTakesItFromTheGlobalAsWell) {
  put(producer_spec, labels());
  forget();
  auto off = labels();
  off.set("kuma.io/kds-sync", "disabled");
  put(producer_spec, off);
  EXPECT_THAT(global.names("MeshTimeout"), IsEmpty());
  EXPECT_EQ(told(to_west), (Told{0, 1}));
  EXPECT_EQ(told(to_east), (Told{0, 0}));
  put(producer_spec, labels());
  EXPECT_EQ(told(to_west), (Told{1, 0}));
}

TEST_F(AudienceChanges, ZoneObjectDecidesForWhatIsShared) {
  put(producer_spec, labels());
  ASSERT_TRUE(west.put("MeshService", "default", "catalog", service_spec).ok());
  settle();
  forget();
  enable(R"({"enabled":false})");
  EXPECT_EQ(told(to_west), (Told{0, 1}));
  EXPECT_EQ(told(to_north), (Told{0, 1}));
  EXPECT_EQ(told(to_east), (Told{0, 0})) << "a disabled zone still receives";
  enable(R"({"enabled":true})");
  EXPECT_EQ(told(to_west), (Told{1, 0}));
  EXPECT_EQ(told(to_north), (Told{1, 0}));
  EXPECT_EQ(told(to_east), (Told{0, 0}));
}

TEST_F(AudienceChanges, ChangeWhileDisabledReachesNobodyUntilEnabled) {
  put(producer_spec, labels());
  enable(R"({"enabled":false})");
  forget();
  put(tagged("north"), labels());
  EXPECT_EQ(told(to_west), (Told{0, 0}));
  EXPECT_EQ(told(to_north), (Told{0, 0}));
  enable(R"({"enabled":true})");
  EXPECT_EQ(told(to_west), (Told{0, 0}));
  EXPECT_EQ(told(to_north), (Told{1, 0}));
}

NodeInfo with(std::vector<std::string> features, const std::string& resume = "") {
  NodeInfo node;
  node.features = Features(std::move(features));
  node.resume = resume;
  return node;
}

TEST_F(AudienceChanges, FeaturesOfAPeerDecideAndCountAnewWithEachStream) {
  put(producer_spec, labels());
  ASSERT_TRUE(global.put("MeshTimeout", "default", "own", timeout_spec).ok());
  const auto own = hashed_name("default", "own", {});
  const std::vector<std::string> few = {"hash-suffix", "kdsd-resume", "kdsd-chunked-first-state"};
  auto more = few;
  more.insert(more.end(), {"producer-policy-flow", "optional-top-level-target-ref"});
  std::string token;
  {
    ScriptedZone zone(global, with(few));
    EXPECT_EQ(zone.held, (std::set<std::string>{own}));
    token = zone.token;
  }
  {
    ScriptedZone upgraded(global, with(more, token));
    EXPECT_FALSE(upgraded.is_resumed) << "what it held says nothing about what it may have now";
    EXPECT_EQ(upgraded.held, (std::set<std::string>{own, wire}));
    token = upgraded.token;
  }
  {
    ScriptedZone same(global, with(more, token));
    EXPECT_TRUE(same.is_resumed);
    EXPECT_EQ(same.held, (std::set<std::string>{}));
  }
  ScriptedZone downgraded(global, with(few, token));
  EXPECT_FALSE(downgraded.is_resumed) << "a full state is what tells it to drop the policy";
  EXPECT_EQ(downgraded.held, (std::set<std::string>{own}));
}

}  // namespace
}  // namespace kdsd::kds
