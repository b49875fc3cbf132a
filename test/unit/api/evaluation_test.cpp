// The endpoints that evaluate what is posted (policy-semantics.md 12.6).
#include <gtest/gtest.h>

#include "fake_backend.h"

namespace kdsd::api {
namespace {

class EvaluationEndpoints : public ::testing::Test {
 protected:
  EvaluationEndpoints() : api(backend) {}
  FakeBackend backend;
  Api api;
};

constexpr char permissions[] = R"({"policies":[{"type":"MeshTrafficPermission","name":"p","labels":{},
  "spec":{"from":[{"targetRef":{"kind":"Mesh"},"default":{"action":"Allow"}}]}}]})";

TEST_F(EvaluationEndpoints, PoliciesAreMergedWithTheOriginOfEachFieldWhenAskedFor) {
  const auto plain = api.send("POST", "/_policy/merge", permissions);
  ASSERT_EQ(plain.status, 200) << plain.text;
  EXPECT_EQ(to_compact_json(plain.body), R"({"rules":[{"matchers":[],"conf":{"action":"Allow"},"origin":["p"]}]})");
  const auto with_origin = api.send("POST", "/_policy/merge?origin=true", permissions);
  EXPECT_EQ(to_compact_json(with_origin.body.at("rules").at(0).at("fields")), R"([{"field":"action","origin":["p"]}])");
  EXPECT_EQ(api.send("POST", "/_policy/merge?origin=maybe", permissions).status, 400);
}

TEST_F(EvaluationEndpoints, PermissionsBecomeAFilter) {
  const auto reply = api.send("POST", "/_policy/rbac", permissions);
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(find_text(reply.body, {"config", "rules", "action"}), "ALLOW");
}

TEST_F(EvaluationEndpoints, GrantsThatAreNotPostedAreTheStoredOnesAndNoneMeansDenial) {
  const auto reply =
      api.send("POST", "/_reference-grants/check",
               R"({"reference":{"from":{"kind":"A","namespace":"a"},"to":{"kind":"B","namespace":"b"}}})");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(to_compact_json(reply.body), R"({"allowed":false,"reason":"no-grant"})");
}

TEST_F(EvaluationEndpoints, PostedGrantsAreEvaluatedWithoutALookAtTheStoredOnes) {
  bool has_looked = false;
  backend.after_next_read = [&] { has_looked = true; };
  const auto reply = api.send("POST", "/_reference-grants/check",
                              R"({"reference":{"from":{"kind":"A","namespace":"a"},"to":{"kind":"B","namespace":"b"}},
      "grants":[{"name":"g","namespace":"b","spec":{"from":[{"kind":"A","namespace":"a"}],"to":[{"kind":"B"}]}}]})");
  EXPECT_EQ(to_compact_json(reply.body), R"({"allowed":true,"reason":"granted-by:b/g"})");
  EXPECT_FALSE(has_looked);
}

TEST_F(EvaluationEndpoints, AttachedPoliciesTakeEffect) {
  const auto reply = api.send("POST", "/_policy-attachment/effective", R"({"chain":[],"policies":[]})");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(to_compact_json(reply.body), R"({"effective":{},"highestToLowest":[]})");
}

TEST_F(EvaluationEndpoints, MalformedInputIsRefusedWithPlaceAndRule) {
  for (const auto* where :
       {"/_policy/merge", "/_policy/rbac", "/_reference-grants/check", "/_policy-attachment/effective"}) {
    const auto no_json = api.send("POST", where, "{");
    EXPECT_EQ(no_json.status, 400) << where;
    EXPECT_EQ(no_json.title(), "Bad Request") << where;
    const auto unknown = api.send("POST", where, R"({"surprise":1})");
    EXPECT_EQ(unknown.status, 400) << where;
    EXPECT_EQ(unknown.title(), "Could not evaluate the input");
    EXPECT_TRUE(unknown.violations().starts_with("surprise=is not known")) << unknown.violations();
  }
  EXPECT_EQ(api.send("POST", "/_policy/rbac", R"({"policies":[{"type":"MeshTrafficPermission","name":"p",
      "spec":{"from":[{"targetRef":{"kind":"Mesh"},"default":{"action":"Perhaps"}}]}}]})")
                .violations(),
            "policies[0].spec.from[0].default.action=must be one of 'Allow', 'Deny', 'AllowWithShadowDeny', "
            "'DenyWithShadowAllow'");
}

}  // namespace
}  // namespace kdsd::api
