#include "policy/admission.h"

#include "model/document.h"
#include "policy/labels.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

const ControlPlaneKind global;
const ControlPlaneKind east{.mode = Mode::zone, .federated = true, .zone = "east"};

constexpr std::string_view timeout_spec =
    R"({"targetRef":{"kind":"Mesh"},"to":[{"targetRef":{"kind":"Mesh"},"default":{"http":{"requestTimeout":"5s"}}}]})";

std::string timeout(std::string_view name, std::string_view labels = "{}", std::string_view spec = timeout_spec) {
  return std::string(R"({"type":"MeshTimeout","mesh":"m","name":")")
      .append(name)
      .append(R"(","labels":)")
      .append(labels)
      .append(R"(,"spec":)")
      .append(spec)
      .append("}");
}

Admission put(const ControlPlaneKind& plane, std::string_view type, std::string name, std::string_view body,
              const Resource* existing = nullptr) {
  const auto parsed = json_of(body);
  const auto* found = Catalogue::builtin().find(type);
  const Request request{.catalogue = &Catalogue::builtin(),
                        .type = found,
                        .mesh = found->mesh_scoped ? "m" : "",
                        .name = std::move(name),
                        .body = &parsed,
                        .existing = existing};
  return admit(plane, request);
}

std::string refusals(const Admission& admission) {
  return admission.result.ok() ? "admitted" : joined(admission.result.status().violations());
}

Resource stored(const Admission& admission, std::string name) {
  Resource resource;
  resource.type = Catalogue::builtin().find("MeshTimeout");
  resource.mesh = "m";
  resource.name = std::move(name);
  resource.labels = admission.result->labels;
  return resource;
}

TEST(AdmissionTest, TheGlobalAddsOnlyTheMeshLabel) {
  const auto plain = put(global, "MeshTimeout", "a", timeout("a"));
  ASSERT_TRUE(plain.result.ok()) << refusals(plain);
  EXPECT_EQ(plain.result->labels, (Labels{{"kuma.io/mesh", "m"}}));
  EXPECT_TRUE(plain.result->created);
  EXPECT_TRUE(plain.result->warnings.empty());
  const auto marked = put(global, "MeshTimeout", "a", timeout("a", R"({"kuma.io/origin":"global"})"));
  EXPECT_EQ(marked.result->labels, (Labels{{"kuma.io/mesh", "m"}, {"kuma.io/origin", "global"}}));
}

TEST(AdmissionTest, SpecIsStoredPrunedAndAsWritten) {
  const auto admission = put(global, "MeshTimeout", "a", timeout("a", "{}", R"({"to":[{"default":{"idleTimeout":"60s"},
      "targetRef":{"kind":"Mesh"}}],"extra":1})"));
  ASSERT_TRUE(admission.result.ok());
  EXPECT_EQ(admission.result->spec_bytes, R"({"to":[{"default":{"idleTimeout":"60s"},"targetRef":{"kind":"Mesh"}}]})");
}

TEST(AdmissionTest, MismatchesWithTheAddressComeTogetherInOrder) {
  const auto admission =
      put(global, "MeshTimeout", "a",
          R"({"type":"MeshTimeout","mesh":"default","name":"b","labels":{"kuma.io/origin":"moon"},"spec":)" +
              std::string(timeout_spec) + "}");
  EXPECT_EQ(
      refusals(admission),
      "name: name from the URL has to be the same as in body; mesh: mesh from the URL has to be the same as in body; "
      "labels[\"kuma.io/origin\"]: unknown resource origin \"moon\"; "
      "labels[\"kuma.io/origin\"]: the origin label must be set to 'global'");
  EXPECT_EQ(title(admission.stage), "Could not process a resource");
  EXPECT_EQ(admission.result.status().message(), "Resource is not valid");
}

TEST(AdmissionTest, WrongTypeIsFoundByTheSchema) {
  const auto admission = put(global, "MeshRetry", "a", timeout("a"));
  ASSERT_FALSE(admission.result.ok());
  EXPECT_EQ(admission.result.status().violations().front(),
            (Violation{"", "type in body should be one of [MeshRetry]"}));
}

TEST(AdmissionTest, FlatDocumentOfAnotherTypeIsRefusedByType) {
  EXPECT_EQ(refusals(put(global, "Mesh", "m", R"({"type":"Zone","name":"m"})")),
            "type: type from the URL has to be the same as in body");
}

TEST(AdmissionTest, WhatDoesNotDecodeIsMalformed) {
  const auto fast =
      put(global, "MeshTimeout", "a",
          timeout("a", "{}", R"({"to":[{"targetRef":{"kind":"Mesh"},"default":{"connectionTimeout":"fast"}}]})"));
  EXPECT_EQ(fast.result.status().code(), Code::malformed);
  EXPECT_TRUE(fast.result.status().message().starts_with("invalid MeshTimeout object: "));
  for (std::string_view body : {R"({"type":"Secret","mesh":"m","name":"a","data":"%%%"})", "[]", "\"text\""}) {
    const auto admission = put(global, "Secret", "a", body);
    EXPECT_EQ(admission.result.status().code(), Code::malformed) << body;
    EXPECT_TRUE(admission.result.status().message().starts_with("invalid Secret object: ")) << body;
  }
  const auto zone = put(global, "Zone", "a", R"({"type":"Zone","name":"a","enabled":"yes"})");
  EXPECT_EQ(zone.result.status().code(), Code::malformed);
}

TEST(AdmissionTest, MissingSpecHasAnEmptyField) {
  EXPECT_EQ(refusals(put(global, "MeshTimeout", "a", R"({"type":"MeshTimeout","mesh":"m","name":"a"})")),
            ": .spec in body is required");
}

TEST(AdmissionTest, LongMeshNamesFailToBeCreated) {
  const std::string name(64, 'm');
  const auto admission = put(global, "Mesh", name, R"({"type":"Mesh","name":")" + name + R"("})");
  EXPECT_EQ(refusals(admission), "name: cannot be longer than 63 characters");
  EXPECT_EQ(title(admission.stage), "Failed to create a resource");
}

std::string mesh_with_authority(const std::string& name, const std::string& type = "builtin") {
  return R"({"type":"Mesh","name":"a","mtls":{"enabledBackend":")" + name + R"(","backends":[{"name":")" + name +
         R"(","type":")" + type + R"("}]}})";
}

Resource stored_mesh(const Admission& admission) {
  Resource mesh;
  mesh.type = Catalogue::builtin().find("Mesh");
  mesh.name = "a";
  mesh.labels = admission.result->labels;
  mesh.spec = admission.result->spec_bytes;
  return mesh;
}

TEST(AdmissionTest, AMeshKeepsItsAuthorityWhileItHasOne) {
  const auto first = put(global, "Mesh", "a", mesh_with_authority("ca-1"));
  ASSERT_TRUE(first.result.ok()) << refusals(first);
  const auto mesh = stored_mesh(first);
  const auto changed = put(global, "Mesh", "a", mesh_with_authority("ca-2"), &mesh);
  EXPECT_EQ(refusals(changed),
            "mtls.enabledBackend: Changing CA when mTLS is enabled is forbidden. Disable mTLS first and then change "
            "the CA");
  EXPECT_EQ(title(changed.stage), "Failed to update a resource");
  EXPECT_EQ(refusals(put(global, "Mesh", "a", mesh_with_authority("ca-1"), &mesh)), "admitted");
  const auto disabled = put(global, "Mesh", "a", R"({"type":"Mesh","name":"a"})", &mesh);
  ASSERT_TRUE(disabled.result.ok()) << refusals(disabled);
  const auto without = stored_mesh(disabled);
  EXPECT_EQ(refusals(put(global, "Mesh", "a", mesh_with_authority("ca-2"), &without)), "admitted");
}

TEST(AdmissionTest, AMeshIsRefusedAnAuthorityOfUnknownType) {
  const auto created = put(global, "Mesh", "a", mesh_with_authority("ca", "vault"));
  EXPECT_EQ(refusals(created), "mtls.backends[0].type: could not find installed plugin for this type");
  EXPECT_EQ(title(created.stage), "Failed to create a resource");
  const auto broken = put(global, "Mesh", "a", R"({"type":"Mesh","name":"a","mtls":{"enabledBackend":"x"}})");
  EXPECT_EQ(refusals(broken), "mtls.enabledBackend: has to be set to one of the backends in the mesh");
  EXPECT_EQ(title(broken.stage), "Could not process a resource");
}

TEST(AdmissionTest, MeshWithADotIsAdmittedWithAWarning) {
  const auto admission = put(global, "Mesh", "a.b", R"({"type":"Mesh","name":"a.b"})");
  ASSERT_TRUE(admission.result.ok());
  EXPECT_EQ(admission.result->warnings.size(), 1U);
}

TEST(AdmissionTest, NamesAndLabelsFollowTheRules) {
  EXPECT_TRUE(refusals(put(global, "MeshTimeout", "A", timeout("A"))).starts_with("name: invalid characters."));
  const auto labels = put(global, "MeshTimeout", "a", timeout("a", R"({"bad key!":"x","fine":"ok","space":"not ok"})"));
  ASSERT_EQ(labels.result.status().violations().size(), 2U);
  EXPECT_EQ(labels.result.status().violations()[0].field, R"(labels["bad key!"])");
  EXPECT_EQ(labels.result.status().violations()[1].field, R"(labels["space"])");
}

TEST(AdmissionTest, ImmutableLabelsCanBeAddedButNotChangedOrRemoved) {
  const auto first = put(global, "MeshTimeout", "a", timeout("a", R"({"kuma.io/display-name":"shown"})"));
  const auto existing = stored(first, "a");
  const auto changed = put(global, "MeshTimeout", "a", timeout("a", R"({"kuma.io/display-name":"other"})"), &existing);
  EXPECT_EQ(title(changed.stage), "Could not update a resource");
  EXPECT_EQ(refusals(changed),
            "labels[\"kuma.io/display-name\"]: is immutable, cannot be changed from \"shown\" to \"other\"");
  EXPECT_EQ(refusals(put(global, "MeshTimeout", "a", timeout("a"), &existing)),
            "labels[\"kuma.io/display-name\"]: is immutable, cannot be removed (was \"shown\")");
  const auto same = put(global, "MeshTimeout", "a", timeout("a", R"({"kuma.io/display-name":"shown"})"), &existing);
  ASSERT_TRUE(same.result.ok());
  EXPECT_FALSE(same.result->created);
}

TEST(AdmissionTest, AResourceOfAZoneCannotBeEditedOnTheGlobal) {
  Resource copy;
  copy.labels = {{"kuma.io/display-name", "mine"},
                 {"kuma.io/env", "universal"},
                 {"kuma.io/mesh", "m"},
                 {"kuma.io/origin", "zone"},
                 {"kuma.io/zone", "east"}};
  const auto bare = put(global, "MeshTimeout", "a", timeout("a"), &copy);
  EXPECT_EQ(title(bare.stage), "Could not update a resource");
  EXPECT_EQ(bare.result.status().violations().size(), 3U);
  const auto full =
      put(global, "MeshTimeout", "a",
          timeout("a", R"({"kuma.io/display-name":"mine","kuma.io/origin":"zone","kuma.io/zone":"east"})"), &copy);
  EXPECT_EQ(refusals(full), "labels[\"kuma.io/origin\"]: the origin label must be set to 'global'");
}

TEST(AdmissionTest, ACopyCannotBeEditedInAZone) {
  Resource copy;
  copy.labels = {{"kuma.io/display-name", "theirs"}, {"kuma.io/mesh", "m"}, {"kuma.io/origin", "global"}};
  EXPECT_EQ(refusals(put(east, "MeshTimeout", "a",
                         timeout("a", R"({"kuma.io/display-name":"theirs","kuma.io/origin":"global"})"), &copy)),
            "labels[\"kuma.io/origin\"]: the origin label must be set to 'zone'");
  const auto forged = put(east, "MeshTimeout", "a", timeout("a", R"({"kuma.io/origin":"zone"})"), &copy);
  EXPECT_EQ(title(forged.stage), "Could not update a resource");
}

TEST(AdmissionTest, TheZoneLabelCannotBeSetOnTheGlobal) {
  EXPECT_EQ(refusals(put(global, "MeshTimeout", "a", timeout("a", R"({"kuma.io/zone":"east"})"))),
            "labels[\"kuma.io/zone\"]: must not be set on a Global control plane");
}

TEST(AdmissionTest, AZoneDemandsTheOriginLabelAndKnowsItsName) {
  EXPECT_EQ(refusals(put(east, "MeshTimeout", "a", timeout("a"))),
            "labels[\"kuma.io/origin\"]: the origin label must be set to 'zone'");
  auto lenient = east;
  lenient.disable_origin_validation = true;
  EXPECT_TRUE(put(lenient, "MeshTimeout", "a", timeout("a")).result.ok());
  auto alone = east;
  alone.federated = false;
  EXPECT_TRUE(put(alone, "MeshTimeout", "a", timeout("a")).result.ok());
  EXPECT_EQ(refusals(put(east, "MeshTimeout", "a", timeout("a", R"({"kuma.io/origin":"zone","kuma.io/zone":"west"})"))),
            "labels[\"kuma.io/zone\"]: kuma.io/zone label should have east value");
  EXPECT_EQ(
      refusals(put(east, "MeshTimeout", "a", timeout("a", R"({"kuma.io/mesh":"other","kuma.io/origin":"zone"})"))),
      "labels[\"kuma.io/mesh\"]: kuma.io/mesh label must not differ from mesh set on resource");
  const auto own =
      put(east, "MeshTimeout", "a", timeout("a", R"({"kuma.io/origin":"zone","kuma.io/policy-role":"producer"})"));
  ASSERT_TRUE(own.result.ok());
  EXPECT_EQ(
      own.result->labels,
      (Labels{
          {"kuma.io/env", "universal"}, {"kuma.io/mesh", "m"}, {"kuma.io/origin", "zone"}, {"kuma.io/zone", "east"}}));
}

TEST(AdmissionTest, NameWithItsZoneHasToFit) {
  const std::string name(248, 'n');  // with `east.` 253 bytes
  EXPECT_EQ(refusals(put(east, "MeshTimeout", name, timeout(name, R"({"kuma.io/origin":"zone"})"))),
            "name: the length of the name must be shorter");
  EXPECT_TRUE(put(global, "MeshTimeout", name, timeout(name)).result.ok());
}

constexpr std::string_view dataplane =
    R"({"type":"Dataplane","mesh":"m","name":"a","labels":{"kuma.io/proxy-type":"gateway"},
    "networking":{"address":"192.0.2.10","inbound":[{"port":8080,"tags":{"kuma.io/service":"web"}}]}})";

TEST(AdmissionTest, DataplaneOfAZoneGetsTheZoneTagAndItsProxyType) {
  const auto admission = put(east, "Dataplane", "a", dataplane);
  ASSERT_TRUE(admission.result.ok()) << refusals(admission);
  EXPECT_EQ(admission.result->labels.get("kuma.io/proxy-type"), "sidecar");
  Resource resource;
  resource.type = Catalogue::builtin().find("Dataplane");
  resource.spec = admission.result->spec_bytes;
  const auto spec = spec_json(resource);
  const auto& inbound = find(spec, {"networking", "inbound"})->get_array().at(0);
  EXPECT_EQ(find_text(inbound, {"tags", "kuma.io/zone"}), "east");
  EXPECT_EQ(find_text(inbound, {"tags", "kuma.io/service"}), "web");
  const auto gateway = put(east, "Dataplane", "a", R"({"type":"Dataplane","mesh":"m","name":"a",
      "networking":{"address":"a.example","gateway":{"type":"BUILTIN","tags":{"kuma.io/service":"edge"}}}})");
  ASSERT_TRUE(gateway.result.ok()) << refusals(gateway);
  EXPECT_EQ(gateway.result->labels.get("kuma.io/proxy-type"), "gateway");
}

TEST(AdmissionTest, ADataplaneNeedsAnAddressAPortAndAService) {
  EXPECT_EQ(refusals(put(east, "Dataplane", "a", R"({"type":"Dataplane","mesh":"m","name":"a"})")),
            "networking: must be defined");
  EXPECT_EQ(refusals(put(east, "Dataplane", "a", R"({"type":"Dataplane","mesh":"m","name":"a",
                "networking":{"address":"10.0.0.1"}})")),
            "networking: has to contain at least one inbound interface or gateway");
  EXPECT_EQ(refusals(put(east, "Dataplane", "a", R"({"type":"Dataplane","mesh":"m","name":"a",
                "networking":{"address":"not an address","inbound":[{"port":0,"tags":{}}]}})")),
            "networking.address: address has to be valid IP address or domain name; "
            "networking.inbound[0].port: port must be in the range [1, 65535]; "
            "networking.inbound[0].tags[\"kuma.io/service\"]: tag has to exist");
}

TEST(AdmissionTest, WorkloadLabelIsADnsLabelOnEveryWrite) {
  const auto with = [](std::string_view value) {
    return std::string(R"({"type":"Dataplane","mesh":"m","name":"a","labels":{"kuma.io/workload":")")
        .append(value)
        .append(
            R"("},"networking":{"address":"192.0.2.10","inbound":[{"port":80,"tags":{"kuma.io/service":"web"}}]}})");
  };
  EXPECT_TRUE(put(east, "Dataplane", "a", with("web")).result.ok());
  EXPECT_EQ(put(east, "Dataplane", "a", with("1web")).result.status().code(), Code::malformed);
}

TEST(AdmissionTest, OriginOfATrustIsClearedWithAWarning) {
  const auto admission = put(global, "MeshTrust", "a", R"({"type":"MeshTrust","mesh":"m","name":"a",
      "spec":{"trustDomain":"td","caBundles":[{"type":"Pem","pem":{"value":"-----BEGIN CERTIFICATE-----\\nAA==\\n-----END CERTIFICATE-----"}}],"origin":{"kri":"k"}}})");
  ASSERT_TRUE(admission.result.ok()) << refusals(admission);
  EXPECT_EQ(admission.result->warnings, std::vector<std::string>{"setting spec.origin field is deprecated"});
  EXPECT_EQ(admission.result->spec_bytes.find("origin"), std::string::npos);
}

TEST(AdmissionTest, NamespaceInAReferenceIsRefusedOnUniversal) {
  EXPECT_EQ(refusals(put(global, "MeshTimeout", "a",
                         timeout("a", "{}", R"({"to":[{"targetRef":{"kind":"MeshService","name":"c",
                "namespace":"shop"},"default":{"idleTimeout":"1s"}}]})"))),
            "spec.to[0].targetRef.namespace: must not be set on Universal");
}

const ControlPlaneKind kube{
    .mode = Mode::zone, .federated = true, .zone = "east", .environment = Environment::kubernetes};

TEST(AdmissionTest, NamespacedZoneComputesNamespaceRoleAndDisplayName) {
  const auto admission = put(kube, "MeshTimeout", "catalog.shop",
                             R"({"type":"MeshTimeout","mesh":"m","name":"catalog","namespace":"shop","spec":{"to":[
                                 {"targetRef":{"kind":"MeshService","name":"catalog"},"default":{"idleTimeout":"1s"}}]}})");
  ASSERT_TRUE(admission.result.ok()) << refusals(admission);
  EXPECT_EQ(admission.result->name, "catalog.shop");
  EXPECT_EQ(admission.result->labels, (Labels{{"k8s.kuma.io/namespace", "shop"},
                                              {"kuma.io/display-name", "catalog"},
                                              {"kuma.io/env", "kubernetes"},
                                              {"kuma.io/mesh", "m"},
                                              {"kuma.io/origin", "zone"},
                                              {"kuma.io/policy-role", "producer"},
                                              {"kuma.io/zone", "east"}}));
}

TEST(AdmissionTest, NameWithoutNamespaceMeansTheSystemNamespace) {
  const auto admission = put(kube, "MeshTimeout", "a", timeout("a", R"({"kuma.io/origin":"zone"})"));
  ASSERT_TRUE(admission.result.ok()) << refusals(admission);
  EXPECT_EQ(admission.result->name, "a.kuma-system");
  EXPECT_EQ(admission.result->labels.get("kuma.io/policy-role"), "system");
  EXPECT_EQ(refusals(put(kube, "MeshTimeout", "a.shop", timeout("a.shop", R"({"k8s.kuma.io/namespace":"web"})"))),
            "labels[\"k8s.kuma.io/namespace\"]: must be shop");
}

TEST(AdmissionTest, KubernetesFormatIsTakenOnUniversalWithoutNamespaces) {
  const auto document = [](std::string_view namespace_) {
    return std::string(R"({"apiVersion":"kuma.io/v1alpha1","kind":"MeshTimeout","metadata":{"name":"a","namespace":")")
        .append(namespace_)
        .append(R"(","labels":{"kuma.io/mesh":"m"}},"spec":)")
        .append(timeout_spec)
        .append("}");
  };
  EXPECT_TRUE(put(global, "MeshTimeout", "a", document("kuma-system")).result.ok());
  EXPECT_EQ(refusals(put(global, "MeshTimeout", "a", document("shop"))),
            "metadata.namespace: namespaces need environment: kubernetes");
}

TEST(WritableTest, EachSideWritesWhatItProvides) {
  const auto allowed = [](std::string_view type, const ControlPlaneKind& plane) {
    const auto status = writable(*Catalogue::builtin().find(type), plane, false);
    if (!status.ok()) {
      EXPECT_EQ(status.code(), Code::not_writable);
      EXPECT_TRUE(status.message().ends_with('\n'));
    }
    return status.ok();
  };
  for (auto type : {"Dataplane", "MeshService", "Workload", "ZoneIngress", "ZoneEgress"}) {
    EXPECT_FALSE(allowed(type, global)) << type;
    EXPECT_TRUE(allowed(type, east)) << type;
  }
  for (auto type :
       {"Mesh", "ExternalService", "MeshMultiZoneService", "TrafficRoute", "MeshGatewayRoute", "VirtualOutbound"}) {
    EXPECT_TRUE(allowed(type, global)) << type;
    EXPECT_FALSE(allowed(type, east)) << type;
  }
  for (auto type : {"Secret", "GlobalSecret", "Zone", "HostnameGenerator", "MeshGateway", "MeshExternalService",
                    "MeshIdentity", "MeshTrust", "MeshTimeout", "MeshTLS"}) {
    EXPECT_TRUE(allowed(type, global)) << type;
    EXPECT_TRUE(allowed(type, east)) << type;
  }
  for (auto type : {"MeshInsight", "ZoneInsight", "DataplaneInsight", "ServiceInsight"}) {
    EXPECT_FALSE(allowed(type, global)) << type;
    EXPECT_FALSE(allowed(type, east)) << type;
  }
  EXPECT_FALSE(writable(*Catalogue::builtin().find("MeshTimeout"), global, true).ok());
}

}  // namespace
}  // namespace kdsd::policy
