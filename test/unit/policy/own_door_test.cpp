#include "policy/own_door.h"

#include "policy/reference_grant.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

std::vector<Grant> grants_of(const boost::json::value& input) {
  std::vector<Grant> out;
  const auto* list = find(input, {"grants"});
  if (list == nullptr) return out;
  for (const auto& entry : list->get_array()) {
    out.push_back({std::string(find_text(entry, {"namespace"})), std::string(find_text(entry, {"name"})),
                   *find(entry, {"spec"})});
  }
  return out;
}

ObjectKind object_of(const boost::json::value& value) {
  return {std::string(find_text(value, {"group"})), std::string(find_text(value, {"kind"})),
          std::string(find_text(value, {"namespace"}))};
}

// The verdict on one case, by the functions that the type of the resource calls for.
Outcome judge(const boost::json::value& input) {
  const auto& resource = *find(input, {"resource"});
  const auto& spec = *find(resource, {"spec"});
  const std::string namespace_(find_text(resource, {"namespace"}));
  Outcome outcome;
  if (find(input, {"attachment"}) != nullptr) {
    check_attached_policy(spec, namespace_, outcome);
    return outcome;
  }
  if (find_text(resource, {"type"}) == "ReferenceGrant") {
    check_reference_grant(spec, outcome);
    return outcome;
  }
  auto plane = control_plane_of(*find(input, {"node"}));
  plane.namespaced_gateway_routes = find(input, {"options", "namespacedGatewayRoutes"}) != nullptr;
  const auto grants = grants_of(input);
  OwnDoor door{
      &plane, namespace_, [&](const BackendUse& use) {
        return grant_allows(
                   {{"kuma.io", use.from_kind, use.from_namespace}, {"kuma.io", use.to_kind, use.to_namespace}}, grants)
            .allowed;
      }};
  const auto* type = Catalogue::builtin().find(find_text(resource, {"type"}));
  // What the schema stage does before: an item of `from` without a reference gets one.
  auto filled = spec;
  if (auto* from = filled.get_object().if_contains("from")) {
    for (auto& item : from->get_array()) item.get_object().emplace("targetRef", boost::json::object{{"kind", "Mesh"}});
  }
  return validate_own(*type, filled, labels_of(find(resource, {"labels"})), std::string(find_text(resource, {"mesh"})),
                      find_text(resource, {"name"}), door);
}

TEST(OwnDoorTest, CasesOfTheSpecificationHold) {
  const auto cases = cases_of("validation");
  ASSERT_EQ(cases.size(), 40U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(std::string(find_text(entry, {"id"})) + " " + std::string(find_text(entry, {"title"})));
    const auto outcome = judge(*find(entry, {"input"}));
    Violations expected;
    for (const auto& violation : find(entry, {"expected", "violations"})->get_array()) {
      expected.push_back(
          {std::string(find_text(violation, {"field"})), std::string(find_text(violation, {"message"}))});
    }
    EXPECT_EQ(joined(outcome.violations), joined(expected));
    std::vector<std::string> warnings;
    for (const auto& warning : outcome.warnings) {
      if (warning.starts_with("selects no")) warnings.push_back(warning);  // the cases leave deprecations out
    }
    std::vector<std::string> expected_warnings;
    for (const auto& warning : find(entry, {"expected", "warnings"})->get_array()) {
      expected_warnings.emplace_back(find_text(warning, {"message"}));
    }
    EXPECT_EQ(warnings, expected_warnings);
  }
}

TEST(ReferenceGrantTest, CasesOfTheSpecificationHold) {
  const auto cases = cases_of("reference-grant");
  ASSERT_EQ(cases.size(), 15U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(find_text(entry, {"id"}));
    const auto& input = *find(entry, {"input"});
    const CrossNamespaceReference reference{object_of(*find(input, {"reference", "from"})),
                                            object_of(*find(input, {"reference", "to"}))};
    const auto decision = grant_allows(reference, grants_of(input));
    EXPECT_EQ(decision.allowed, find(entry, {"expected", "allowed"})->get_bool());
    EXPECT_EQ(decision.reason, find_text(entry, {"expected", "reason"}));
  }
}

TEST(ReferenceGrantTest, EntriesNeedKindAndNamespaceOfBoundedLength) {
  Outcome outcome;
  const std::string longer(254, 'x');
  check_reference_grant(json_of(R"({"from":[{"kind":"","namespace":"a"}],"to":[{"kind":")" + longer + R"("}]})"),
                        outcome);
  EXPECT_EQ(joined(outcome.violations),
            "spec.from[0].kind: must be set; spec.to[0].kind: must be at most 253 characters long");
}

Outcome on_universal_zone(std::string_view type, std::string_view spec) {
  ControlPlaneKind plane{.mode = Mode::zone, .federated = true, .zone = "east"};
  return check_spec_of_own(*Catalogue::builtin().find(type), json_of(spec), {}, "a", {&plane, "", {}});
}

TEST(OwnDoorTest, MultiZoneServiceNeedsNameOrLabelsInTheOrderOfItems) {
  const auto outcome = on_universal_zone("MeshTimeout", R"({"to":[
    {"targetRef":{"kind":"MeshService"},"default":{"idleTimeout":"1s"}},
    {"targetRef":{"kind":"MeshMultiZoneService"},"default":{"idleTimeout":"1s"}},
    {"targetRef":{"kind":"MeshService"},"default":{"idleTimeout":"1s"}}]})");
  EXPECT_EQ(joined(outcome.violations),
            "spec.to[0].targetRef.name: must be set with kind MeshService; "
            "spec.to[1].targetRef.name: must be set with kind MeshMultiZoneService; "
            "spec.to[2].targetRef.name: must be set with kind MeshService");
}

TEST(OwnDoorTest, PolicyOfAUniversalZoneForAnotherZoneIsWarnedAbout) {
  const auto outcome =
      on_universal_zone("MeshTimeout", R"({"targetRef":{"kind":"Dataplane","labels":{"kuma.io/zone":"west"}},
    "to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"1s"}}]})");
  EXPECT_TRUE(outcome.ok()) << joined(outcome.violations);
  EXPECT_EQ(outcome.warnings,
            std::vector<std::string>{"selects no data plane proxy: the policy is limited to zone 'east' but "
                                     "targets zone 'west'"});
}

TEST(OwnDoorTest, ActionsAreComparedWithoutCaseAndUnderscores) {
  for (std::string action : {"ALLOW", "Deny", "AllowWithShadowDeny", "DENY_WITH_SHADOW_ALLOW", "denyWithShadowAllow"}) {
    const auto outcome =
        on_universal_zone("MeshTrafficPermission",
                          R"({"from":[{"targetRef":{"kind":"Mesh"},"default":{"action":")" + action + R"("}}]})");
    EXPECT_TRUE(outcome.ok()) << joined(outcome.violations);
  }
  const auto refused = on_universal_zone("MeshTrafficPermission",
                                         R"({"from":[{"targetRef":{"kind":"Mesh"},"default":{"action":"REJECT"}}]})");
  ASSERT_EQ(refused.violations.size(), 1U);
  EXPECT_EQ(refused.violations[0].field, "spec.from[0].default.action");
}

}  // namespace
}  // namespace kdsd::policy
