// What a batch of a peer becomes, resource by resource.
#include "kds/inbound.h"

#include <gmock/gmock.h>

#include "model/hash.h"

#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "pair.h"

namespace kdsd::kds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Resource resource_of(const std::string& type, const std::string& name, const std::string& spec, Labels labels = {}) {
  Resource out;
  out.type = Catalogue::builtin().find(type);
  if (out.type->mesh_scoped) out.mesh = "default";
  out.name = name;
  out.labels = std::move(labels);
  auto encoded = encode_spec(*out.type, *parse_json(spec));
  EXPECT_TRUE(encoded.ok()) << encoded.status().text();
  if (encoded.ok()) out.spec = *encoded;
  return out;
}

Receiving from_zone(const TestPlane& global, const std::string& zone) {
  Receiving receiving;
  receiving.control_plane = global.core->options().control_plane;
  receiving.zone = zone;
  receiving.relays_as = &global.core->sending();
  return receiving;
}

Receiving from_global(const TestPlane& zone) {
  Receiving receiving;
  receiving.control_plane = zone.core->options().control_plane;
  return receiving;
}

Applied take_all(TestPlane& plane, std::vector<ReceivedResource> resources, const Receiving& receiving) {
  Incoming incoming;
  incoming.type = resources.front().resource.type;
  incoming.response.resources = std::move(resources);
  Applied applied;
  EXPECT_TRUE(plane
                  .write([&](Transaction& transaction) {
                    applied = apply_incoming(transaction, incoming, receiving);
                    return Status();
                  })
                  .ok());
  return applied;
}

// kds-protocol.md 6.3: the connection says whose it is. What said otherwise is told, so that a forger can be noticed.
TEST(Inbound, AttributionThatHadToBeCorrectedIsCounted) {
  TestPlane global("");
  ASSERT_TRUE(global.put("Mesh", "", "default", "{}").ok());
  const auto dataplane = [](const std::string& tagged) {
    return R"({"networking":{"address":"10.0.0.1","inbound":[{"port":80,"tags":{"kuma.io/service":"a","kuma.io/zone":")" +
           tagged + R"("}}]}})";
  };
  const Labels own{{"kuma.io/origin", "zone"}, {"kuma.io/zone", "east"}};
  std::vector<ReceivedResource> sent;
  const auto send = [&](const std::string& type, const std::string& name, const std::string& spec, Labels labels) {
    sent.push_back({resource_of(type, name, spec, std::move(labels)), "", {}});
  };
  send("Dataplane", "right", dataplane("east"), own);
  send("Dataplane", "untold",
       R"({"networking":{"address":"10.0.0.1","inbound":[{"port":80,"tags":{"kuma.io/service":"a"}}]}})", {});
  send("Dataplane", "tagged", dataplane("west"), own);
  send("Dataplane", "labelled", dataplane("east"), {{"kuma.io/zone", "west"}});
  send("Dataplane", "from-above", dataplane("east"), {{"kuma.io/origin", "global"}});
  const auto applied = take_all(global, std::move(sent), from_zone(global, "east"));
  EXPECT_THAT(applied.rejected, IsEmpty());
  EXPECT_THAT(applied.corrected, ElementsAre("tagged", "labelled", "from-above"));
  for (const auto* name : {"tagged", "labelled", "from-above"}) {
    const auto held = global.find("Dataplane", "default", name);
    ASSERT_TRUE(held) << name;
    EXPECT_EQ(held->labels.get("kuma.io/zone"), "east");
    EXPECT_EQ(held->labels.get("kuma.io/origin"), "zone");
    kuma::mesh::v1alpha1::Dataplane spec;
    ASSERT_TRUE(spec.ParseFromString(held->spec));
    EXPECT_EQ(spec.networking().inbound(0).tags().at("kuma.io/zone"), "east");
  }
}

// A number that no port is, from a peer: it would stop whoever reads the service.
TEST(Inbound, ANumberBeyondTheWidthOfItsMemberIsRefused) {
  TestPlane global("");
  ASSERT_TRUE(global.put("Mesh", "", "default", "{}").ok());
  auto service = resource_of("MeshService", "a", "{}");
  service.spec = R"({"ports":[{"port":18446744073709551615,"targetPort":80,"appProtocol":"http"}]})";
  const auto applied = take_all(global, {{service, "", {}}}, from_zone(global, "east"));
  ASSERT_EQ(applied.rejected.size(), 1u);
  EXPECT_THAT(applied.rejected[0].text, HasSubstr("must be of type int32"));
  EXPECT_FALSE(global.find("MeshService", "default", "a"));
}

// A zone of Kuma that is sent it drops its connection, again and again.
TEST(Inbound, ADurationThatIsNoneIsRefused) {
  TestPlane global("");
  for (const auto* value : {"abc", "1d", "99999999999999h"}) {
    auto policy = resource_of("MeshTimeout", "a", "{}");
    policy.spec = R"({"to":[{"targetRef":{"kind":"Mesh"},"default":{"http":{"requestTimeout":")" + std::string(value) +
                  R"("}}}]})";
    const auto applied = take_all(global, {{policy, "", {}}}, from_zone(global, "east"));
    ASSERT_EQ(applied.rejected.size(), 1u) << value;
    EXPECT_THAT(applied.rejected[0].text, HasSubstr("invalid duration")) << value;
    EXPECT_FALSE(global.find("MeshTimeout", "default", "a")) << value;
  }
}

constexpr char generator_spec[] = R"({"selector":{"meshService":{"matchLabels":{"a":"b"}}},"template":"x.local"})";

// kds-protocol.md 3.7: those that users of Kubernetes write come with a mesh, and their names are hashed with it.
TEST(Inbound, HostnameGeneratorThatCameWithAMeshHasTheNameThatThisMeshGives) {
  TestPlane global("");
  const Labels labels = {{"kuma.io/display-name", "hg"}, {"kuma.io/zone", "east"}};
  const auto name = canonical_name("default", "hg", labels);
  const auto generator = resource_of("HostnameGenerator", name, generator_spec, labels);
  const auto accepted = take_all(global, {{generator, "", {}, "default"}}, from_zone(global, "east"));
  EXPECT_EQ(accepted.nack_text, "");
  EXPECT_THAT(global.names("HostnameGenerator"), ElementsAre(name));
  const auto refused = take_all(global, {{generator, "", {}, "another"}}, from_zone(global, "east"));
  EXPECT_THAT(refused.nack_text, HasSubstr("does not belong to zone"));
}

TEST(Inbound, DecodedHostnameGeneratorHasNoMeshButTellsWithWhichItCame) {
  // A response with one resource, name `hg`, mesh `default`, an empty spec.
  const std::string meta =
      "\x0a\x02hg\x12\x07"
      "default";
  const auto field = [](char tag, const std::string& content) {
    return std::string(1, tag) + static_cast<char>(content.size()) + content;
  };
  const auto any = field('\x0a', "type.googleapis.com/kuma.mesh.v1alpha1.KumaResource") +
                   field('\x12', field('\x0a', meta) + field('\x12', field('\x12', "{}")));
  const auto bytes = field('\x12', field('\x12', any)) + field('\x22', "HostnameGenerator");
  const auto response = decode_response(bytes, Catalogue::builtin());
  ASSERT_TRUE(response.ok()) << response.status().text();
  ASSERT_EQ(response->resources.size(), 1U);
  EXPECT_EQ(response->resources.front().resource.mesh, "");
  EXPECT_EQ(response->resources.front().extra_mesh, "default");
}

TEST(Inbound, ProxiesAreHeldToTheRulesOfTheirTypeLikePolicies) {
  TestPlane global("");
  const auto bare = resource_of("Dataplane", "bare", R"({"networking":{"address":"10.0.0.1"}})");
  const auto good =
      resource_of("Dataplane", "good",
                  R"({"networking":{"address":"10.0.0.1","inbound":[{"port":80,"tags":{"kuma.io/service":"web"}}]}})");
  const auto applied = take_all(global, {{bare, "", {}, ""}, {good, "", {}, ""}}, from_zone(global, "east"));
  EXPECT_EQ(
      applied.nack_text,
      "Dataplane \"bare\" mesh \"default\": networking: has to contain at least one inbound interface or gateway");
  EXPECT_THAT(global.names("Dataplane"), ElementsAre("good"));
}

TEST(Inbound, OlderPoliciesAreHeldToTheRulesOfTheirType) {
  TestPlane east("east");
  const auto empty = resource_of("TrafficPermission", "empty", "{}");
  const auto good = resource_of("TrafficPermission", "good",
                                R"({"sources":[{"match":{"kuma.io/service":"*"}}],
                                    "destinations":[{"match":{"kuma.io/service":"*"}}]})");
  const auto applied = take_all(east, {{empty, "", {}, ""}, {good, "", {}, ""}}, from_global(east));
  EXPECT_EQ(applied.nack_text,
            "TrafficPermission \"empty\" mesh \"default\": sources: must have at least one element; destinations: must "
            "have at least one element");
  EXPECT_THAT(east.names("TrafficPermission"), ElementsAre("good"));
}

// Which authorities there are is known where a mesh is written.
TEST(Inbound, AMeshIsTakenWithAnAuthorityThatIsUnknownHere) {
  TestPlane east("east");
  const auto known = resource_of("Mesh", "known", R"({"mtls":{"backends":[{"name":"a","type":"vault"}]}})");
  const auto broken = resource_of("Mesh", "broken", R"({"mtls":{"enabledBackend":"a"}})");
  const auto applied = take_all(east, {{known, "", {}, ""}, {broken, "", {}, ""}}, from_global(east));
  EXPECT_EQ(applied.nack_text,
            "Mesh \"broken\": mtls.enabledBackend: has to be set to one of the backends in the mesh");
  EXPECT_THAT(east.names("Mesh"), ElementsAre("known"));
}

// field-cases F046.
TEST(Inbound, OneInvalidPolicyIsNamedWithItsFieldAndTheOthersAreStored) {
  TestPlane east("east");
  const Labels copy = {{"kuma.io/origin", "global"}};
  const auto with = [&](const std::string& name, const std::string& timeout, const std::string& kind) {
    return ReceivedResource{
        resource_of("MeshTimeout", name,
                    R"({"targetRef":{"kind":")" + kind +
                        R"("},"to":[{"targetRef":{"kind":"Mesh"},"default":{"connectionTimeout":")" + timeout +
                        R"("}}]})",
                    copy),
        "",
        {},
        ""};
  };
  const std::vector<ReceivedResource> sent = {with("good", "1s", "Mesh"), with("negative", "-1s", "Mesh"),
                                              with("banana", "1s", "Banana")};
  const auto applied = take_all(east, sent, from_global(east));
  EXPECT_THAT(east.names("MeshTimeout"), ElementsAre("good"));
  EXPECT_EQ(
      applied.nack_text,
      "MeshTimeout \"negative\" mesh \"default\": spec.to[0].default.connectionTimeout: must be greater than zero when "
      "defined\n"
      "MeshTimeout \"banana\" mesh \"default\": spec.targetRef.kind: value 'Banana' is not supported");
  // What was valid before keeps its former version.
  take_all(east, {with("good", "-5s", "Mesh")}, from_global(east));
  EXPECT_EQ(east.find("MeshTimeout", "default", "good")->spec, sent[0].resource.spec);
}

TEST(Inbound, TextOfAnAnswerIsBoundedAndCountsWhatItLeavesOut) {
  TestPlane east("east");
  const Labels copy = {{"kuma.io/origin", "global"}};
  std::vector<ReceivedResource> sent;
  for (int i = 0; i < 5000; ++i) {
    sent.push_back(
        {resource_of("MeshTimeout", "t" + std::to_string(i), R"({"targetRef":{"kind":"Banana"}})", copy), "", {}, ""});
  }
  const auto applied = take_all(east, sent, from_global(east));
  EXPECT_EQ(applied.rejected.size(), sent.size());
  EXPECT_LT(applied.nack_text.size(), limits::nack_text_bytes + 100);
  EXPECT_THAT(applied.nack_text, testing::MatchesRegex("MeshTimeout \"t0\"[^\n]*\n.*\nand [1-9][0-9]* more"));
}

// field-cases F047.
TEST(Inbound, WhatCannotBeNamedIsRefusedAndTheRestIsStored) {
  TestPlane east("east");
  const Labels copy = {{"kuma.io/origin", "global"}};
  auto named = [&](const std::string& name, Labels labels) {
    return ReceivedResource{resource_of("MeshTimeout", name, timeout_spec, std::move(labels)), "", {}, ""};
  };
  auto nul = copy;
  nul.set("team", std::string("a\0b", 3));
  auto elsewhere = named("elsewhere", copy);
  elsewhere.resource.mesh = "No Mesh";
  const auto applied = take_all(east,
                                {named("", copy), named(std::string(254, 'n'), copy), named("nul", nul),
                                 std::move(elsewhere), named(std::string(253, 'n'), copy), named("Bad_Name!", copy)},
                                from_global(east));
  EXPECT_EQ(applied.rejected.size(), 4U);
  for (const auto& rejected : applied.rejected) EXPECT_EQ(rejected.rule, "name") << rejected.text;
  EXPECT_THAT(east.names("MeshTimeout"), ElementsAre("Bad_Name!", std::string(253, 'n')));
}

// kds-protocol.md 6.2: what is out of scope is dropped without a word, whatever else is wrong with its name.
TEST(Inbound, ResourceWithoutNameAndLabelsIsDroppedByAZoneAndAcknowledged) {
  TestPlane east("east");
  const auto applied = take_all(east, {{resource_of("MeshTimeout", "", timeout_spec), "", {}, ""}}, from_global(east));
  EXPECT_EQ(applied.nack_text, "");
  EXPECT_EQ(applied.dropped, 1U);
  EXPECT_THAT(east.names("MeshTimeout"), IsEmpty());
}

}  // namespace
}  // namespace kdsd::kds
