// What crosses between a global and its zones, on the core alone.
#include "kds/core.h"

#include <gmock/gmock.h>

#include "kds/signing_key.h"
#include "model/hash.h"

#include "kuma/system/v1alpha1/zone.pb.h"
#include "pair.h"

namespace kdsd::kds {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Core, PolicyOfTheGlobalReachesEveryZoneUnderItsHashedName) {
  TestPlane global("");
  TestPlane east("east");
  TestPlane west("west");
  TestLink to_east(global, east, "east", "c1");
  TestLink to_west(global, west, "west", "c2");
  ASSERT_TRUE(global.put("MeshTimeout", "default", "slow", timeout_spec).ok());
  to_east.settle();
  to_west.settle();
  const auto name = hashed_name("default", "slow", {});
  EXPECT_THAT(east.names("MeshTimeout"), ElementsAre(name));
  EXPECT_THAT(west.names("MeshTimeout"), ElementsAre(name));
  const auto copy = east.find("MeshTimeout", "default", name);
  EXPECT_EQ(copy->source, "global");
  EXPECT_EQ(copy->labels.get(label::origin), "global");
  EXPECT_EQ(copy->labels.get(label::display_name), "slow");
  EXPECT_THAT(global.names("MeshTimeout"), ElementsAre("slow")) << "a zone does not send copies back";
}

TEST(Core, ServiceOfAZoneReachesTheGlobalAndTheOthersButNotItself) {
  TestPlane global("");
  TestPlane east("east");
  TestPlane west("west");
  TestLink to_east(global, east, "east", "c1");
  TestLink to_west(global, west, "west", "c2");
  ASSERT_TRUE(east.put("MeshService", "default", "catalog", service_spec, {{"kuma.io/origin", "zone"}}).ok());
  to_east.settle();
  to_west.settle();
  const auto name = hashed_name("default", "catalog", {"east"});
  EXPECT_THAT(global.names("MeshService"), ElementsAre(name));
  EXPECT_EQ(global.find("MeshService", "default", name)->labels.get(label::zone), "east");
  EXPECT_THAT(west.names("MeshService"), ElementsAre(name));
  EXPECT_THAT(east.names("MeshService"), ElementsAre("catalog"));
  ASSERT_TRUE(east.remove("MeshService", "default", "catalog").ok());
  to_east.settle();
  to_west.settle();
  EXPECT_THAT(global.names("MeshService"), IsEmpty());
  EXPECT_THAT(west.names("MeshService"), IsEmpty());
}

TEST(Core, ReconnectOfAZoneThatKnowsWhereItStoodBringsNothing) {
  TestPlane global("");
  TestPlane east("east");
  auto link = std::make_unique<TestLink>(global, east, "east", "c1");
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(global.put("MeshTimeout", "default", "p" + std::to_string(i), timeout_spec).ok());
  link->settle();
  link->cut();
  east.restart();
  const int commits = east.commits;
  TestLink again(global, east, "east", "c2");
  EXPECT_EQ(again.resources_down, 0u);
  EXPECT_EQ(east.commits, commits) << "nothing is written";
  EXPECT_EQ(east.names("MeshTimeout").size(), 20u);
}

TEST(Core, ZoneTellsWhatItLosesByJoining) {
  TestPlane global("");
  TestPlane east("east");
  ASSERT_TRUE(east.put("Mesh", "", "only-here", "{}").ok());
  ASSERT_TRUE(east.put("MeshTimeout", "default", "mine", timeout_spec).ok());
  TestLink link(global, east, "east", "c1");
  link.settle();
  EXPECT_THAT(east.names("Mesh"), IsEmpty());
  EXPECT_THAT(east.names("MeshTimeout"), ElementsAre("mine"));
  EXPECT_THAT(east.logged, Contains(HasSubstr("only-here")));
  EXPECT_THAT(east.logged, Not(Contains(HasSubstr("mine"))));
}

TEST(Core, ZoneTellsWhatGoesWithAMesh) {
  TestPlane global("");
  TestPlane east("east");
  ASSERT_TRUE(east.put("Mesh", "", "only-here", "{}").ok());
  for (int i = 0; i < 101; ++i)
    ASSERT_TRUE(east.put("MeshTimeout", "only-here", "mine-" + std::to_string(i), timeout_spec).ok());
  TestLink link(global, east, "east", "c1");
  link.settle();
  EXPECT_THAT(east.names("MeshTimeout"), IsEmpty());
  EXPECT_THAT(east.logged, Contains("peer=global lost=MeshTimeout/only-here/mine-0 reason=\"mesh only-here is gone\""));
  EXPECT_THAT(east.logged, Contains("peer=global lost-more=2")) << "the mesh and 101 policies, 100 of them named";
}

TEST(Core, ChangesMadeWhileAZoneWasAwayArriveAloneWhenItReturns) {
  TestPlane global("");
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  for (const auto* name : {"a", "b", "c"}) ASSERT_TRUE(global.put("MeshTimeout", "default", name, timeout_spec).ok());
  link.settle();
  link.cut();
  ASSERT_TRUE(global.remove("MeshTimeout", "default", "a").ok());
  ASSERT_TRUE(global.put("MeshTimeout", "default", "b", slower_timeout_spec).ok());
  ASSERT_TRUE(global.put("MeshTimeout", "default", "short-lived", timeout_spec).ok());
  ASSERT_TRUE(global.remove("MeshTimeout", "default", "short-lived").ok());
  TestLink again(global, east, "east", "c2");
  EXPECT_EQ(again.resources_down, 1u);
  EXPECT_EQ(again.removals_down, 1u) << "the short-lived one was never known in the zone";
  EXPECT_THAT(east.names("MeshTimeout"),
              testing::UnorderedElementsAre(hashed_name("default", "b", {}), hashed_name("default", "c", {})));
}

TEST(Core, ZoneOfAnotherStoreGetsTheFullState) {
  TestPlane global("");
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  ASSERT_TRUE(global.put("MeshTimeout", "default", "a", timeout_spec).ok());
  link.settle();
  link.cut();
  TestPlane other("");
  other.store_id = "another";
  other.restart();
  ASSERT_TRUE(other.put("MeshTimeout", "default", "b", timeout_spec).ok());
  TestLink again(other, east, "east", "c2");
  EXPECT_THAT(east.names("MeshTimeout"), Contains(hashed_name("default", "b", {})));
  // Whether another zone sends what is missing shows after a while.
  other.core->set_now(Timestamp{other.core->now().nanos + CoreOptions().relay_hold_nanos});
  other.core->tick();
  again.settle();
  EXPECT_THAT(east.names("MeshTimeout"), ElementsAre(hashed_name("default", "b", {})));
}

TEST(Core, DisabledZoneIsWithdrawnFromTheOthersAndRestored) {
  TestPlane global("");
  TestPlane east("east");
  TestPlane west("west");
  TestLink to_east(global, east, "east", "c1");
  TestLink to_west(global, west, "west", "c2");
  ASSERT_TRUE(east.put("MeshService", "default", "catalog", service_spec).ok());
  to_east.settle();
  to_west.settle();
  ASSERT_EQ(west.names("MeshService").size(), 1u);
  ASSERT_TRUE(global.put("Zone", "", "east", R"({"enabled":false})").ok());
  to_west.settle();
  EXPECT_THAT(west.names("MeshService"), IsEmpty());
  EXPECT_EQ(global.names("MeshService").size(), 1u);
  ASSERT_TRUE(global.put("Zone", "", "east", R"({"enabled":true})").ok());
  to_west.settle();
  EXPECT_EQ(west.names("MeshService").size(), 1u);
}

TEST(Core, SecretThatAZoneHasItselfIsRejectedAloneAndNotOverwritten) {
  TestPlane global("");
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  ASSERT_TRUE(east.put("Secret", "default", "key", R"({"data":"bG9jYWw="})").ok());
  ASSERT_TRUE(global.put("Secret", "default", "key", R"({"data":"cmVtb3Rl"})").ok());
  ASSERT_TRUE(global.put("Secret", "default", "other", R"({"data":"cmVtb3Rl"})").ok());
  link.settle();
  EXPECT_THAT(east.names("Secret"), ElementsAre("key", "other"));
  EXPECT_FALSE(east.find("Secret", "default", "key")->is_copy());
  const auto& types = global.core->sender_of("east")->types();
  ASSERT_FALSE(types.at("Secret").rejections.empty());
  EXPECT_EQ(types.at("Secret").rejections.front().resource.name, "key") << "kdsd peers say which one";
}

TEST(Core, ZoneCannotReplaceOrRemoveWhatBelongsToOthers) {
  TestPlane global("");
  TestPlane east("east");
  TestPlane west("west");
  TestLink to_east(global, east, "east", "c1");
  TestLink to_west(global, west, "west", "c2");
  ASSERT_TRUE(east.put("MeshService", "default", "catalog", service_spec).ok());
  to_east.settle();
  // The same name on the wire needs the same zone label; a scripted peer sends it as it likes.
  Receiving receiving;
  receiving.zone = "west";
  Resource forged;
  forged.type = Catalogue::builtin().find("MeshService");
  forged.mesh = "default";
  forged.name = hashed_name("default", "catalog", {"east"});
  forged.spec = service_spec;
  const auto applied = global.take(forged, receiving, true);
  EXPECT_EQ(applied.misnamed, 1u);
  EXPECT_THAT(applied.nack_text, testing::StartsWith("user error"));
  EXPECT_EQ(global.find("MeshService", "default", forged.name)->source, "east");
}

Applied sent_by(TestPlane& global, const std::string& zone, const std::string& name, const std::string& shown) {
  Receiving receiving;
  receiving.zone = zone;
  receiving.relays_as = &global.core->sending();
  Resource service;
  service.type = Catalogue::builtin().find("MeshService");
  service.mesh = "default";
  service.name = name;
  service.labels.set(label::display_name, shown);
  service.spec = service_spec;
  return global.take(service, receiving);
}

TEST(Core, ZoneCannotTakeTheFutureNameOfAnother) {
  TestPlane global("");
  const auto of_west = hashed_name("default", "orders", {"west"});
  const auto taken = sent_by(global, "east", of_west, "orders");
  EXPECT_EQ(taken.misnamed, 1u);
  EXPECT_THAT(taken.nack_text, HasSubstr("does not belong to zone \"east\""));
  EXPECT_EQ(sent_by(global, "west", of_west, "orders").created, 1u);
  EXPECT_EQ(global.find("MeshService", "default", of_west)->source, "west");
}

TEST(Core, NamesThatAreNotHashedAreTakenAsAKumaGlobalTakesThem) {
  TestPlane global("");
  EXPECT_EQ(sent_by(global, "east", "plain", "plain").created, 1u);
  EXPECT_EQ(sent_by(global, "east", hashed_name("default", "no-zone-label", {}), "no-zone-label").created, 1u);
}

TEST(Core, TwoResourcesOfAZoneCannotBeRelayedUnderOneName) {
  TestPlane global("");
  EXPECT_EQ(sent_by(global, "east", "n1", "same").created, 1u);
  const auto second = sent_by(global, "east", "n2", "same");
  EXPECT_EQ(second.misnamed, 1u);
  EXPECT_THAT(global.names("MeshService"), ElementsAre("n1"));
  EXPECT_EQ(sent_by(global, "east", "n1", "same").unchanged, 1u);
}

TEST(Core, OneChangeIsEncodedOnceForAllZones) {
  TestPlane global("");
  std::vector<std::unique_ptr<TestPlane>> zones;
  std::vector<std::unique_ptr<TestLink>> links;
  for (int i = 0; i < 10; ++i) {
    const auto name = "zone-" + std::to_string(i);
    zones.push_back(std::make_unique<TestPlane>(name));
    links.push_back(std::make_unique<TestLink>(global, *zones.back(), name, name));
  }
  const auto before = global.core->encodes();
  ASSERT_TRUE(global.put("MeshTimeout", "default", "slow", timeout_spec).ok());
  for (auto& link : links) link->settle();
  EXPECT_EQ(global.core->encodes() - before, 1u);
  for (auto& zone : zones) EXPECT_EQ(zone->names("MeshTimeout").size(), 1u);
}

TEST(Core, NewerConnectionOfAZoneSupersedesTheOlderOne) {
  TestPlane global("");
  TestPlane first("east");
  TestLink old(global, first, "east", "c1");
  TestPlane second("east");
  TestLink fresh(global, second, "east", "c2");
  EXPECT_EQ(global.ended.size(), 2u) << "both streams of the older connection";
  ASSERT_TRUE(global.put("MeshTimeout", "default", "slow", timeout_spec).ok());
  fresh.settle();
  EXPECT_EQ(second.names("MeshTimeout").size(), 1u);
}

TEST(Core, NewerStreamOnTheSameConnectionSupersedesTheOlderOneOfItsKind) {
  TestPlane global("");
  TestPlane first("east");
  TestLink old(global, first, "east", "shared");
  TestPlane second("east");
  TestLink fresh(global, second, "east", "shared");
  EXPECT_EQ(global.ended.size(), 2u);
  ASSERT_TRUE(global.put("MeshTimeout", "default", "slow", timeout_spec).ok());
  fresh.settle();
  EXPECT_EQ(second.names("MeshTimeout").size(), 1u);
}

TEST(Core, DeletedZoneTakesAlongWhatItSent) {
  TestPlane global("");
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  ASSERT_TRUE(east.put("MeshService", "default", "catalog", service_spec).ok());
  link.settle();
  link.cut();
  ASSERT_TRUE(global.remove("Zone", "", "east").ok());
  EXPECT_THAT(global.names("MeshService"), IsEmpty());
  EXPECT_THAT(global.names("ZoneInsight"), IsEmpty());
}

StreamId admin_stream(TestPlane& global, const std::string& zone, const std::string& connection = "c9") {
  const auto opened = global.core->opened({StreamKind::stats, zone, connection, {"zone-ping-health"}, false});
  EXPECT_TRUE(opened.ok());
  return opened.ok() ? *opened : 0;
}

TEST(Core, DeletedZoneLosesItsAdminStreamsToo) {
  TestPlane global("");
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  const auto of_east = admin_stream(global, "east");
  const auto of_west = admin_stream(global, "west");
  ASSERT_TRUE(global.remove("Zone", "", "east").ok());
  EXPECT_EQ(global.ended[of_east], "zone was deleted");
  EXPECT_FALSE(global.ended.contains(of_west));
}

// Nobody is to be asked who does not speak for the zone any more.
TEST(Core, SupersededConnectionLosesItsAdminStreamsToo) {
  TestPlane global("");
  TestPlane first("east");
  TestLink old(global, first, "east", "c1");
  const auto of_old = admin_stream(global, "east", "c1");
  const auto of_new = admin_stream(global, "east", "c2");
  TestPlane second("east");
  TestLink fresh(global, second, "east", "c2");
  EXPECT_EQ(global.ended[of_old], "superseded by a newer connection of the zone");
  EXPECT_FALSE(global.ended.contains(of_new));
}

TEST(Core, ZoneThatPingsNoMoreLosesItsAdminStreamsToo) {
  CoreOptions options;
  options.health_timeout_nanos = 30'000'000'000;
  TestPlane global("", options);
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  const auto stream = admin_stream(global, "east");
  global.pass(29);
  EXPECT_TRUE(global.core->pinged({"east", "", {}}).ok());
  global.pass(29);
  EXPECT_FALSE(global.ended.contains(stream));
  global.pass(2);
  EXPECT_EQ(global.ended[stream], "no health check from the zone");
  EXPECT_EQ(global.ended.size(), 3u);
}

TEST(Core, NoChangeOfAnEpochIsDurableWithoutTheEpoch) {
  TestPlane global("");
  EXPECT_EQ(global.facts["epochs"], "1@0");
  global.commit_outcome = Status(Code::unavailable, "disk full");
  global.restart();
  EXPECT_EQ(global.facts["epochs"], "1@0");
  EXPECT_FALSE(global.put("MeshTimeout", "default", "lost", timeout_spec).ok());
  global.commit_outcome = {};
  ASSERT_TRUE(global.put("MeshTimeout", "default", "slow", timeout_spec).ok());
  EXPECT_EQ(global.facts["epochs"], "1@0,2@0");
}

TEST(Core, PeerThatTakesNothingLosesTheStreamWithTheMessageInIt) {
  CoreOptions options;
  options.send_timeout_nanos = 60'000'000'000;
  TestPlane global("", options);
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  global.pass(120);
  EXPECT_THAT(global.ended, IsEmpty()) << "nothing is on its way";
  global.peers_take = false;
  ASSERT_TRUE(global.put("MeshTimeout", "default", "slow", timeout_spec).ok());
  global.pass(60);
  EXPECT_THAT(global.ended, IsEmpty());
  global.pass(1);
  ASSERT_EQ(global.ended.size(), 1U);
  EXPECT_EQ(global.ended.begin()->second, "the peer does not take what is sent");
}

TEST(Core, ZoneIsOnlineWhileItsStreamLivesAndOfflineAfterwards) {
  TestPlane global("");
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  auto online = [&] {
    kuma::system::v1alpha1::ZoneInsight insight;
    insight.ParseFromString(global.find("ZoneInsight", "", "east")->spec);
    return is_online(insight);
  };
  EXPECT_TRUE(online());
  link.cut();
  EXPECT_FALSE(online());
  TestLink again(global, east, "east", "c2");
  EXPECT_TRUE(online());
  global.restart();  // killed: its stored insight still says connected
  global.step();
  EXPECT_FALSE(online());
}

TEST(Core, InsightHasEveryStreamOfTheZone) {
  TestPlane global("");
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  global.pass(1);
  for (auto kind : {StreamKind::config_dumps, StreamKind::stats, StreamKind::clusters}) {
    StreamOpened asked;
    asked.kind = kind;
    asked.peer_zone = "east";
    asked.connection = "c1";
    ASSERT_TRUE(global.core->opened(asked).ok());
  }
  const auto opened = global.core->now();
  ASSERT_TRUE(global.core->pinged({"east", "", {}}).ok());
  global.pass(20);
  kuma::system::v1alpha1::ZoneInsight insight;
  ASSERT_TRUE(insight.ParseFromString(global.find("ZoneInsight", "", "east")->spec));
  const auto& streams = insight.kds_streams();
  for (const auto* stream : {&streams.clusters(), &streams.config_dump(), &streams.stats(), &streams.global_to_zone(),
                             &streams.zone_to_global()}) {
    EXPECT_EQ(stream->global_instance_id(), "global-1");
    EXPECT_TRUE(stream->has_connect_time());
  }
  EXPECT_EQ(streams.stats().connect_time().seconds(), opened.nanos / 1'000'000'000);
  EXPECT_EQ(streams.zone_to_global().connect_time().seconds(), 0) << "each has its own time";
  EXPECT_TRUE(insight.health_check().has_time());

  const auto of_insight = [&] {
    kuma::system::v1alpha1::ZoneInsight insight;
    EXPECT_TRUE(insight.ParseFromString(global.find("ZoneInsight", "", "east")->spec));
    return insight.kds_streams();
  };
  link.cut();
  global.pass(20);
  EXPECT_TRUE(of_insight().has_stats()) << "of a zone that is away: its last";
  TestLink again(global, east, "east", "c2");
  global.pass(20);
  EXPECT_TRUE(of_insight().has_zone_to_global());
  EXPECT_FALSE(of_insight().has_stats()) << "the newer connection has none";
}

TEST(Core, PingThatIsFasterThanTheStreamsOfItsZoneCounts) {
  TestPlane global("");
  TestPlane east("east");
  TestPlane west("west");
  ASSERT_TRUE(global.core->pinged({"west", "", {}}).ok());
  global.pass(11);
  ASSERT_TRUE(global.core->pinged({"east", "", {}}).ok());
  const auto pinged = global.core->now();
  for (std::size_t i = 1; i < limits::early_pings_kept; ++i)
    ASSERT_TRUE(global.core->pinged({"stranger-" + std::to_string(i), "", {}}).ok());
  TestLink to_east(global, east, "east", "c1");
  TestLink to_west(global, west, "west", "c2");
  global.pass(1);
  const auto health = [&](const std::string& zone) {
    kuma::system::v1alpha1::ZoneInsight insight;
    EXPECT_TRUE(insight.ParseFromString(global.find("ZoneInsight", "", zone)->spec));
    return insight.health_check().time().seconds();
  };
  EXPECT_EQ(health("east"), pinged.nanos / 1'000'000'000);
  EXPECT_EQ(health("west"), 0) << "too long ago";
  EXPECT_EQ(global.find("Zone", "", "stranger-1"), nullptr);
}

TEST(Core, TwoInstancesUnderOneNameShowUntilOneHasStopped) {
  TestPlane global("");
  int connections = 0;
  const auto dial = [&](const std::string& instance) {
    auto id = global.core->opened(
        {StreamKind::global_to_zone, "east", "c" + std::to_string(++connections), {"hash-suffix"}, false});
    ASSERT_TRUE(id.ok());
    Request request;
    request.type = "MeshTimeout";
    request.node_id = "east";
    request.subscribe = {"*"};
    request.node.instance_id = instance;
    global.core->received(*id, encode_request(request));
    global.step();
  };
  dial("one");
  dial("two");
  EXPECT_THAT(global.logged, Contains(testing::StartsWith("zone=east stream=GlobalToZoneSync superseded opened=")));
  EXPECT_EQ(global.core->conflict_of("east"), "") << "a restart looks the same";
  dial("one");
  EXPECT_EQ(global.core->conflict_of("east"), "two control planes use the zone name: instance two (c2) and one (c3)");
  global.pass(119);
  EXPECT_NE(global.core->conflict_of("east"), "");
  global.pass(1);
  EXPECT_EQ(global.core->conflict_of("east"), "");
  EXPECT_EQ(global.core->conflict_of("west"), "");
}

TEST(Core, RequestWithoutNodeEndsItsStreamAndNothingElse) {
  TestPlane global("");
  auto stream = global.core->opened({StreamKind::global_to_zone, "east", "c1", {"hash-suffix"}, false});
  ASSERT_TRUE(stream.ok());
  std::string no_node("\x12\x04Mesh", 6);
  global.core->received(*stream, no_node);
  global.step();
  EXPECT_THAT(global.ended.at(*stream), testing::HasSubstr("node id"));
  auto next = global.core->opened({StreamKind::global_to_zone, "east", "c2", {"hash-suffix"}, false});
  EXPECT_TRUE(next.ok());
  global.core->received(*next, "\xff\xff garbage");
  global.step();
  EXPECT_TRUE(global.ended.contains(*next));
}

TEST(Core, NameThatIsNoZoneNameIsRefused) {
  TestPlane global("");
  for (const auto* name : {"", "East", "east.eu", "-east", "east-", "Bad_Zone.Name with space"}) {
    EXPECT_FALSE(global.core->opened({StreamKind::global_to_zone, name, "c", {}, false}).ok()) << name;
  }
}

TEST(Core, LabelThatStopsSyncTakesTheResourceBack) {
  TestPlane global("");
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  ASSERT_TRUE(global.put("MeshTimeout", "default", "slow", timeout_spec).ok());
  link.settle();
  ASSERT_EQ(east.names("MeshTimeout").size(), 1u);
  ASSERT_TRUE(global.put("MeshTimeout", "default", "slow", timeout_spec, {{"kuma.io/kds-sync", "disabled"}}).ok());
  link.settle();
  EXPECT_THAT(east.names("MeshTimeout"), IsEmpty());
}

TEST(Core, PrivateZoneSigningKeyLeavesTheGlobalAsItsPublicHalfOnly) {
  TestPlane global("");
  TestPlane east("east");
  TestLink link(global, east, "east", "c1");
  for (const auto* name : {"zone-token-signing-key-1", "user-token-signing-key-1", "admin-user-token"}) {
    ASSERT_TRUE(global.put("GlobalSecret", "", name, R"({"data":"bm8ga2V5"})").ok());
  }
  link.settle();
  EXPECT_THAT(east.names("GlobalSecret"), IsEmpty()) << "what is no key cannot be halved and stays";
}

}  // namespace
}  // namespace kdsd::kds
