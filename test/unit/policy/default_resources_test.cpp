#include "policy/default_resources.h"

#include <map>

#include "model/catalogue.h"
#include "model/document.h"
#include "policy/schema.h"
#include "policy/validate.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

// Specs of a recorded first connection, by display name.
const std::map<std::string, boost::json::value>& recorded() {
  static const auto all = [] {
    std::map<std::string, boost::json::value> out;
    const auto data = read_data("wire/01-first-sync.json");
    for (const auto& event : find(data, {"events"})->get_array()) {
      const auto* resources = find(event, {"message", "resources"});
      if (resources == nullptr || !resources->is_array()) continue;
      for (const auto& entry : resources->get_array()) {
        const auto* spec = find(entry, {"resource", "spec", "value"});
        const auto name = find_text(entry, {"resource", "meta", "labels", "kuma.io/display-name"});
        if (spec != nullptr) out.emplace(name, *spec);
      }
    }
    return out;
  }();
  return all;
}

void expect_recorded(const std::vector<DefaultResource>& list) {
  for (const auto& item : list) {
    auto it = recorded().find(item.name);
    ASSERT_NE(it, recorded().end()) << item.name;
    EXPECT_TRUE(json_equal(item.spec, it->second)) << item.name << ": " << to_compact_json(item.spec);
    const auto& type = *Catalogue::builtin().find(item.type);
    EXPECT_TRUE(check_schema(type, item.spec).ok()) << item.name;
    EXPECT_TRUE(validate_spec(type, item.spec, {}, item.name).ok()) << item.name;
  }
}

TEST(DefaultResourcesTest, PoliciesOfANewMeshAreThoseOfPeers) {
  const auto list = mesh_defaults("default", json_of("{}"), false);
  ASSERT_EQ(list.size(), 4U);
  expect_recorded(list);
}

TEST(DefaultResourcesTest, GeneratorsAreThoseOfPeers) {
  const auto synced = default_hostname_generators({});
  ASSERT_EQ(synced.size(), 5U);
  expect_recorded(synced);
  const auto local = default_hostname_generators({.mode = Mode::zone, .zone = "east"});
  ASSERT_EQ(local.size(), 2U);
  expect_recorded(local);
  EXPECT_EQ(default_hostname_generators({.mode = Mode::zone, .environment = Environment::kubernetes}).size(), 1U);
}

TEST(DefaultResourcesTest, AMeshMaySkipThem) {
  EXPECT_TRUE(mesh_defaults("a", json_of(R"({"skipCreatingInitialPolicies":["*"]})"), true).empty());
  const auto rest = mesh_defaults("a", json_of(R"({"skipCreatingInitialPolicies":["MeshTimeout"]})"), false);
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].name, "mesh-circuit-breaker-all-a");
  EXPECT_EQ(rest[1].name, "mesh-retry-all-a");
}

TEST(DefaultResourcesTest, RoutingResourcesAreMadeOnDemandAndEncode) {
  const auto list = mesh_defaults("a", json_of("{}"), true);
  ASSERT_EQ(list.size(), 6U);
  EXPECT_EQ(list[0].name, "allow-all-a");
  EXPECT_EQ(list[1].name, "route-all-a");
  for (const auto& item : list) {
    EXPECT_TRUE(encode_spec(*Catalogue::builtin().find(item.type), item.spec).ok()) << item.name;
  }
}

}  // namespace
}  // namespace kdsd::policy
