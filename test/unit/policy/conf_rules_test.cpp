#include "policy/conf_rules.h"

#include <map>

#include "policy/own_door.h"
#include "policy/schema.h"
#include "policy/validate.h"

#include "cases.h"
#include "conf_cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

boost::json::value yaml_of(std::string_view text) {
  auto documents = parse_yaml_documents(text);
  EXPECT_TRUE(documents.ok()) << text << ": " << documents.status().text();
  return documents.ok() && !documents->empty() ? documents->front() : boost::json::value();
}

// As it is when its schema has been applied.
boost::json::value spec_of(const ConfCase& each, const ResourceType& type) {
  auto checked = check_schema(type, yaml_of(each.spec));
  EXPECT_TRUE(checked.ok()) << joined(checked.violations);
  EXPECT_TRUE(check_decodes(type, checked.spec).ok());
  return checked.spec;
}

TEST(ConfRulesTest, AuthorsReadTheFieldsAndTextsOfKuma) {
  const ControlPlaneKind plane;
  for (const auto& each : conf_cases) {
    SCOPED_TRACE(std::string(each.type) + "\n" + std::string(each.spec));
    const auto& type = *Catalogue::builtin().find(each.type);
    const auto outcome = check_spec_of_own(type, spec_of(each, type), {}, "a", {&plane, "", {}});
    EXPECT_EQ(joined(outcome.violations), each.expected);
  }
}

// kds-protocol.md 6.1, step 2.
TEST(ConfRulesTest, PeersAreHeldToThem) {
  for (const auto& each : conf_cases) {
    SCOPED_TRACE(std::string(each.type) + "\n" + std::string(each.spec));
    const auto& type = *Catalogue::builtin().find(each.type);
    EXPECT_EQ(joined(validate_received(type, spec_of(each, type), {}, "a").violations), each.expected);
  }
}

TEST(ConfRulesTest, EveryTypeWithRulesHasCasesOfBothKinds) {
  std::map<std::string_view, std::pair<int, int>> counts;  // refused, accepted
  for (const auto& each : conf_cases) ++(each.expected.empty() ? counts[each.type].second : counts[each.type].first);
  EXPECT_EQ(counts.size(), 14U);
  for (const auto& [type, count] : counts) {
    EXPECT_GE(count.first, 2) << type;
    EXPECT_GE(count.second, 1) << type;
  }
}

Outcome on_global(std::string_view type, std::string_view spec) {
  const ControlPlaneKind plane;
  return check_spec_of_own(*Catalogue::builtin().find(type), yaml_of(spec), {}, "a", {&plane, "", {}});
}

TEST(ConfRulesTest, ViolationsStandWithTheirItem) {
  const auto outcome = on_global("MeshTimeout", R"(
to:
- {targetRef: {kind: Mesh}, default: {connectionTimeout: 0s}}
- {targetRef: {kind: MeshService}, default: {connectionTimeout: 0s}}
- {targetRef: {kind: MeshService}, default: {idleTimeout: 1s}}
)");
  EXPECT_EQ(joined(outcome.violations),
            "spec.to[0].default.connectionTimeout: must be greater than zero when defined; "
            "spec.to[1].targetRef.name: must be set with kind MeshService; "
            "spec.to[1].default.connectionTimeout: must be greater than zero when defined; "
            "spec.to[2].targetRef.name: must be set with kind MeshService");
}

TEST(ConfRulesTest, NobodyLooksIntoASectionThatMayNotBeThere) {
  const auto outcome = on_global("MeshRateLimit", R"(
from: [{targetRef: {kind: Mesh}, default: {local: {}}}]
)");
  EXPECT_EQ(joined(outcome.violations),
            "spec.from: must not be defined when the scope includes a Gateway, select only proxyType Sidecar or select "
            "only gateways and use spec.to");
}

TEST(ConfRulesTest, AFaultThatOtherRulesReportIsReportedOnce) {
  const auto outcome = on_global("MeshHTTPRoute", R"(
to:
- targetRef: {kind: MeshService, name: web}
  rules:
  - matches: [{path: {type: PathPrefix, value: /a}}]
    default:
      filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshMultiZoneService, name: b}}}]
)");
  EXPECT_EQ(joined(outcome.violations),
            "spec.to[0].rules[0].default.filters[0].requestMirror.backendRef.port: must be defined with kind "
            "MeshMultiZoneService");
}

}  // namespace
}  // namespace kdsd::policy
