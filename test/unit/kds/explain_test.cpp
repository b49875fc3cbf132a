// Explanations: the cases of the specification about the sync decision, and one policy seen from three places.
#include "kds/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kds/explanation_json.h"
#include "kds/reasons.h"
#include "policy/labels.h"
#include "policy/object_questions.h"

#include "decision_cases.h"

namespace kdsd::kds {
namespace {

using policy::testing::cases_of;
using policy::testing::control_plane_of;
using policy::testing::json_of;

policy::ControlPlaneKind plane(policy::Mode mode, const std::string& zone, const std::string& system_namespace) {
  policy::ControlPlaneKind kind;
  kind.mode = mode;
  kind.federated = mode == policy::Mode::zone;
  kind.zone = zone;
  if (!system_namespace.empty()) {
    kind.environment = policy::Environment::kubernetes;
    kind.system_namespace = system_namespace;
  }
  return kind;
}

policy::ObjectLookup nothing_stored() {
  static const policy::ObjectAnswers none;
  return none.lookup();
}

World world_of_case(const boost::json::value& input) {
  World world;
  world.catalogue = &Catalogue::builtin();
  world.here.control_plane = control_plane_of(*find(input, {"origin"}));
  world.here.control_plane.federated = true;
  world.global = policy::ControlPlaneKind();
  for (const auto& entry : find(input, {"zones"})->get_array()) {
    KnownZone zone{std::string(find_text(entry, {"name"})), find(entry, {"enabled"})->get_bool(), {}, {}};
    zone.features = KnownFeatures::of(features_of_case(entry));
    world.zones.push_back(std::move(zone));
  }
  std::sort(world.zones.begin(), world.zones.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return world;
}

std::vector<std::string> sorted_texts(const boost::json::value& list) {
  std::vector<std::string> out;
  for (const auto& item : list.get_array()) out.emplace_back(item.get_string().c_str());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> receivers(const Explanation& explanation) {
  std::vector<std::string> out;
  for (const auto& zone : explanation.zones) {
    if (zone.sent) out.push_back(zone.zone);
  }
  return out;
}

TEST(Explain, SaysWhatTheCasesOfTheSpecificationSay) {
  const auto cases = cases_of("sync-decision");
  ASSERT_EQ(cases.size(), 34U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(std::string(find_text(entry, {"id"})) + " " + std::string(find_text(entry, {"title"})));
    const auto& input = *find(entry, {"input"});
    const auto& expected = *find(entry, {"expected"});
    const auto world = world_of_case(input);
    const auto explained = explain(resource_of_case(input, world.plane()), world, nothing_stored());
    EXPECT_EQ(explained.reason, find_text(expected, {"reason"}));
    EXPECT_NE(sentence_of(explained.reason), explained.reason) << "no sentence";
    EXPECT_EQ(receivers(explained), sorted_texts(*find(expected, {"toZones"})));
    const auto& to_global = *find(expected, {"toGlobal"});
    const auto told = to_global.is_null() ? std::nullopt : std::optional(to_global.get_bool());
    EXPECT_EQ(explained.to_global, told);
    for (const auto& zone : explained.zones) EXPECT_NE(sentence_of(zone.reason), zone.reason) << zone.reason;
  }
}

// The sequence of 4.10: a producer policy of zone east, seen in three places.
class ThreePlaces : public ::testing::Test {
 protected:
  ThreePlaces() {
    world_.catalogue = &Catalogue::builtin();
    world_.here.control_plane = plane(policy::Mode::zone, "east", "kuma-system");
    world_.global = plane(policy::Mode::global, "", "kuma-system");
    world_.zones = {{"east", true, world_.here.control_plane, {}},
                    {"north", true, {}, KnownFeatures::of(Features({"hash-suffix", "optional-top-level-target-ref"}))},
                    {"west", true, plane(policy::Mode::zone, "west", "mesh-system"), {}}};
    policy_.type = Catalogue::builtin().find("MeshTimeout");
    policy_.mesh = "default";
    policy_.name = "catalog-timeouts.shop";
    const auto spec = json_of(
        R"({"to":[{"targetRef":{"kind":"MeshService","name":"catalog"},"default":{"connectionTimeout":"10s"}}]})");
    policy_.spec = to_wire_json(spec);
    policy_.labels =
        policy::complete_labels(world_.plane(), *policy_.type, "default", {"catalog-timeouts", "shop"}, spec, {});
  }

  // As the global has it.
  Resource copy() const { return arriving_copy(policy_, world_.here, *world_.global, {}); }
  World seen_by_global() const {
    World world = world_;
    world.here.control_plane = *world_.global;
    world.global.reset();
    return world;
  }
  static std::string place_text(const Place& place) {
    return (place.is_global ? std::string("global") : place.zone) + " " + place.name + " " +
           place.namespace_.value_or("?");
  }
  static std::vector<std::string> places_of(const Explanation& explained) {
    std::vector<std::string> out;
    for (const auto& place : explained.places) out.push_back(place_text(place));
    return out;
  }

  World world_;
  Resource policy_;
};

TEST_F(ThreePlaces, NamesAndNamespacesAreThoseOfTheSpecification) {
  const std::vector<std::string> expected = {"east catalog-timeouts shop",
                                             "global catalog-timeouts-cbf955d8z9d525vf kuma-system",
                                             "west catalog-timeouts-cbf955d8z9d525vf mesh-system"};
  EXPECT_EQ(places_of(explain(policy_, world_, nothing_stored())), expected);
  auto copy = this->copy();
  copy.name += ".kuma-system";
  EXPECT_EQ(places_of(explain(copy, seen_by_global(), nothing_stored())), expected);
}

TEST_F(ThreePlaces, EachReferenceIsShownAsEachPlaceHasIt) {
  const auto explained = explain(copy(), seen_by_global(), nothing_stored());
  ASSERT_EQ(explained.references.size(), 1U);
  const auto& reference = explained.references.front();
  EXPECT_EQ(reference.path, "spec.to[0].targetRef");
  EXPECT_EQ(to_compact_json(reference.there.at(0)), R"({"kind":"MeshService","name":"catalog"})");
  EXPECT_EQ(to_compact_json(reference.there.at(1)),
            R"({"kind":"MeshService","name":"catalog-fv9v4c7b29w24244","namespace":"kuma-system"})");
  EXPECT_EQ(to_compact_json(reference.there.at(2)),
            R"({"kind":"MeshService","name":"catalog-fv9v4c7b29w24244","namespace":"mesh-system"})");
  EXPECT_EQ(reference.here, reference.there.at(1));
}

TEST_F(ThreePlaces, ReasonsAreGivenForEachZone) {
  const auto explained = explain(copy(), seen_by_global(), nothing_stored());
  EXPECT_EQ(explained.reason, "producer");
  ASSERT_EQ(explained.zones.size(), 3U);
  EXPECT_EQ(explained.zones[0].reason, "origin-zone");
  EXPECT_EQ(explained.zones[1].reason, "feature-missing:producer-policy-flow");
  EXPECT_EQ(explained.zones[2].reason, "producer");
  ASSERT_TRUE(explained.role);
  EXPECT_EQ(explained.role->computed, "producer");
  EXPECT_EQ(explained.role->declared, "producer");
  EXPECT_EQ(explained.canonical_name, "catalog-timeouts-cbf955d8z9d525vf");
  EXPECT_EQ(explained.kri, "kri_mt_default_east_shop_catalog-timeouts_");
}

TEST_F(ThreePlaces, ReferencesResolveToWhatIsStored) {
  auto service = std::make_shared<Resource>();
  service->type = Catalogue::builtin().find("MeshService");
  service->mesh = "default";
  service->name = "catalog-fv9v4c7b29w24244.kuma-system";
  service->source = "east";
  service->labels = {{"kuma.io/zone", "east"}, {"k8s.kuma.io/namespace", "shop"}, {"kuma.io/display-name", "catalog"}};
  service->spec = "{}";

  policy::ObjectQuestions questions;
  auto explained = explain(copy(), seen_by_global(), questions.noting());
  EXPECT_THAT(explained.warnings, ::testing::ElementsAre(::testing::HasSubstr("spec.to[0].targetRef: nothing")));
  policy::ObjectAnswers answers;
  const policy::ObjectQuestions::OfKind kind{service->type, "default"};
  ASSERT_TRUE(questions.named().at(kind).contains("catalog-fv9v4c7b29w24244"));
  answers.add_named(kind, "catalog-fv9v4c7b29w24244", service);
  explained = explain(copy(), seen_by_global(), answers.lookup());
  EXPECT_TRUE(explained.warnings.empty());
  ASSERT_EQ(explained.references.front().resolved.size(), 1U);
  EXPECT_EQ(explained.references.front().resolved.front().kri, "kri_msvc_default_east_shop_catalog_");
}

TEST_F(ThreePlaces, AZoneTellsOfTheWayUpAndNotOfOtherZones) {
  world_.zones.clear();
  world_.global.reset();
  world_.knows_zones = false;
  const auto answer = explanation_json(explain(policy_, world_, nothing_stored()));
  EXPECT_EQ(to_compact_json(*find(answer, {"sync", "toGlobal"})), "true");
  EXPECT_EQ(find_text(answer, {"sync", "reason"}), "producer");
  EXPECT_EQ(find(answer, {"sync", "zones"}), nullptr);
  // What the global's environment is, the zone was never told.
  EXPECT_TRUE(find(answer, {"places"})->get_array().at(1).at("namespace").is_null());
}

TEST_F(ThreePlaces, WithoutAGlobalNothingLeavesAZone) {
  world_.here.control_plane.federated = false;
  const auto explained = explain(policy_, world_, nothing_stored());
  EXPECT_EQ(explained.reason, "no-global");
  EXPECT_EQ(explained.to_global, false);
  EXPECT_EQ(explained.places.size(), 1U);
}

TEST_F(ThreePlaces, AZoneThatDoesNotRewriteIsShownTheAuthorsReferences) {
  world_.zones[2].features =
      KnownFeatures::of(Features({"hash-suffix", "optional-top-level-target-ref", "producer-policy-flow"}));
  const auto explained = explain(policy_, world_, nothing_stored());
  EXPECT_EQ(to_compact_json(explained.references.at(0).there.at(2)), R"({"kind":"MeshService","name":"catalog"})");
}

TEST(Reasons, WordsWithAValueSaySo) {
  EXPECT_EQ(sentence_of("zone-tag:west"), "its top-level targetRef names zone west");
  EXPECT_EQ(sentence_of("origin-zone"), "it was written there");
  EXPECT_EQ(sentence_of("origin-zone-disabled"), "the zone that wrote it is disabled");
  EXPECT_EQ(sentence_of("nobody says this"), "nobody says this");
}

}  // namespace
}  // namespace kdsd::kds
