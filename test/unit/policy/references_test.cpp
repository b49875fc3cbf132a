#include "policy/references.h"

#include "model/hash.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

struct Policy {
  const ResourceType* type = nullptr;
  std::string mesh;
  Labels labels;

  ReferenceContext context() const { return {type, mesh, &labels}; }
};

Policy policy_of(const boost::json::value& resource) {
  return {Catalogue::builtin().find(find_text(resource, {"type"})), std::string(find_text(resource, {"mesh"})),
          labels_of(find(resource, {"labels"}))};
}

ControlPlaneKind plane(Mode mode, Environment environment, const std::string& system_namespace = "kuma-system") {
  ControlPlaneKind out;
  out.mode = mode;
  out.environment = environment;
  out.system_namespace = system_namespace;
  return out;
}

const Policy producer{
    Catalogue::builtin().find("MeshTimeout"),
    "default",
    {{"kuma.io/zone", "east"}, {"k8s.kuma.io/namespace", "shop"}, {"kuma.io/policy-role", "producer"}}};

TEST(HashTest, CasesOfTheSpecificationHold) {
  const auto cases = cases_of("hash");
  ASSERT_EQ(cases.size(), 9U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(find_text(entry, {"id"}));
    const auto& input = *find(entry, {"input"});
    Labels labels;
    for (const auto& [member, key] : {std::pair("zone", label::zone), std::pair("namespace", label::namespace_)}) {
      if (find(input, {member})->is_string()) labels.set(key, find_text(input, {member}));
    }
    EXPECT_EQ(canonical_name(find_text(input, {"mesh"}), find_text(input, {"name"}), labels),
              find_text(entry, {"expected", "hashedName"}));
  }
}

TEST(ReferencesTest, RewritingCasesOfTheSpecificationHold) {
  std::size_t count = 0;
  for (const auto& entry : cases_of("rewrite")) {
    const auto& input = *find(entry, {"input"});
    if (find_text(input, {"step"}) == "to-foreign-peer") continue;
    ++count;
    SCOPED_TRACE(find_text(entry, {"id"}));
    const auto node = control_plane_of(*find(input, {"node"}));
    ASSERT_EQ(node.is_global(), find_text(input, {"step"}) == "global-client");
    const auto policy = policy_of(*find(input, {"resource"}));
    const auto result = rewrite_references(policy.context(), *find(input, {"resource", "spec"}), node);
    EXPECT_TRUE(json_equal(result.spec, *find(entry, {"expected", "spec"}))) << to_compact_json(result.spec);
  }
  EXPECT_EQ(count, 29U);
}

// What a foreign peer is sent is what was stored. So the cases hold when the expected spec, stored, has the derived
// form that the case begins with, and the places that changed are the ones it lists with their originals.
TEST(ReferencesTest, CasesOfForeignPeersNameTheOriginalOfEachPlace) {
  std::size_t count = 0;
  for (const auto& entry : cases_of("rewrite")) {
    const auto& input = *find(entry, {"input"});
    if (find_text(input, {"step"}) != "to-foreign-peer") continue;
    ++count;
    SCOPED_TRACE(find_text(entry, {"id"}));
    Resource stored;
    const auto policy = policy_of(*find(input, {"resource"}));
    stored.type = policy.type;
    stored.mesh = policy.mesh;
    stored.labels = policy.labels;
    stored.spec = to_wire_json(*find(entry, {"expected", "spec"}));
    if (stored.labels.get(label::origin) == "zone") stored.source = stored.labels.get(label::zone);
    const auto node = control_plane_of(*find(input, {"node"}));
    const auto derived = derived_form(stored, node);
    EXPECT_TRUE(json_equal(json_of(derived.spec), *find(input, {"resource", "spec"}))) << derived.spec;

    const auto references =
        stored.is_copy() ? rewrite_references({stored.type, stored.mesh, &stored.labels}, json_of(stored.spec), node)
                         : list_references(*stored.type, json_of(stored.spec));
    boost::json::object originals;
    for (const auto& place : references.places) {
      if (!place.is_rewritten()) continue;
      boost::json::object original{{"name", place.before.at("name")}};
      if (const auto* written = place.before.if_contains("namespace")) original["namespace"] = *written;
      originals[place.path] = std::move(original);
    }
    EXPECT_TRUE(json_equal(originals, *find(input, {"originalRefs"}))) << to_compact_json(originals);
  }
  EXPECT_EQ(count, 2U);
}

TEST(ReferencesTest, OwnResourcesAreNotRewritten) {
  Resource own;
  own.type = producer.type;
  own.mesh = "default";
  own.labels = producer.labels;
  own.spec = R"({"to":[{"targetRef":{"kind":"MeshService","name":"catalog"}}]})";
  for (auto mode : {Mode::global, Mode::zone}) {
    EXPECT_FALSE(derived_spec(own, plane(mode, Environment::kubernetes)).has_value());
  }
  own.source = "east";
  EXPECT_TRUE(derived_spec(own, plane(Mode::global, Environment::kubernetes)).has_value());
}

TEST(ReferencesTest, TypesThatAreNoTargetRefPoliciesHaveNoPlaces) {
  Policy other = producer;
  other.type = Catalogue::builtin().find("MeshService");
  const auto spec = json_of(R"({"to":[{"targetRef":{"kind":"MeshService","name":"catalog"}}]})");
  const auto result = rewrite_references(other.context(), spec, plane(Mode::global, Environment::kubernetes));
  EXPECT_TRUE(result.places.empty());
  EXPECT_EQ(result.spec, spec);
}

TEST(ReferencesTest, SpecsOfAnyShapeAreSurvived) {
  for (const auto* text :
       {"null", "7", "[]", R"({"to":{}})",
        R"({"to":[null,7,"a",[],{"targetRef":[]},{"targetRef":{"kind":7,"name":[]}}]})",
        R"({"to":[{"rules":[null,{"default":[]},{"default":{"backendRefs":[7],"filters":[{"requestMirror":7}]}}]}]})",
        R"({"to":[{"targetRef":{"kind":"MeshService","name":"","labels":[]}}]})"}) {
    SCOPED_TRACE(text);
    for (const auto* type : {"MeshHTTPRoute", "MeshTCPRoute", "MeshTimeout"}) {
      Policy policy = producer;
      policy.type = Catalogue::builtin().find(type);
      const auto result =
          rewrite_references(policy.context(), json_of(text), plane(Mode::zone, Environment::kubernetes));
      EXPECT_FALSE(result.any_rewritten());
      EXPECT_EQ(result.spec, json_of(text));
    }
  }
}

TEST(ReferencesTest, OtherMembersOfAReferenceKeepTheirOrder) {
  Policy universal = producer;
  universal.labels = {{"kuma.io/zone", "east"}};
  const auto spec = json_of(
      R"({"to":[{"targetRef":{"kind":"MeshService","namespace":"shop","name":"catalog","sectionName":"http","mesh":"m"}}]})");
  const auto result = rewrite_references(universal.context(), spec, plane(Mode::global, Environment::universal));
  EXPECT_EQ(to_compact_json(result.spec), R"({"to":[{"targetRef":{"kind":"MeshService","name":")" +
                                              hashed_name("default", "catalog", {"east"}) +
                                              R"(","sectionName":"http","mesh":"m"}}]})");
}

TEST(ReferencesTest, PathsNameEveryPlaceOfARoute) {
  Policy route = producer;
  route.type = Catalogue::builtin().find("MeshHTTPRoute");
  const auto spec = json_of(R"({"to":[
    {"targetRef":{"kind":"Mesh"}},
    {"targetRef":{"kind":"MeshService","name":"a"},"rules":[{"default":{}},{"default":{
      "backendRefs":[{"kind":"MeshService","name":"b","port":80}],
      "filters":[{"type":"URLRewrite"},{"requestMirror":{"backendRef":{"kind":"MeshService","name":"c"}}}]}}]}]})");
  const auto result = rewrite_references(route.context(), spec, plane(Mode::global, Environment::universal));
  std::vector<std::string> paths;
  for (const auto& place : result.places) paths.push_back(place.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"spec.to[0].targetRef", "spec.to[1].targetRef",
                                             "spec.to[1].rules[1].default.backendRefs[0]",
                                             "spec.to[1].rules[1].default.filters[1].requestMirror.backendRef"}));
  EXPECT_FALSE(result.places[0].is_rewritten());
  EXPECT_TRUE(result.places[3].is_rewritten());
}

TEST(ReferencesTest, MirrorsOfOtherTypesAreNoPlaces) {
  Policy route = producer;
  route.type = Catalogue::builtin().find("MeshTCPRoute");
  const auto spec = json_of(R"({"to":[{"targetRef":{"kind":"Mesh"},"rules":[{"default":{
      "backendRefs":[{"kind":"MeshService","name":"b"}],
      "filters":[{"requestMirror":{"backendRef":{"kind":"MeshService","name":"c"}}}]}}]}]})");
  const auto result = rewrite_references(route.context(), spec, plane(Mode::global, Environment::universal));
  EXPECT_EQ(result.places.size(), 2U);
}

}  // namespace
}  // namespace kdsd::policy
