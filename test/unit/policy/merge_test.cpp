// Merging confs, routes, `to` items and whole policies.
#include "policy/engine/conf.h"
#include "policy/engine/evaluation.h"
#include "policy/engine/route_conf.h"
#include "policy/engine/to_rules.h"

#include "engine_cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;
namespace json = boost::json;

TEST(MergeTest, CasesOfTheSpecificationHold) {
  const auto cases = cases_of("to-merge");
  ASSERT_EQ(cases.size(), 30U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(std::string(find_text(entry, {"id"})) + " " + std::string(find_text(entry, {"title"})));
    EvaluationOptions options;
    options.with_rules = find(entry, {"expected", "rules"}) != nullptr;
    const auto found = evaluate_merge(*find(entry, {"input"}), Catalogue::builtin(), options);
    ASSERT_TRUE(found.ok()) << found.status().text();
    EXPECT_TRUE(json_equal(*found, *find(entry, {"expected"}))) << to_compact_json(*found);
  }
}

struct Merged {
  std::vector<json::value> values;
  Confs confs() const {
    Confs out;
    for (const auto& value : values) out.push_back(&value);
    return out;
  }
  std::string text() const { return to_compact_json(merge_confs(confs())); }
  // `path: sources` for each field.
  std::string origins() const {
    std::string out;
    for (const auto& field : field_origins(merge_confs(confs()), confs())) {
      out += (out.empty() ? "" : "; ") + field.path + ":";
      for (const auto source : field.sources) out += " " + std::to_string(source);
    }
    return out;
  }
};

Merged merged(std::initializer_list<std::string_view> texts) {
  Merged out;
  for (const auto text : texts) out.values.push_back(json_of(text));
  return out;
}

TEST(MergeTest, EachFieldOfAMergedConfHasItsOrigin) {
  const auto three = merged({R"({"a":{"x":1,"y":1},"b":1})", R"({"a":{"y":2}})", R"({"a":{"z":3},"c":[1]})"});
  EXPECT_EQ(three.text(), R"({"a":{"x":1,"y":2,"z":3},"b":1,"c":[1]})");
  EXPECT_EQ(three.origins(), "a.x: 0; a.y: 1; a.z: 2; b: 0; c: 2");
}

TEST(MergeTest, WhatWasReplacedGivesNoOrigin) {
  const auto three = merged({R"({"a":{"x":1}})", R"({"a":5})", R"({"a":{"y":2}})"});
  EXPECT_EQ(three.text(), R"({"a":{"y":2}})");
  EXPECT_EQ(three.origins(), "a.y: 2");
}

TEST(MergeTest, ConcatenatedArraysHaveSeveralOrigins) {
  const auto three = merged({R"({"appendX":[1],"append":[1]})", R"({})", R"({"appendX":[2],"append":[2]})"});
  EXPECT_EQ(three.text(), R"({"appendX":[1,2],"append":[2]})") << "the name alone does not append";
  EXPECT_EQ(three.origins(), "appendX: 0 2; append: 2");
}

TEST(MergeTest, NullsAreAbsentAtEveryDepth) {
  EXPECT_EQ(merged({R"({"a":1,"b":{"c":1}})", R"({"a":null,"b":{"c":null,"d":[{"e":null}]}})"}).text(),
            R"({"a":1,"b":{"c":1,"d":[{}]}})");
}

TEST(MergeTest, KeysThatAreNoWordsAreQuotedInPaths) {
  EXPECT_EQ(merged({R"({"headers":{"x.y":1,"":2}})"}).origins(), R"(headers["x.y"]: 0; headers[""]: 0)");
}

TEST(MergeTest, AConfOverridesAnotherOnlyWhereNothingOfItIsLeft) {
  const auto test = [](std::string_view higher, std::string_view lower) {
    return overrides(json_of(higher), json_of(lower));
  };
  EXPECT_TRUE(test(R"({"a":1,"b":2})", R"({"a":5})"));
  EXPECT_FALSE(test(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_TRUE(test(R"({"a":1})", R"({"a":{"x":1}})"));
  EXPECT_FALSE(test(R"({"a":{"x":1}})", R"({"a":5})")) << "what stood below a is lost by the lower one";
  EXPECT_FALSE(test(R"({"appendX":[1]})", R"({"appendX":[2]})"));
  EXPECT_TRUE(test(R"({})", R"({"a":null})"));
}

TEST(MergeTest, RulesOfOneRouteWithTheSameMatchesMergeTheEarlierOneOnTop) {
  const auto conf = json_of(R"({"rules":[{"matches":[{"a":1,"b":2}],"default":{"x":1}},
                                         {"matches":[{"b":2,"a":1.0}],"default":{"x":2,"y":2}}]})");
  const auto found = merge_routes({&conf});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(to_compact_json(found[0].conf), R"({"rules":[{"matches":[{"a":1,"b":2}],"default":{"x":1,"y":2}}]})");
  ASSERT_EQ(found[0].fields.size(), 2U);
  EXPECT_EQ(found[0].fields[0].path, "rules[0].default.x");
}

TEST(MergeTest, AnOriginIsNamedForEachFieldOfAnOutbound) {
  const auto input = json_of(R"({"policies":[
    {"type":"MeshTimeout","name":"a","labels":{"kuma.io/origin":"global"},
     "spec":{"to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"1s","http":{"requestTimeout":"1s"}}}]}},
    {"type":"MeshTimeout","name":"b","labels":{"kuma.io/origin":"zone","kuma.io/zone":"east"},
     "spec":{"to":[{"targetRef":{"kind":"Mesh"},"default":{"http":{"requestTimeout":"2s"}}}]}}],
    "outbounds":[{"outbound":"kri_msvc_default_east_shop_catalog_"}]})");
  const auto found = evaluate_merge(input, Catalogue::builtin(), {true, false, false});
  ASSERT_TRUE(found.ok()) << found.status().text();
  EXPECT_EQ(to_compact_json(found->at("fields")),
            R"({"kri_msvc_default_east_shop_catalog_":[{"field":"idleTimeout","origin":["a[0]"]},)"
            R"({"field":"http.requestTimeout","origin":["b[0]"]}]})");
}

TEST(MergeTest, ShadowPoliciesTakePartOnlyWhenAskedFor) {
  const auto input = json_of(R"({"mergeKind":"single-item","policies":[
    {"type":"MeshTrace","name":"a","labels":{"kuma.io/effect":"shadow"},"spec":{"default":{"tags":[]}}}]})");
  const auto without = evaluate_merge(input, Catalogue::builtin(), {});
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(to_compact_json(*without), R"({"conf":null,"origin":[]})");
  const auto with = evaluate_merge(input, Catalogue::builtin(), {false, false, true});
  ASSERT_TRUE(with.ok());
  EXPECT_EQ(to_compact_json(*with), R"({"conf":{"tags":[]},"origin":["a"]})");
}

TEST(MergeTest, ATcpRouteIsItsFirstRule) {
  const auto input = json_of(R"({"policies":[
    {"type":"MeshTCPRoute","name":"r","labels":{"kuma.io/zone":"east","k8s.kuma.io/namespace":"shop"},
     "spec":{"to":[{"targetRef":{"kind":"MeshService","name":"catalog"},
                    "rules":[{"default":{"backendRefs":[{"kind":"MeshService","name":"v2"}]}}]}]}}],
    "resources":[{"type":"MeshService","name":"catalog","labels":{"kuma.io/zone":"east","k8s.kuma.io/namespace":"shop"}}],
    "outbounds":[{"outbound":"kri_msvc_default_east_shop_catalog_"}]})");
  const auto found = evaluate_merge(input, Catalogue::builtin(), {});
  ASSERT_TRUE(found.ok()) << found.status().text();
  EXPECT_EQ(
      to_compact_json(found->at("outbounds")),
      R"({"kri_msvc_default_east_shop_catalog_":{"default":{"backendRefs":[{"kind":"MeshService","name":"v2"}]}}})");
}

}  // namespace
}  // namespace kdsd::policy
