// A global that lost its store, or takes over from another one, does not make zones delete what it has not been sent
// yet.
#include "kds/relay_hold.h"

#include <gmock/gmock.h>

#include "kds/core.h"
#include "model/hash.h"

#include "pair.h"

namespace kdsd::kds {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t second = 1'000'000'000;

const Labels of_zone{{"kuma.io/origin", "zone"}};

// A global with a service of east, which west has a copy of; then everything is cut.
struct Fleet {
  TestPlane global{""};
  TestPlane east{"east"};
  TestPlane west{"west"};
  std::string copy = hashed_name("default", "catalog", {"east"});

  Fleet() {
    TestLink to_east(global, east, "east", "c1");
    TestLink to_west(global, west, "west", "c2");
    EXPECT_TRUE(east.put("MeshService", "default", "catalog", service_spec, of_zone).ok());
    to_east.settle();
    to_west.settle();
    EXPECT_THAT(west.names("MeshService"), ElementsAre(copy));
    to_east.cut();
    to_west.cut();
  }

  // West no longer tells that what it has is of another global.
  void forget_tokens() {
    std::erase_if(west.facts, [](const auto& fact) { return fact.first.starts_with("resume."); });
    west.restart();
  }
};

// Another global, which knows the zones and has nothing of them.
struct EmptyGlobal : TestPlane {
  EmptyGlobal() : TestPlane("") {
    store_id = "another";
    restart();
    for (const auto* zone : {"east", "west"}) EXPECT_TRUE(put("Zone", "", zone, "{}").ok());
  }
};

TEST(RelayHold, CopyStaysInAZoneUntilItsOwnerHasDelivered) {
  Fleet fleet;
  EmptyGlobal global;
  TestLink to_west(global, fleet.west, "west", "c1");
  EXPECT_THAT(fleet.west.names("MeshService"), ElementsAre(fleet.copy));
  TestLink to_east(global, fleet.east, "east", "c2");
  to_west.settle();
  EXPECT_THAT(fleet.west.names("MeshService"), ElementsAre(fleet.copy));
  EXPECT_EQ(to_west.removals_down, 0u);
  ASSERT_TRUE(fleet.east.remove("MeshService", "default", "catalog").ok());
  to_east.settle();
  to_west.settle();
  EXPECT_THAT(fleet.west.names("MeshService"), IsEmpty()) << "the link is an ordinary one afterwards";
}

TEST(RelayHold, CopyWhoseOwnerHasItNoMoreGoesWhenTheOwnerHasDelivered) {
  Fleet fleet;
  ASSERT_TRUE(fleet.east.remove("MeshService", "default", "catalog").ok());
  fleet.forget_tokens();
  EmptyGlobal global;
  TestLink to_west(global, fleet.west, "west", "c1");
  EXPECT_THAT(fleet.west.names("MeshService"), ElementsAre(fleet.copy));
  TestLink to_east(global, fleet.east, "east", "c2");
  to_west.settle();
  EXPECT_THAT(fleet.west.names("MeshService"), IsEmpty());
}

TEST(RelayHold, WhatThereIsArrivesInAZoneThatWaits) {
  Fleet fleet;
  EmptyGlobal global;
  ASSERT_TRUE(global.put("MeshTimeout", "default", "before", timeout_spec).ok());
  TestLink to_west(global, fleet.west, "west", "c1");
  ASSERT_TRUE(global.put("MeshTimeout", "default", "after", timeout_spec).ok());
  to_west.settle();
  EXPECT_THAT(fleet.west.names("MeshTimeout"),
              testing::UnorderedElementsAre(hashed_name("default", "before", {}), hashed_name("default", "after", {})));
}

TEST(RelayHold, ZoneThatStaysAwayIsWaitedForOnce) {
  Fleet fleet;
  EmptyGlobal global;
  TestLink to_west(global, fleet.west, "west", "c1");
  global.core->set_now(Timestamp{global.core->now().nanos + 61 * second});
  global.core->tick();
  to_west.settle();
  EXPECT_THAT(fleet.west.names("MeshService"), IsEmpty());
  EXPECT_THAT(global.logged, Contains(HasSubstr("zone=east delivered=no")));
  TestPlane north("north");
  TestLink to_north(global, north, "north", "c3");
  EXPECT_FALSE(global.core->sender_of("north")->is_waiting());
}

TEST(RelayHold, GlobalThatLostItsStoreWaitsForZonesThatItDoesNotKnow) {
  Fleet fleet;
  TestPlane global("");
  global.store_id = "another";
  global.restart();
  TestLink to_west(global, fleet.west, "west", "c1");
  EXPECT_THAT(fleet.west.names("MeshService"), ElementsAre(fleet.copy));
  TestLink to_east(global, fleet.east, "east", "c2");
  to_west.settle();
  EXPECT_THAT(fleet.west.names("MeshService"), ElementsAre(fleet.copy));
  ASSERT_TRUE(fleet.east.remove("MeshService", "default", "catalog").ok());
  to_east.settle();
  to_west.settle();
  EXPECT_THAT(fleet.west.names("MeshService"), IsEmpty()) << "changes flow meanwhile";
  EXPECT_TRUE(global.core->sender_of("west")->is_waiting());
  global.core->set_now(Timestamp{global.core->now().nanos + 61 * second});
  global.core->tick();
  EXPECT_FALSE(global.core->sender_of("west")->is_waiting());
}

TEST(RelayHold, DisabledAndDeletedZonesAreNotWaitedFor) {
  for (const bool deleted : {false, true}) {
    SCOPED_TRACE(deleted);
    Fleet fleet;
    fleet.forget_tokens();
    EmptyGlobal global;
    TestLink to_west(global, fleet.west, "west", "c1");
    if (deleted) {
      ASSERT_TRUE(global.remove("Zone", "", "east").ok());
    } else {
      ASSERT_TRUE(global.put("Zone", "", "east", R"({"enabled":false})").ok());
    }
    to_west.settle();
    EXPECT_THAT(fleet.west.names("MeshService"), IsEmpty());
  }
}

TEST(RelayHold, ZoneThatDeliveredOnceIsNotWaitedForAfterARestart) {
  Fleet fleet;
  fleet.global.restart();
  TestLink to_west(fleet.global, fleet.west, "west", "c3");
  EXPECT_FALSE(fleet.global.core->sender_of("west")->is_waiting());
}

TEST(RelayHold, DeletedZoneHasToDeliverAgain) {
  Fleet fleet;
  ASSERT_TRUE(fleet.global.remove("Zone", "", "east").ok());
  ASSERT_TRUE(fleet.global.put("Zone", "", "east", "{}").ok());
  TestLink to_west(fleet.global, fleet.west, "west", "c3");
  EXPECT_TRUE(fleet.global.core->sender_of("west")->is_waiting());
}

// A peer that takes no parts: whatever it is sent first it takes for everything.
TEST(RelayHold, KumaZoneGetsNoFirstStateOfSharedTypesBeforeTheOthersHaveDelivered) {
  EmptyGlobal global;
  ASSERT_TRUE(global.put("Mesh", "", "default", "{}").ok());
  auto stream = global.core->opened({StreamKind::global_to_zone, "west", "c1", {"hash-suffix"}, false});
  ASSERT_TRUE(stream.ok());
  auto ask = [&](const char* type) {
    Request request;
    request.type = type;
    request.node_id = "west";
    request.node.features = Features({"hash-suffix"});
    request.subscribe = {"*"};
    global.core->received(*stream, encode_request(request));
    global.step();
  };
  ask("Mesh");
  ask("MeshService");
  ASSERT_EQ(global.outgoing.size(), 1u) << "the mesh alone: that type is the global's";
  const auto& type = *Catalogue::builtin().find("MeshService");
  EXPECT_THAT(global.core->sender_of("west")->position(type).held_back_reason,
              HasSubstr("MeshService waits for zone east"));
  TestPlane east("east");
  TestLink to_east(global, east, "east", "c2");
  EXPECT_EQ(global.outgoing.size(), 2u);
}

TEST(RelayHold, DeliveryIsNotedOnceHoweverSlowTheStoreIs) {
  EmptyGlobal global;
  ASSERT_TRUE(global.core->opened({StreamKind::zone_to_global, "east", "c1", {"hash-suffix"}, false}).ok());
  global.step();
  // A commit whose end does not come.
  ASSERT_TRUE(global.core
                  ->submit({[](Transaction& transaction) {
                              transaction.set_fact("slow", "yes");
                              return Status();
                            },
                            [](const Status&) {}})
                  .ok());
  global.core->take_effects();
  global.core->set_now(Timestamp{global.core->now().nanos + 4 * second});
  for (int i = 0; i < 5; ++i) global.core->tick();
  EXPECT_EQ(global.core->writes_queued(), 1u);
  global.core->committed(Status());
  global.step();
  EXPECT_EQ(global.facts["delivered.east"], "yes");
}

TEST(RelayHold, ZoneWhoseDeliveryCouldNotBeNotedIsNotedLater) {
  EmptyGlobal global;
  ASSERT_TRUE(global.core->opened({StreamKind::zone_to_global, "east", "c1", {"hash-suffix"}, false}).ok());
  global.step();
  global.core->set_now(Timestamp{global.core->now().nanos + 4 * second});
  global.core->tick();
  global.core->take_effects();
  global.core->committed(Status(Code::internal, "disk full"));
  global.core->tick();
  global.step();
  EXPECT_EQ(global.facts["delivered.east"], "yes");
}

TEST(RelayHold, TextNamesThreeZonesAndCountsTheRest) {
  RelayHold hold(second);
  for (const auto* zone : {"a", "b", "c", "d", "e"}) hold.expect(zone);
  EXPECT_EQ(hold.begin("a", Timestamp{1}), "zone b, c, d and 1 more");
  EXPECT_TRUE(hold.has_to_wait("a"));
  EXPECT_THAT(hold.give_up(Timestamp{second}), IsEmpty());
  EXPECT_THAT(hold.give_up(Timestamp{1 + second}), ElementsAre("b", "c", "d", "e")) << "nobody waited for a";
  EXPECT_FALSE(hold.has_to_wait("a"));
}

}  // namespace
}  // namespace kdsd::kds
