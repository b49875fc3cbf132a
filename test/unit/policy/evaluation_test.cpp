// What is posted for an evaluation is refused with place and rule where it is wrong.
#include "policy/engine/evaluation.h"

#include <functional>

#include "policy/engine/to_rules.h"

#include "engine_cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;
namespace json = boost::json;

std::string refusal(const Result<json::object>& result) {
  if (result.ok()) return "accepted";
  EXPECT_EQ(result.status().code(), Code::invalid);
  return joined(result.status().violations());
}

std::string merge(std::string_view input) { return refusal(evaluate_merge(json_of(input), Catalogue::builtin(), {})); }
std::string rbac(std::string_view input) { return refusal(evaluate_rbac(json_of(input), Catalogue::builtin(), {})); }
std::string grant(std::string_view input) { return refusal(evaluate_grant(json_of(input), {})); }
std::string attachment(std::string_view input) { return refusal(evaluate_attachment(json_of(input), {})); }

TEST(EvaluationTest, AnInputThatIsNoObjectIsRefused) {
  EXPECT_EQ(merge("[]"), ": must be an object; policies: must be set");
  EXPECT_EQ(rbac("1"), ": must be an object; policies: must be set");
  EXPECT_EQ(grant("null"), ": must be an object; reference: must be set");
  EXPECT_EQ(attachment("\"\""), ": must be an object; chain: must be set; policies: must be set");
}

TEST(EvaluationTest, MembersThatNobodyKnowsAreRefused) {
  EXPECT_EQ(merge(R"({"policies":[],"veiw":"full"})"),
            "veiw: is not known; known are 'mergeKind', 'view', 'itemPrecedence', 'policies'");
  EXPECT_EQ(merge(R"({"policies":[],"view":"wide"})"), "view: must be one of 'automatic', 'full', 'compact'");
  EXPECT_EQ(merge(R"({"mergeKind":"all"})"),
            "mergeKind: must be one of 'to', 'from', 'single-item', 'routes'; policies: must be set");
}

TEST(EvaluationTest, PoliciesNeedATypeANameAndReferences) {
  EXPECT_EQ(merge(R"({"policies":[{"type":"MeshTimout","name":"a"}]})"),
            "policies[0].type: 'MeshTimout' is no type of resource");
  EXPECT_EQ(merge(R"({"policies":[{"type":"Zone","name":"a"}]})"),
            "policies[0].type: 'Zone' is no policy with a targetRef");
  EXPECT_EQ(merge(R"({"policies":[{"type":"MeshTimeout","name":"a"},{"type":"MeshTLS","name":"b"}]})"),
            "policies[1].type: must be 'MeshTimeout' as in the first policy");
  EXPECT_EQ(merge(R"({"policies":[{"type":"MeshTimeout","labels":{"a":1}}]})"),
            "policies[0].name: must be set; policies[0].labels[\"a\"]: must be a text");
  EXPECT_EQ(merge(R"({"policies":[{"type":"MeshTimeout","name":"a","spec":{"targetRef":{"kind":"Proxy"},"to":{},
                      "from":[1,{"targetRef":{"kind":"X"}}]}}]})"),
            "policies[0].spec.targetRef.kind: must be a kind of reference; policies[0].spec.to: must be a list; "
            "policies[0].spec.from[0]: must be an object; "
            "policies[0].spec.from[1].targetRef.kind: must be a kind of reference");
}

TEST(EvaluationTest, OutboundsAreKris) {
  EXPECT_EQ(merge(R"({"policies":[],"outbounds":[{"outbound":"catalog"},{"route":"kri_x______"}]})"),
            "outbounds[0].outbound: invalid identifier string: \"catalog\"; outbounds[1].outbound: must be set; "
            "outbounds[1].route: unknown short name of resource type: \"x\"");
  EXPECT_EQ(
      merge(R"({"policies":[],"options":{"toKindStep":1},"resources":[{"name":"a","type":"MeshService","spec":[]}]})"),
      "options.toKindStep: must be true or false; resources[0].spec: must be an object");
}

TEST(EvaluationTest, OnlyTypesWithoutItemsAreMergedWhole) {
  EXPECT_EQ(merge(R"({"mergeKind":"single-item","policies":[{"type":"MeshTimeout","name":"a"}]})"),
            "mergeKind: 'MeshTimeout' has items, so its policies are not merged whole");
  EXPECT_EQ(merge(R"({"mergeKind":"routes","confsLowToHigh":[{"rules":[{"matches":1}],"hostnames":[1]}]})"),
            "confsLowToHigh[0].rules[0].matches: must be a list; confsLowToHigh[0].hostnames[0]: must be a text");
}

TEST(EvaluationTest, PermissionsNeedActionsAndIdsThatAreKnown) {
  const std::string begin = R"({"policies":[{"type":"MeshTrafficPermission","name":"a","spec":)";
  EXPECT_EQ(rbac(begin + R"({"from":[{"targetRef":{"kind":"Mesh"},"default":{"action":"Permit"}}]}}]})"),
            "policies[0].spec.from[0].default.action: must be one of 'Allow', 'Deny', 'AllowWithShadowDeny', "
            "'DenyWithShadowAllow'");
  EXPECT_EQ(rbac(begin + R"({"rules":[{"default":{"deny":[{"spiffeID":{"type":"Regex"}}],"allow":1}}]}}]})"),
            "policies[0].spec.rules[0].default.deny[0].spiffeID.type: must be 'Exact' or 'Prefix'; "
            "policies[0].spec.rules[0].default.deny[0].spiffeID.value: must be set; "
            "policies[0].spec.rules[0].default.allow: must be a list");
  EXPECT_EQ(rbac(R"({"policies":[{"type":"MeshTimeout","name":"a"}]})"),
            "policies[0].type: must be 'MeshTrafficPermission'");
  EXPECT_EQ(rbac(R"({"policies":[],"mtls":"yes","servicePrincipal":"dns"})"),
            "mtls: must be true or false; servicePrincipal: must be one of 'spiffe', 'kuma-tag'");
}

TEST(EvaluationTest, GrantsAndReferencesNeedKindsAndNamespaces) {
  EXPECT_EQ(grant(R"({"reference":{"from":{"kind":"HTTPRoute"},"to":{}}})"),
            "reference.from.namespace: must be set; reference.to.kind: must be set");
  EXPECT_EQ(grant(R"({"reference":{"from":{"kind":"A","namespace":"a"},"to":{"kind":"B"}},
                      "grants":[{"name":"g","namespace":"b","spec":{"from":[{"kind":"A","namespace":"*"}]}}]})"),
            "grants[0].spec.to: must have at least one item; grants[0].spec.from[0].namespace: must name exactly one "
            "namespace");
}

TEST(EvaluationTest, StoredGrantsCountWhereNoneArePosted) {
  const auto reference =
      json_of(R"({"reference":{"from":{"group":"a","kind":"A","namespace":"a"},"to":{"kind":"B","namespace":"b"}}})");
  const Grant stored{"b", "g", json_of(R"({"from":[{"group":"a","kind":"A","namespace":"a"}],"to":[{"kind":"B"}]})")};
  const auto with = evaluate_grant(reference, {stored});
  ASSERT_TRUE(with.ok());
  EXPECT_EQ(to_compact_json(*with), R"({"allowed":true,"reason":"granted-by:b/g"})");
  auto empty = reference;
  empty.get_object()["grants"] = json::array();
  const auto without = evaluate_grant(empty, {stored});
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(to_compact_json(*without), R"({"allowed":false,"reason":"no-grant"})");
}

TEST(EvaluationTest, AttachedPoliciesNeedATargetATimeAndASection) {
  EXPECT_EQ(
      attachment(R"({"chain":[{"kind":"Service"}],"policies":[{"name":"a","creationTimestamp":"yesterday"}]})"),
      "chain[0].name: must be set; policies[0].creationTimestamp: must be a time as in RFC 3339; "
      "policies[0].targetRef: must be set; policies[0].default: at least one of 'override' and 'default' has to be "
      "defined");
}

TEST(EvaluationTest, ABoundedNumberOfViolationsIsNamed) {
  std::string policies;
  for (int i = 0; i < 200; ++i) policies += (i == 0 ? "" : ",") + std::string("{}");
  const auto found = evaluate_merge(json_of(R"({"policies":[)" + policies + "]}"), Catalogue::builtin(), {});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().violations().size(), 50U);
}

// Each is a body of less than a few MiB whose result would take gigabytes, or whose making would take minutes.
std::string many(std::size_t count, const std::function<std::string(std::size_t)>& each) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + each(i);
  return out;
}

TEST(EvaluationSize, HostnamesTimesRulesAreRefusedBeforeTheyAreMade) {
  const auto hostnames = many(5'000, [](auto i) { return "\"h" + std::to_string(i) + "\""; });
  const auto rules =
      many(5'000, [](auto i) { return R"({"matches":[{"n":)" + std::to_string(i) + R"(}],"default":{}})"; });
  EXPECT_EQ(merge(R"({"mergeKind":"routes","confsLowToHigh":[{"hostnames":[)" + hostnames + R"(],"rules":[)" + rules +
                  "]}]}"),
            std::string("confsLowToHigh: ") + too_many_rules_note);
}

TEST(EvaluationSize, PoliciesTimesObjectsAreRefusedBeforeTheyAreMade) {
  const auto policies = many(5'000, [](auto i) {
    return R"({"type":"MeshTimeout","name":"p)" + std::to_string(i) +
           R"(","spec":{"to":[{"targetRef":{"kind":"MeshService","labels":{"a":"b"}},"default":{"idleTimeout":"1s"}}]}})";
  });
  const auto resources = many(5'000, [](auto i) {
    return R"({"type":"MeshService","mesh":"default","name":"s)" + std::to_string(i) +
           R"(","labels":{"a":"b"},"spec":{"ports":[]}})";
  });
  EXPECT_EQ(merge(R"({"mergeKind":"to","policies":[)" + policies + R"(],"resources":[)" + resources + "]}"),
            std::string("policies: ") + too_many_rules_note);
}

std::string permissions(const std::string& items) {
  return R"({"policies":[{"type":"MeshTrafficPermission","name":"p","spec":{"from":[)" + items + "]}}]}";
}

std::string item(const std::string& tags, const std::string& action) {
  return R"({"targetRef":{"kind":"MeshSubset","tags":{)" + tags + R"(}},"default":{"action":")" + action + R"("}})";
}

TEST(EvaluationSize, AFilterOfTwentyThousandAlternatingItemsIsRefused) {
  const auto items =
      many(20'000, [](auto i) { return item(R"("k":")" + std::to_string(i) + "\"", i % 2 == 0 ? "Allow" : "Deny"); });
  EXPECT_EQ(rbac(permissions(items)), "policies: the permissions are too many to be written as one filter");
}

TEST(EvaluationSize, CellsWithHundredsOfMatchersEachAreNotListed) {
  const auto tags = [](std::size_t value) {
    return many(1'000, [&](auto key) { return "\"k" + std::to_string(key) + "\":\"" + std::to_string(value) + "\""; });
  };
  const auto items = R"({"targetRef":{"kind":"Mesh"},"default":{"action":"Deny"}},)" +
                     many(4, [&](auto i) { return item(tags(i), "Allow"); });
  EXPECT_EQ(merge(permissions(items)), "policies: the clients cannot be told apart with a bearable number of rules");
}

TEST(EvaluationSize, ATreeThatComparesEveryItemWithEveryOtherGivesUp) {
  const auto of_everybody = many(1'000, [](auto i) {
    return R"({"targetRef":{"kind":"Mesh"},"default":{"field)" + std::to_string(i) + R"(":1}})";
  });
  const auto of_keys = many(14, [](auto i) {
    return R"({"targetRef":{"kind":"MeshSubset","tags":{"k)" + std::to_string(i) + R"(":"v"}},"default":{"own)" +
           std::to_string(i) + R"(":1}})";
  });
  EXPECT_EQ(merge(R"({"policies":[{"type":"MeshFaultInjection","name":"p","spec":{"from":[)" + of_everybody + "," +
                  of_keys + "]}}]}"),
            "policies: the clients cannot be told apart with a bearable number of rules");
}

}  // namespace
}  // namespace kdsd::policy
