// The endpoints that say why: `_explain`, `_explicit` and `/_plan`.
#include <gtest/gtest.h>

#include "model/hash.h"

#include "fake_backend.h"

namespace kdsd::api {
namespace {

constexpr char producer_spec[] = R"({"to":[{"targetRef":{"kind":"MeshService","name":"catalog"}}]})";

class ExplainEndpoints : public ::testing::Test {
 protected:
  ExplainEndpoints() : api(backend) {
    api.mesh("shop");
    for (const auto* zone : {"east", "west"}) {
      api.put(std::string("/zones/") + zone, std::string(R"({"type":"Zone","name":")") + zone + R"("})");
    }
  }
  // As the global receives it from zone east.
  std::string receive(const std::string& display, const std::string& namespace_, const std::string& role) {
    Resource copy;
    copy.type = Catalogue::builtin().find("MeshTimeout");
    copy.mesh = "shop";
    copy.labels = {{"kuma.io/zone", "east"},          {"kuma.io/origin", "zone"},
                   {"kuma.io/display-name", display}, {"k8s.kuma.io/namespace", namespace_},
                   {"kuma.io/policy-role", role},     {"kuma.io/env", "kubernetes"}};
    copy.name = canonical_name("shop", display, copy.labels);
    copy.source = "east";
    copy.spec = producer_spec;
    backend.store(copy);
    return copy.name;
  }

  FakeBackend backend;
  Api api;
};

TEST_F(ExplainEndpoints, AResourceIsExplainedWithItsOriginReferencesAndZones) {
  const auto name = receive("slow", "bank", "producer");
  const auto reply = api.get("/meshes/shop/meshtimeouts/" + name + "/_explain");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(find_text(reply.body, {"canonicalName"}), name);
  EXPECT_EQ(to_compact_json(reply.body.at("origin")),
            R"({"environment":"kubernetes","kind":"zone","namespace":"bank","zone":"east"})");
  EXPECT_EQ(to_compact_json(reply.body.at("role")), R"({"computed":"producer","declared":"producer"})");
  EXPECT_EQ(to_compact_json(reply.body.at("sync").at("toGlobal")), "true");
  const auto& zones = reply.body.at("sync").at("zones").as_array();
  ASSERT_EQ(zones.size(), 2U);
  EXPECT_EQ(find_text(zones[0], {"reason"}), "origin-zone");
  EXPECT_EQ(find(zones[0], {"delivery"}), nullptr);
  EXPECT_EQ(find_text(zones[1], {"reason"}), "producer");
  EXPECT_EQ(find_text(zones[1], {"delivery", "state"}), "unknown");
  const auto& reference = reply.body.at("references").as_array().at(0);
  EXPECT_EQ(find_text(reference, {"name"}), hashed_name("shop", "catalog", {"east", "bank"}));
  EXPECT_EQ(to_compact_json(reference.at("original")), R"({"name":"catalog"})");
}

TEST_F(ExplainEndpoints, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts/none/_explain").status, 404);
  EXPECT_EQ(api.get("/meshes/none/meshtimeouts/none/_explain").title(), "Failed to retrieve Mesh");
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts/none/_explicit").status, 404);
  EXPECT_EQ(api.get("/zones/east/_explicit").status, 404) << "only policies are spelled out";
  EXPECT_EQ(api.get("/zones/east/_explain").status, 200);
}

TEST_F(ExplainEndpoints, TheExplicitViewIsNeverStored) {
  const auto name = receive("slow", "bank", "consumer");
  const auto reply = api.get("/meshes/shop/meshtimeouts/" + name + "/_explicit");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(find_text(reply.body, {"role"}), "consumer");
  EXPECT_EQ(to_compact_json(reply.body.at("effectiveScope")), R"({"namespace":"bank","zone":"east"})");
  EXPECT_TRUE(json_equal(reply.body.at("resource").at("spec"), boost::json::parse(R"({
      "targetRef":{"kind":"MeshSubset","tags":{"k8s.kuma.io/namespace":"bank","kuma.io/zone":"east"}},
      "to":[{"targetRef":{"kind":"MeshService","name":"catalog","namespace":"bank"}}]})")))
      << reply.text;
  const auto stored = api.get("/meshes/shop/meshtimeouts/" + name);
  EXPECT_EQ(find(stored.body, {"spec", "targetRef"}), nullptr);
}

TEST_F(ExplainEndpoints, APlanWritesNothing) {
  const auto document = api.timeout("shop", "slow");
  const auto reply = api.send("POST", "/_plan", R"({"documents":[)" + document + "]}");
  ASSERT_EQ(reply.status, 200) << reply.text;
  const auto& planned = reply.body.at("documents").as_array().at(0);
  EXPECT_EQ(find_text(planned, {"action"}), "create");
  EXPECT_EQ(to_compact_json(planned.at("gains")), R"(["east","west"])");
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts/slow").status, 404);
  api.put_timeout("shop", "slow");
  const auto again = api.send("POST", "/_plan", R"({"documents":[)" + document + "]}");
  EXPECT_EQ(find_text(again.body.at("documents").as_array().at(0), {"action"}), "unchanged");
}

TEST_F(ExplainEndpoints, APlanRefusesWhatAWriteWouldRefuse) {
  const auto name = receive("slow", "bank", "producer");
  const auto copy = R"({"type":"MeshTimeout","mesh":"shop","name":")" + name +
                    R"(","spec":{"targetRef":{"kind":"Mesh"},)" +
                    R"("to":[{"targetRef":{"kind":"Mesh"},"default":{"http":{"requestTimeout":"5s"}}}]}})";
  const auto lost = api.timeout("nowhere", "slow");
  const auto reply = api.send("POST", "/_plan", R"({"documents":[)" + copy + "," + lost + ",7]}");
  ASSERT_EQ(reply.status, 200) << reply.text;
  for (const auto& planned : reply.body.at("documents").as_array()) {
    EXPECT_EQ(find_text(planned, {"action"}), "refuse") << to_compact_json(planned);
  }
  EXPECT_EQ(find_text(reply.body.at("documents").as_array().at(1), {"refusal"}), "there is no mesh nowhere");
}

TEST_F(ExplainEndpoints, APlanHasAListOfDocumentsAndAKnownZone) {
  EXPECT_EQ(api.send("POST", "/_plan", "{}").status, 400);
  EXPECT_EQ(api.send("POST", "/_plan", "[").status, 400);
  EXPECT_EQ(api.send("POST", "/_plan?zone=north", R"({"documents":[]})").status, 400);
  const auto reply = api.send("POST", "/_plan?zone=east", R"({"documents":[]})");
  EXPECT_EQ(reply.status, 400) << "it never told what it is";
}

}  // namespace
}  // namespace kdsd::api
