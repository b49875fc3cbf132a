// REST on control planes with namespaces (namespaces.md 2 and 3).
#include <gtest/gtest.h>

#include "fake_backend.h"

namespace kdsd::api {
namespace {

policy::ControlPlaneKind namespaced(policy::Mode mode, const std::string& system_namespace = "mesh-system") {
  policy::ControlPlaneKind kind;
  kind.mode = mode;
  if (mode == policy::Mode::zone) kind.zone = "east";
  kind.federated = mode == policy::Mode::zone;
  kind.environment = policy::Environment::kubernetes;
  kind.system_namespace = system_namespace;
  return kind;
}

constexpr char spec[] =
    R"({"to":[{"targetRef":{"kind":"MeshService","name":"catalog"},"default":{"connectionTimeout":"10s"}}]})";

class Namespaces : public ::testing::Test {
 protected:
  Namespaces() : backend(namespaced(policy::Mode::zone)), api(backend) {
    Resource mesh;
    mesh.type = Catalogue::builtin().find("Mesh");
    mesh.name = "default";
    mesh.source = source_global;
    backend.store(mesh);
  }

  static std::string universal(const std::string& name, const std::string& extra = "") {
    return R"({"type":"MeshTimeout","mesh":"default","name":")" + name + '"' + extra + R"(,"spec":)" + spec + "}";
  }
  static std::string kubernetes(const std::string& metadata) {
    return R"({"apiVersion":"kuma.io/v1alpha1","kind":"MeshTimeout","metadata":)" + metadata + R"(,"spec":)" + spec +
           "}";
  }
  Reply put(const std::string& name, const std::string& body) {
    return api.put("/meshes/default/meshtimeouts/" + name, body);
  }
  Reply get(const std::string& name) { return api.get("/meshes/default/meshtimeouts/" + name); }

  FakeBackend backend;
  Api api;
};

constexpr char origin_zone[] = R"(,"labels":{"kuma.io/origin":"zone"})";

TEST_F(Namespaces, BothFormatsMeanTheSameResource) {
  EXPECT_EQ(put("slow.shop", universal("slow.shop")).status, 201);
  EXPECT_EQ(put("slow.shop", universal("slow", R"(,"namespace":"shop")")).status, 200);
  EXPECT_EQ(put("slow.shop", kubernetes(R"({"name":"slow","namespace":"shop"})")).status, 200);
  const auto shown = get("slow.shop").body;
  EXPECT_EQ(find_text(shown, {"name"}), "slow.shop");
  EXPECT_EQ(find_text(shown, {"labels", "k8s.kuma.io/namespace"}), "shop");
  EXPECT_EQ(find_text(shown, {"labels", "kuma.io/display-name"}), "slow");
  EXPECT_EQ(find_text(shown, {"labels", "kuma.io/policy-role"}), "producer");
  EXPECT_EQ(find_text(shown, {"labels", "kuma.io/env"}), "kubernetes");
  EXPECT_EQ(find_text(shown, {"kri"}), "kri_mt_default_east_shop_slow_");
}

TEST_F(Namespaces, NameWithoutDotMeansTheSystemNamespace) {
  EXPECT_EQ(put("slow", universal("slow", origin_zone)).status, 201);
  EXPECT_EQ(put("slow.mesh-system", universal("slow", origin_zone)).status, 200);
  EXPECT_EQ(put("slow", universal("slow.mesh-system", origin_zone)).status, 200);
  EXPECT_EQ(find_text(get("slow").body, {"name"}), "slow.mesh-system");
  EXPECT_EQ(find_text(get("slow.mesh-system").body, {"labels", "kuma.io/policy-role"}), "system");
  EXPECT_EQ(api.get("/meshes/default/meshtimeouts").names(), "slow.mesh-system");
  EXPECT_EQ(api.remove("/meshes/default/meshtimeouts/slow").status, 200);
  EXPECT_EQ(get("slow").status, 404);
}

TEST_F(Namespaces, DotsBelongToNamesOfTheKubernetesFormat) {
  EXPECT_EQ(put("a.b.c.shop", kubernetes(R"({"name":"a.b.c","namespace":"shop"})")).status, 201);
  EXPECT_EQ(find_text(get("a.b.c.shop").body, {"labels", "kuma.io/display-name"}), "a.b.c");
  EXPECT_EQ(put("a.b", kubernetes(R"({"name":"a.b","labels":{"kuma.io/origin":"zone"}})")).violations(),
            "name=name from the URL has to be the same as in body")
      << "in an address the last dot decides";
  EXPECT_EQ(put("a.b.mesh-system", kubernetes(R"({"name":"a.b","labels":{"kuma.io/origin":"zone"}})")).status, 201);
}

TEST_F(Namespaces, NamespaceIsADnsLabel) {
  const auto field = [&](const std::string& namespace_) {
    return put("a." + namespace_, universal("a." + namespace_)).violations();
  };
  const std::string reason = "metadata.namespace=must be a DNS label of at most 63 characters";
  EXPECT_EQ(field("Shop"), reason);
  EXPECT_EQ(field(std::string(64, 'n')), reason);
  EXPECT_EQ(field(std::string(63, 'n')), "");
  EXPECT_EQ(put(std::string(253, 'a') + "." + std::string(63, 'n'),
                universal(std::string(253, 'a') + "." + std::string(63, 'n')))
                .status,
            201);
}

TEST_F(Namespaces, NamespaceLabelSaysWhatTheNameSays) {
  EXPECT_EQ(put("a.shop", universal("a.shop", R"(,"labels":{"k8s.kuma.io/namespace":"bank"})")).violations(),
            R"(labels["k8s.kuma.io/namespace"]=must be shop)");
  EXPECT_EQ(put("a.shop", universal("a.shop", R"(,"labels":{"k8s.kuma.io/namespace":"shop"})")).status, 201);
}

TEST_F(Namespaces, KubernetesFormatShowsNamespaceAndLabelsOfTheResource) {
  ASSERT_EQ(put("slow.shop", kubernetes(R"({"name":"slow","namespace":"shop","labels":{"team":"a"},
    "annotations":{"kuma.io/display-name":"shown","other":"x"},"uid":"7","resourceVersion":"9"})"))
                .status,
            201);
  const auto shown = get("slow.shop?format=kubernetes&namespace=elsewhere").body;
  EXPECT_EQ(find_text(shown, {"metadata", "name"}), "slow");
  EXPECT_EQ(find_text(shown, {"metadata", "namespace"}), "shop");
  EXPECT_EQ(find_text(shown, {"metadata", "labels", "team"}), "a");
  EXPECT_EQ(find_text(shown, {"metadata", "labels", "kuma.io/mesh"}), "default");
  EXPECT_EQ(find_text(shown, {"metadata", "annotations", "kuma.io/display-name"}), "shown");
  EXPECT_EQ(find(shown, {"metadata", "labels", "kuma.io/display-name"}), nullptr);
  EXPECT_EQ(find(shown, {"metadata", "annotations", "other"}), nullptr);
  EXPECT_EQ(find(shown, {"mesh"}), nullptr) << "the kind has its mesh in a label";
  EXPECT_EQ(put("slow.shop", to_compact_json(shown)).status, 200) << "what is shown can be applied";
}

TEST_F(Namespaces, KindsThatHaveTheMeshOnTopShowItThere) {
  ASSERT_EQ(api.put("/meshes/default/dataplanes/web.shop",
                    R"({"type":"Dataplane","mesh":"default","name":"web.shop","networking":{"address":"10.0.0.1",
                        "inbound":[{"port":80,"tags":{"kuma.io/service":"web"}}]}})")
                .status,
            201);
  const auto shown = api.get("/meshes/default/dataplanes/web.shop?format=kubernetes").body;
  EXPECT_EQ(find_text(shown, {"mesh"}), "default");
  EXPECT_EQ(find_text(shown, {"metadata", "name"}), "web");
  EXPECT_EQ(find_text(shown, {"metadata", "namespace"}), "shop");
}

TEST_F(Namespaces, SecretsHaveNoSuffixAndLiveInTheSystemNamespaceOnly) {
  const auto secret = [&](const std::string& namespace_) {
    return api.put("/meshes/default/secrets/key",
                   R"({"apiVersion":"v1","kind":"Secret","type":"system.kuma.io/secret","metadata":{"name":"key",)"
                   R"("namespace":")" +
                       namespace_ + R"(","labels":{"kuma.io/mesh":"default"}},"data":{"value":"YQ=="}})");
  };
  EXPECT_EQ(secret("mesh-system").status, 201);
  EXPECT_EQ(api.get("/meshes/default/secrets").names(), "key");
  EXPECT_EQ(secret("shop").violations(),
            "metadata.namespace=resource type Secret can be created only in the system namespace:mesh-system");
}

TEST(NamespacesOfAGlobal, OwnResourcesStandInTheSystemNamespaceWithoutOrigin) {
  FakeBackend backend(namespaced(policy::Mode::global));
  Api api(backend);
  ASSERT_EQ(api.put("/meshes/default", R"({"type":"Mesh","name":"default"})").status, 201);
  const auto body = R"({"type":"MeshTimeout","mesh":"default","name":"slow","spec":)" + std::string(spec) + "}";
  ASSERT_EQ(api.put("/meshes/default/meshtimeouts/slow", body).status, 201);
  const auto shown = api.get("/meshes/default/meshtimeouts/slow").body;
  EXPECT_EQ(find_text(shown, {"name"}), "slow.mesh-system");
  EXPECT_EQ(shown.at("labels"), boost::json::parse(R"({"k8s.kuma.io/namespace":"mesh-system",
    "kuma.io/display-name":"slow","kuma.io/mesh":"default","kuma.io/policy-role":"system"})"));
  EXPECT_EQ(api.put("/meshes/default/meshtimeouts/slow.shop",
                    R"({"type":"MeshTimeout","mesh":"default","name":"slow.shop","spec":)" + std::string(spec) + "}")
                .violations(),
            "metadata.namespace=on Global CP the policy can be created only in the system namespace:mesh-system");
  // Default policies of the mesh are own resources like any other.
  const auto made = api.get("/meshes/default/meshtimeouts/mesh-timeout-all-default").body;
  EXPECT_EQ(find_text(made, {"name"}), "mesh-timeout-all-default.mesh-system");
  EXPECT_EQ(find_text(made, {"labels", "kuma.io/policy-role"}), "system");
  EXPECT_EQ(find_text(made, {"labels", "k8s.kuma.io/namespace"}), "mesh-system");
}

TEST(NamespacesOfAGlobal, ProxiesAreAskedByANameWithoutNamespaceToo) {
  FakeBackend backend(namespaced(policy::Mode::global));
  Api api(backend);
  Resource mesh;
  mesh.type = Catalogue::builtin().find("Mesh");
  mesh.name = "default";
  backend.store(mesh);
  Resource proxy;
  proxy.type = Catalogue::builtin().find("Dataplane");
  proxy.mesh = "default";
  proxy.name = "web-1-x7c2.mesh-system";
  proxy.source = "west";
  backend.store(proxy);
  for (const char* rest : {"", "/xds", "/stats", "/clusters"})
    EXPECT_EQ(api.get("/meshes/default/dataplanes/web-1-x7c2" + std::string(rest)).status, 200) << rest;
}

TEST(NamespacesOfAUniversalControlPlane, OnlyTheSystemNamespaceIsAccepted) {
  FakeBackend backend;
  Api api(backend);
  api.mesh("default");
  const auto put = [&](const std::string& namespace_) {
    return api.put("/meshes/default/meshtimeouts/slow",
                   R"({"apiVersion":"kuma.io/v1alpha1","kind":"MeshTimeout","metadata":{"name":"slow","namespace":")" +
                       namespace_ + R"("},"spec":)" + spec + "}");
  };
  EXPECT_EQ(put("kuma-system").status, 201);
  EXPECT_EQ(put("shop").violations(), "metadata.namespace=namespaces need environment: kubernetes");
  EXPECT_EQ(find_text(api.get("/meshes/default/meshtimeouts/slow").body, {"name"}), "slow");
}

}  // namespace
}  // namespace kdsd::api
