// Plans: what would be refused, what changes for whom, and that documents of one plan know of each other.
#include "kds/plan.h"

#include <gtest/gtest.h>

#include "pair.h"

namespace kdsd::kds {
namespace {

World world_of_east() {
  World world;
  world.catalogue = &Catalogue::builtin();
  auto& here = world.here.control_plane;
  here.mode = policy::Mode::zone;
  here.federated = true;
  here.zone = "east";
  here.environment = policy::Environment::kubernetes;
  world.zones = {{"east", true, here, {}}, {"north", true, {}, {}}, {"west", true, {}, {}}};
  return world;
}

boost::json::value timeout(const std::string& to) {
  return *parse_json(
      R"({"type":"MeshTimeout","mesh":"default","name":"slow","namespace":"shop","spec":{"to":[{"targetRef":)" + to +
      R"(,"default":{"http":{"requestTimeout":"5s"}}}]}})");
}

boost::json::value planned(Plan& plan) {
  plan.admit();
  plan.explain({});
  return plan.json();
}

const boost::json::value& first_of(const boost::json::value& plan) { return plan.at("documents").as_array().front(); }

// What the zone stores of the same policy with an item about its own namespace.
ResourcePtr stored_producer() {
  Plan plan(world_of_east());
  plan.add(timeout(R"({"kind":"MeshService","name":"catalog"})"));
  plan.admit();
  return std::make_shared<const Resource>(*plan.documents().front().result);
}

TEST(Plan, SaysWhichZonesWouldGetIt) {
  Plan plan(world_of_east());
  plan.add(timeout(R"({"kind":"MeshService","name":"catalog"})"));
  const auto answer = planned(plan);
  const auto& document = first_of(answer);
  EXPECT_EQ(find_text(document, {"action"}), "create");
  EXPECT_EQ(find_text(document, {"document"}), "MeshTimeout/default/slow.shop");
  EXPECT_EQ(to_compact_json(document.at("gains")), R"(["north","west"])");
  EXPECT_EQ(find_text(document, {"explanation", "sync", "reason"}), "producer");
}

TEST(Plan, APolicyThatStopsBeingAProducersLosesItsZones) {
  Plan plan(world_of_east());
  plan.add(timeout(R"({"kind":"MeshService","name":"catalog","namespace":"bank"})"));
  plan.documents().front().existing = stored_producer();
  const auto answer = planned(plan);
  const auto& document = first_of(answer);
  EXPECT_EQ(find_text(document, {"action"}), "update");
  EXPECT_EQ(to_compact_json(document.at("loses")), R"(["north","west"])");
  EXPECT_EQ(to_compact_json(document.at("gains")), "[]");
  EXPECT_EQ(find_text(document, {"explanation", "sync", "reason"}), "role-consumer");
}

TEST(Plan, TheSameAgainIsUnchanged) {
  Plan plan(world_of_east());
  plan.add(timeout(R"({"kind":"MeshService","name":"catalog"})"));
  plan.documents().front().existing = stored_producer();
  EXPECT_EQ(find_text(first_of(planned(plan)), {"action"}), "unchanged");
}

TEST(Plan, ARefusalHasItsViolations) {
  Plan plan(world_of_east());
  plan.add(timeout(R"({"kind":"MeshService"})"));
  plan.add(*parse_json("[]"));
  const auto answer = planned(plan);
  EXPECT_EQ(find_text(first_of(answer), {"action"}), "refuse");
  EXPECT_FALSE(first_of(answer).at("violations").as_array().empty());
  EXPECT_EQ(find_text(answer.at("documents").as_array().at(1), {"document"}), "document 2");
}

TEST(Plan, DocumentsResolveToEachOther) {
  Plan plan(world_of_east());
  plan.add(timeout(R"({"kind":"MeshService","name":"catalog"})"));
  plan.add(*parse_json(std::string(R"({"type":"MeshService","mesh":"default","name":"catalog","namespace":"shop",)") +
                       R"("labels":{"kuma.io/origin":"zone"},"spec":)" + service_spec + "}"));
  const auto answer = planned(plan);
  const auto& reference = first_of(answer).at("explanation").at("references").as_array().front();
  EXPECT_EQ(to_compact_json(reference.at("resolved")), R"(["kri_msvc_default_east_shop_catalog_"])");
  EXPECT_EQ(to_compact_json(first_of(answer).at("warnings")), "[]");
}

TEST(Plan, AMeshOfAnEarlierDocumentExists) {
  World world;
  world.catalogue = &Catalogue::builtin();
  Plan plan(world);
  plan.set_meshes({});
  plan.add(
      *parse_json(R"({"type":"MeshTimeout","mesh":"shop","name":"slow","spec":)" + std::string(timeout_spec) + "}"));
  plan.add(*parse_json(R"({"type":"Mesh","name":"shop"})"));
  plan.add(
      *parse_json(R"({"type":"MeshTimeout","mesh":"shop","name":"slow","spec":)" + std::string(timeout_spec) + "}"));
  plan.admit();
  EXPECT_EQ(plan.documents()[0].refusal.code(), Code::not_found);
  EXPECT_TRUE(plan.documents()[1].refusal.ok());
  EXPECT_TRUE(plan.documents()[2].refusal.ok()) << plan.documents()[2].refusal.text();
}

TEST(Plan, WhatAZoneWouldWriteIsComparedWithItsCopyOnTheGlobal) {
  auto there = world_of_east();
  World global;
  global.catalogue = there.catalogue;
  global.zones = there.zones;
  const auto copy = arriving_copy(*stored_producer(), there.here, global.plane(), {});
  Plan plan(there, global);
  plan.add(timeout(R"({"kind":"MeshService","name":"catalog"})"));
  plan.admit();
  plan.documents().front().existing = std::make_shared<const Resource>(copy);
  plan.explain({});
  const auto answer = plan.json();
  EXPECT_EQ(find_text(first_of(answer), {"action"}), "unchanged");
  EXPECT_EQ(to_compact_json(first_of(answer).at("gains")), "[]");
}

}  // namespace
}  // namespace kdsd::kds
