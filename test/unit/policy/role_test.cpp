#include "policy/role.h"

#include "policy/explicit_view.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

struct CaseRole {
  Result<Role> role;
  std::string namespace_;
};

CaseRole role_of(const boost::json::value& input) {
  const std::string namespace_(find_text(input, {"policy", "namespace"}));
  const auto plane = control_plane_of(input);
  return {compute_role(*find(input, {"policy", "spec"}), namespace_, plane.environment,
                       find_text(input, {"systemNamespace"})),
          namespace_};
}

TEST(RoleTest, CasesOfTheSpecificationHold) {
  const auto cases = cases_of("role");
  ASSERT_EQ(cases.size(), 23U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(find_text(entry, {"id"}));
    const auto result = role_of(*find(entry, {"input"})).role;
    const auto error = find_text(entry, {"expected", "error"});
    if (error.empty()) {
      ASSERT_TRUE(result.ok());
      EXPECT_EQ(text(*result), find_text(entry, {"expected", "role"}));
    } else {
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.status().violations().front().field, error == "V-ROLE-1" ? "spec" : "spec.to");
    }
  }
}

TEST(ExplicitViewTest, CasesOfTheSpecificationHold) {
  const auto cases = cases_of("sugar");
  ASSERT_EQ(cases.size(), 10U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(find_text(entry, {"id"}));
    const auto& input = *find(entry, {"input"});
    const auto [role, namespace_] = role_of(input);
    ASSERT_TRUE(role.ok());
    EXPECT_EQ(text(*role), find_text(entry, {"expected", "role"}));
    const auto view =
        explicit_view(*find(input, {"policy", "spec"}), *role, std::string(find_text(input, {"zone"})), namespace_);
    EXPECT_TRUE(json_equal(view.spec, *find(entry, {"expected", "spec"}))) << to_compact_json(view.spec);
    EXPECT_EQ(view.scope.zone, find_text(entry, {"expected", "effectiveScope", "zone"}));
    EXPECT_EQ(view.scope.namespace_, find_text(entry, {"expected", "effectiveScope", "namespace"}));
  }
}

TEST(RoleTest, UnknownLabelReadsAsSystem) {
  EXPECT_EQ(declared_role({}), Role::system);
  EXPECT_EQ(declared_role({{"kuma.io/policy-role", "boss"}}), Role::system);
  for (auto role : {Role::system, Role::producer, Role::consumer, Role::workload_owner}) {
    EXPECT_EQ(role_from_text(text(role)), role);
  }
}

TEST(RoleTest, ConsumersAndOwnersOfWorkloadsAreLimitedToTheirNamespace) {
  EXPECT_TRUE(is_limited(Role::consumer));
  EXPECT_TRUE(is_limited(Role::workload_owner));
  EXPECT_FALSE(is_limited(Role::producer));
  EXPECT_FALSE(is_limited(Role::system));
}

TEST(RoleTest, ZoneTagIsReadFromTagsAndFromLabelsOfDataplanes) {
  const auto tag = [](std::string_view ref) {
    return zone_tag(json_of(std::string(R"({"targetRef":)").append(ref).append("}")));
  };
  EXPECT_EQ(tag(R"({"kind":"MeshSubset","tags":{"kuma.io/zone":"west"}})"), "west");
  EXPECT_EQ(tag(R"({"kind":"MeshServiceSubset","name":"a","tags":{"kuma.io/zone":"west"}})"), "west");
  EXPECT_EQ(tag(R"({"kind":"MeshGateway","name":"a","tags":{"kuma.io/zone":"west"}})"), "west");
  EXPECT_EQ(tag(R"({"kind":"Dataplane","labels":{"kuma.io/zone":"west"}})"), "west");
  EXPECT_EQ(tag(R"({"kind":"MeshGateway","name":"a","tags":{"kuma.io/zone":"*"}})"), "");
  EXPECT_EQ(tag(R"({"kind":"Mesh","tags":{"kuma.io/zone":"west"}})"), "");
  EXPECT_EQ(zone_tag(json_of("{}")), "");
}

}  // namespace
}  // namespace kdsd::policy
