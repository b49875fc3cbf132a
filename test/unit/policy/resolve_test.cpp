#include "policy/resolve.h"

#include "model/document.h"
#include "model/hash.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

// Objects of one store, found as slowly and plainly as possible.
class Objects {
 public:
  void add(const boost::json::value& document) {
    Resource object;
    object.type = Catalogue::builtin().find(find_text(document, {"type"}));
    object.mesh = find_text(document, {"mesh"});
    object.name = find_text(document, {"name"});
    object.labels = labels_of(find(document, {"labels"}));
    object.spec = to_wire_json(*find(document, {"spec"}));
    objects_.push_back(std::move(object));
  }

  ObjectLookup lookup() const {
    return {[this](const ResourceType& kind, const std::string& mesh, const ObjectLookup::Visit& visit) {
              for (const auto& object : objects_) {
                if (object.type == &kind && object.mesh == mesh) visit(object);
              }
            },
            [this](const ResourceType& kind, const std::string& mesh, const std::string& name,
                   const ObjectLookup::Visit& visit) {
              for (const auto& object : objects_) {
                if (object.type != &kind || object.mesh != mesh) continue;
                if (canonical_name(object.mesh, object.name, object.labels) == name) visit(object);
              }
            }};
  }

 private:
  std::vector<Resource> objects_;
};

std::vector<std::string> kris(const std::vector<ResolvedObject>& found) {
  std::vector<std::string> out;
  for (const auto& object : found) out.push_back(object.kri);
  return out;
}

std::vector<std::string> resolved(std::string_view ref, const Objects& objects, Resolver resolver,
                                  const Labels& labels = {{"kuma.io/zone", "east"},
                                                          {"k8s.kuma.io/namespace", "shop"}}) {
  const ReferenceOrigin policy{&Catalogue::builtin(), "default", &labels};
  return kris(resolve(json_of(ref).get_object(), policy, objects.lookup(), resolver));
}

Objects services() {
  Objects objects;
  objects.add(json_of(R"({"type":"MeshService","mesh":"default","name":"catalog",
    "labels":{"kuma.io/zone":"east","k8s.kuma.io/namespace":"shop"},
    "spec":{"ports":[{"port":80,"name":"http"},{"port":9000}]}})"));
  objects.add(json_of(R"({"type":"MeshService","mesh":"default","name":"catalog-x",
    "labels":{"kuma.io/zone":"west","k8s.kuma.io/namespace":"shop","kuma.io/display-name":"catalog"},
    "spec":{"ports":[{"port":80,"name":"http"}]}})"));
  objects.add(json_of(R"({"type":"MeshExternalService","mesh":"default","name":"bank",
    "labels":{"kuma.io/zone":"east","k8s.kuma.io/namespace":"shop"},"spec":{"match":{"port":443}}})"));
  return objects;
}

TEST(ResolveTest, CasesOfTheSpecificationHold) {
  const auto cases = cases_of("resolve");
  ASSERT_EQ(cases.size(), 12U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(find_text(entry, {"id"}));
    const auto& input = *find(entry, {"input"});
    Objects objects;
    for (const auto& object : find(input, {"resources"})->get_array()) objects.add(object);
    const auto labels = labels_of(find(input, {"policy", "labels"}));
    const ReferenceOrigin policy{&Catalogue::builtin(), std::string(find_text(input, {"policy", "mesh"})), &labels};
    const auto resolver = find_text(input, {"resolver"}) == "kdsd" ? Resolver::kdsd : Resolver::kuma;
    const auto found = resolve(find(input, {"targetRef"})->get_object(), policy, objects.lookup(), resolver);
    boost::json::array names;
    for (const auto& kri : kris(found)) names.emplace_back(kri);
    EXPECT_TRUE(json_equal(names, *find(entry, {"expected", "resolved"}))) << to_compact_json(names);
  }
}

TEST(ResolveTest, SectionsAreNamesOfPortsAndNumbersOfThoseWithoutName) {
  const auto objects = services();
  EXPECT_EQ(resolved(R"({"kind":"MeshService","name":"catalog","sectionName":"9000"})", objects, Resolver::kuma),
            (std::vector<std::string>{"kri_msvc_default_east_shop_catalog_9000"}));
  EXPECT_TRUE(
      resolved(R"({"kind":"MeshService","name":"catalog","sectionName":"80"})", objects, Resolver::kuma).empty())
      << "a port with a name is addressed by it";
  EXPECT_EQ(resolved(R"({"kind":"MeshService","labels":{"kuma.io/zone":"west"},"sectionName":"http"})", objects,
                     Resolver::kdsd),
            (std::vector<std::string>{"kri_msvc_default_west_shop_catalog_http"}));
  EXPECT_EQ(resolved(R"({"kind":"MeshExternalService","name":"bank","sectionName":"443"})", objects, Resolver::kuma),
            (std::vector<std::string>{"kri_extsvc_default_east_shop_bank_443"}));
}

TEST(ResolveTest, APortThatIsNoNumberOfAnyWidthIsNoPort) {
  Objects objects;
  objects.add(json_of(R"({"type":"MeshService","mesh":"default","name":"odd","labels":{"kuma.io/zone":"east",
    "k8s.kuma.io/namespace":"shop"},"spec":{"ports":[{"port":18446744073709551615},{"port":1.5},{"port":80}]}})"));
  EXPECT_TRUE(resolved(R"({"kind":"MeshService","name":"odd","sectionName":"0"})", objects, Resolver::kdsd).empty());
  EXPECT_EQ(resolved(R"({"kind":"MeshService","name":"odd","sectionName":"80"})", objects, Resolver::kdsd),
            (std::vector<std::string>{"kri_msvc_default_east_shop_odd_80"}));
}

TEST(ResolveTest, LegacyNameWithoutPortIsTheWholeServiceOfAnyZone) {
  EXPECT_EQ(resolved(R"({"kind":"MeshService","name":"catalog_shop_svc"})", services(), Resolver::kuma),
            (std::vector<std::string>{"kri_msvc_default_east_shop_catalog_", "kri_msvc_default_west_shop_catalog_"}));
  EXPECT_TRUE(resolved(R"({"kind":"MeshService","name":"catalog_shop_svc_x"})", services(), Resolver::kuma).empty());
}

TEST(ResolveTest, CanonicalNameIsAskedForOnlyWhereIdentityFindsNothing) {
  Objects objects = services();
  const auto canonical = hashed_name("default", "catalog", {"west", "shop"});
  const auto ref = R"({"kind":"MeshService","name":")" + canonical + R"("})";
  EXPECT_EQ(resolved(ref, objects, Resolver::kdsd), (std::vector<std::string>{"kri_msvc_default_west_shop_catalog_"}));
  // An object that really has that display name comes first.
  objects.add(json_of(R"({"type":"MeshService","mesh":"default","name":")" + canonical +
                      R"(","labels":{"kuma.io/zone":"east","k8s.kuma.io/namespace":"shop"},"spec":{}})"));
  EXPECT_EQ(resolved(ref, objects, Resolver::kdsd),
            (std::vector<std::string>{"kri_msvc_default_east_shop_" + canonical + "_"}));
}

TEST(ResolveTest, WhatIsNoObjectResolvesToNothing) {
  for (const auto* ref :
       {R"({"kind":"MeshSubset","tags":{"a":"b"}})", R"({"kind":"MeshServiceSubset","name":"catalog"})",
        R"({"kind":"Dataplane","name":"catalog"})", R"({"kind":"MeshService"})", "{}"}) {
    EXPECT_TRUE(resolved(ref, services(), Resolver::kdsd).empty()) << ref;
  }
}

}  // namespace
}  // namespace kdsd::policy
