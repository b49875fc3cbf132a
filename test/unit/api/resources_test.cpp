#include <gtest/gtest.h>

#include "model/hash.h"

#include "fake_backend.h"
#include "kuma/mesh/v1alpha1/dataplane.pb.h"
#include "kuma/system/v1alpha1/zone.pb.h"

namespace kdsd::api {
namespace {

policy::ControlPlaneKind zone(const std::string& name, bool federated) {
  policy::ControlPlaneKind kind;
  kind.mode = policy::Mode::zone;
  kind.zone = name;
  kind.federated = federated;
  return kind;
}

Resource copy_of(const std::string& type, const std::string& mesh, const std::string& name, const std::string& source,
                 Labels labels) {
  Resource resource;
  resource.type = Catalogue::builtin().find(type);
  resource.mesh = mesh;
  resource.name = name;
  resource.source = source;
  resource.labels = std::move(labels);
  resource.spec = resource.type->encoding == SpecEncoding::json ? R"({"targetRef":{"kind":"Mesh"}})" : "";
  return resource;
}

class Resources : public ::testing::Test {
 protected:
  Resources() : api(backend) { api.mesh("shop"); }
  FakeBackend backend;
  Api api;
};

TEST_F(Resources, DocumentComesBackWithItsFieldsInTheDocumentedOrder) {
  auto created = api.put_timeout("shop", "slow");
  EXPECT_EQ(created.status, 201) << created.text;
  EXPECT_EQ(created.text, "{}\n");
  auto reply = api.get("/meshes/shop/meshtimeouts/slow");
  std::string order;
  for (const auto& member : reply.body.as_object()) order += std::string(member.key()) + " ";
  EXPECT_EQ(order, "type mesh name creationTime modificationTime labels kri spec ");
  EXPECT_EQ(api.put_timeout("shop", "slow", "{}", "6s").status, 200);
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts/slow/").body.at("creationTime"), reply.body.at("creationTime"));
}

// Whoever looks at a copy finds what it refers to under the names shown.
TEST_F(Resources, CopiesOfPoliciesAreShownWithTheNamesTheirTargetsHaveHere) {
  auto copy = copy_of("MeshTimeout", "shop", "slow-x", "east",
                      {{"kuma.io/zone", "east"}, {"kuma.io/origin", "zone"}, {"k8s.kuma.io/namespace", "bank"}});
  copy.spec = R"({"to":[{"targetRef":{"kind":"MeshService","name":"ledger","namespace":"bank"}}]})";
  backend.store(copy);
  const auto name = hashed_name("shop", "ledger", {"east", "bank"});
  const auto expected = boost::json::parse(R"({"kind":"MeshService","name":")" + name + R"("})");
  const auto ref = [](const boost::json::value& document) {
    return document.at("spec").at("to").as_array()[0].at("targetRef");
  };
  EXPECT_EQ(ref(api.get("/meshes/shop/meshtimeouts/slow-x").body), expected);
  EXPECT_EQ(ref(api.get("/meshes/shop/meshtimeouts").body.at("items").as_array()[0]), expected);
  EXPECT_EQ(ref(api.get("/meshtimeouts").body.at("items").as_array()[0]), expected);
  EXPECT_EQ(ref(api.get("/meshes/shop/meshtimeouts/slow-x?format=kubernetes").body), expected);
  EXPECT_EQ(ref(api.get("/_kri/kri_mt_shop_east_bank_slow-x_").body), expected);
}

TEST_F(Resources, MissingThingsSayWhatIsMissing) {
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts/none").title(), "Could not retrieve a resource");
  EXPECT_EQ(api.get("/meshes/none/meshtimeouts/a").title(), "Failed to retrieve Mesh");
  EXPECT_EQ(api.get("/meshes/none/meshtimeouts").status, 404);
  EXPECT_EQ(api.put_timeout("none", "a").title(), "Failed to retrieve Mesh");
  EXPECT_EQ(api.put("/meshes/none/meshtimeouts/a", "{").title(), "Failed to retrieve Mesh");
  EXPECT_EQ(api.remove("/meshes/shop/meshtimeouts/none").title(), "Could not delete a resource");
  EXPECT_EQ(api.get("/no-such-type").status, 404);
  EXPECT_EQ(api.get("/versions").status, 404);
}

TEST_F(Resources, BadBodiesChangeNothing) {
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  for (const std::string& body :
       {std::string("{"), std::string("[]"), std::string("\"text\""), std::string(), deep,
        std::string(R"({"type":"MeshTimeout","type":"MeshRetry"})"), std::string("{\"name\":\"\xff\"}")}) {
    auto reply = api.put("/meshes/shop/meshtimeouts/a", body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_EQ(reply.title(), "Bad Request") << body;
  }
  EXPECT_EQ(
      api.put("/meshes/shop/meshtimeouts/a", Api::timeout("shop", "a"), {{"content-type", "application/yaml"}}).status,
      415);
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts/a").status, 404);
}

TEST_F(Resources, NamesThatAreNoNamesAreRefusedInTheAnswerOrThePath) {
  EXPECT_EQ(api.put("/meshes/shop/meshtimeouts/a%20b", Api::timeout("shop", "a b")).title(),
            "Could not process a resource");
  for (const char* name : {"..", "%2e%2e", "a%2fb", "a%00", "%ff"}) {
    EXPECT_EQ(api.put("/meshes/shop/meshtimeouts/" + std::string(name), Api::timeout("shop", "a")).status, 400) << name;
  }
}

TEST_F(Resources, ViolationsAreListedForOldAndNewClients) {
  auto reply = api.put("/meshes/shop/meshtimeouts/a", Api::timeout("shop", "b"));
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.violations(), "name=name from the URL has to be the same as in body");
  EXPECT_EQ(reply.body.at("details"), reply.body.at("detail"));
  EXPECT_EQ(find_text(reply.body.at("causes").as_array()[0], {"message"}),
            "name from the URL has to be the same as in body");
}

TEST_F(Resources, UnknownMethodIsRefusedWithTheOnesThereAre) {
  auto reply = api.send("POST", "/meshes", "{}");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.header("allow"), "GET");
  EXPECT_EQ(api.send("POST", "/meshes/shop/meshtimeouts/a").header("allow"), "DELETE, GET, PUT");
  EXPECT_EQ(api.get("/meshes", {{"accept", "text/html"}}).status, 406);
}

TEST_F(Resources, PagesCoverEverything) {
  for (const char* name : {"c", "a", "b"}) api.put_timeout("shop", name);
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts").names(), "a b c");
  auto first = api.get("/meshes/shop/meshtimeouts?size=2");
  EXPECT_EQ(first.body.at("total").as_int64(), 3);
  const std::string next = first.body.at("next").as_string().c_str();
  EXPECT_TRUE(next.starts_with("http://127.0.0.1:5681/meshes/shop/meshtimeouts?offset=")) << next;
  EXPECT_TRUE(next.ends_with("&size=2")) << next;
  auto last = api.get(next.substr(next.find("/meshes")));
  EXPECT_EQ(last.names(), "c");
  EXPECT_TRUE(last.body.at("next").is_null());
  EXPECT_EQ(api.get("/meshtimeouts?size=0").names(), "a b c");
}

TEST_F(Resources, ListsAreFilteredByNameAndLabels) {
  api.put_timeout("shop", "web", R"({"team":"red","tier":"1"})");
  api.put_timeout("shop", "api", R"({"team":"red"})");
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts?name=we").names(), "web");
  EXPECT_EQ(api.get("/meshtimeouts?filter[labels.team]=red").names(), "api web");
  EXPECT_EQ(api.get("/meshtimeouts?filter%5Blabels.team%5D=red&filter[labels.tier]=1").names(), "web");
  for (const char* query : {"size=many", "size=1001", "size=-1", "offset=x", "filter[name]=a",
                            "filter[labels.a][not]=b", "filter[labels.a=b"}) {
    auto reply = api.get(std::string("/meshes/shop/meshtimeouts?") + query);
    EXPECT_EQ(reply.status, 400) << query;
    EXPECT_EQ(reply.title(), "Could not retrieve resources") << query;
  }
  EXPECT_EQ(api.get("/meshtimeouts?filter[name]=a").violations(),
            "/meshtimeouts.filter[name]=filters are only supported on labels");
}

TEST_F(Resources, EveryDescribedTypeCanBeListed) {
  auto types = api.get("/_resources");
  for (const auto& type : types.body.at("resources").as_array()) {
    auto reply = api.get("/" + std::string(find_text(type, {"path"})));
    EXPECT_EQ(reply.status, 200) << reply.text;
  }
}

TEST_F(Resources, KubernetesFormIsShownOnDemand) {
  api.put_timeout("shop", "slow");
  auto reply = api.get("/meshes/shop/meshtimeouts/slow?format=k8s");
  EXPECT_EQ(find_text(reply.body, {"metadata", "namespace"}), "kuma-system");
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts/slow?format=toml").status, 400);
}

TEST_F(Resources, ResourceIsFoundByItsKri) {
  api.put_timeout("shop", "slow");
  EXPECT_EQ(api.get("/_kri/kri_mt_shop___slow_").status, 200);
  EXPECT_EQ(api.get("/_kri/kri_m____shop_").status, 200);
  EXPECT_EQ(api.get("/_kri/kri_mt_shop___other_").title(), "Could not retrieve a resource");
  EXPECT_EQ(api.get("/_kri/kri_nothing").title(), "Bad Request");
}

TEST_F(Resources, SecretsAreForAdministratorsOnly) {
  const TextPairs stranger{{"x-forwarded-for", "203.0.113.7"}};
  for (const char* path :
       {"/meshes/shop/secrets", "/secrets", "/global-secrets", "/globalsecrets/a", "/meshes/shop/secrets/a"}) {
    EXPECT_EQ(api.get(path, stranger).title(), "Access Denied") << path;
  }
  EXPECT_EQ(api.put("/global-secrets/a", R"({"type":"GlobalSecret","name":"a","data":"YQ=="})", stranger).status, 403);
  EXPECT_EQ(api.put("/meshes/shop/meshtimeouts/a", Api::timeout("shop", "a"), stranger).status, 201);
  backend.edit_facts().writes_need_authentication = true;
  EXPECT_EQ(api.put("/meshes/shop/meshtimeouts/a", Api::timeout("shop", "a"), stranger).status, 403);
  EXPECT_EQ(api.put("/global-secrets/a", R"({"type":"GlobalSecret","name":"a","data":"YQ=="})").status, 201);
  EXPECT_EQ(find_text(api.get("/globalsecrets/a").body, {"data"}), "YQ==");
}

TEST_F(Resources, MeshBringsItsDefaultPoliciesAndItsSigningKey) {
  EXPECT_EQ(api.put("/meshes/plain", R"({"type":"Mesh","name":"plain"})").status, 201);
  EXPECT_EQ(api.get("/meshes/plain/meshtimeouts").names(), "mesh-gateways-timeout-all-plain mesh-timeout-all-plain");
  EXPECT_EQ(api.get("/meshes/plain/secrets").names(), "dataplane-token-signing-key-plain-1");
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts").names(), "");
  EXPECT_EQ(api.get("/meshes/shop/secrets").names(), "dataplane-token-signing-key-shop-1");
  EXPECT_EQ(api.remove("/meshes/plain").status, 200);
  api.mesh("plain");
  EXPECT_EQ(api.get("/meshes/plain/meshtimeouts").names(), "");
}

TEST_F(Resources, ProxiesAndInsightsCannotBeWrittenOnTheGlobal) {
  for (const char* path : {"/meshes/shop/dataplanes/a", "/meshes/shop/workloads/a", "/zoneegresses/a",
                           "/mesh-insights/shop", "/meshes/shop/service-insights/a", "/meshes/none/dataplanes/a"}) {
    EXPECT_EQ(api.put(path, "{}").title(), "Method not allowed") << path;
    EXPECT_EQ(api.remove(path).status, 405) << path;
  }
}

TEST_F(Resources, ImmutableLabelsCanBeAddedOnly) {
  api.put_timeout("shop", "a");
  EXPECT_EQ(api.put_timeout("shop", "a", R"({"kuma.io/display-name":"shown"})").status, 200);
  auto changed = api.put_timeout("shop", "a", R"({"kuma.io/display-name":"other"})");
  EXPECT_EQ(changed.title(), "Could not update a resource");
  EXPECT_EQ(api.get("/_kri/kri_mt_shop___shown_").status, 200);
}

TEST_F(Resources, NameElsewhereBelongsToOneResource) {
  api.put_timeout("shop", "a");
  auto reply = api.put_timeout("shop", "b", R"({"kuma.io/display-name":"a"})");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.violations(), "labels[\"kuma.io/display-name\"]=is already used by a");
}

TEST_F(Resources, CopyIsManagedWhereItCameFrom) {
  backend.store(
      copy_of("MeshTimeout", "shop", "theirs-x", "east", {{"kuma.io/origin", "zone"}, {"kuma.io/zone", "east"}}));
  auto reply = api.remove("/meshes/shop/meshtimeouts/theirs-x");
  EXPECT_EQ(reply.status, 405);
  EXPECT_NE(reply.text.find("zone \\\"east\\\""), std::string::npos) << reply.text;
  EXPECT_EQ(api.put_timeout("shop", "theirs-x").status, 400);
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts/theirs-x").status, 200);
}

TEST_F(Resources, ConnectedZoneCannotBeDeleted) {
  ASSERT_EQ(api.put("/zones/east", R"({"type":"Zone","name":"east"})").status, 201);
  kuma::system::v1alpha1::ZoneInsight insight;
  insight.add_subscriptions()->mutable_connect_time()->set_seconds(5);
  Resource stored = copy_of("ZoneInsight", "", "east", "", {});
  stored.spec = insight.SerializeAsString();
  backend.store(stored);
  EXPECT_EQ(find_text(api.get("/zones+insights").body.at("items").as_array()[0], {"type"}), "ZoneOverview");
  auto insight_answer = api.get("/global-insight");
  EXPECT_EQ(find(insight_answer.body, {"zones", "controlPlanes", "online"})->as_int64(), 1);
  EXPECT_EQ(api.remove("/zones/east").violations(),
            "zone=unable to delete Zone, Zone CP is still connected, please shut it down first");
  backend.edit_facts().unsafe_delete = true;
  EXPECT_EQ(api.remove("/zones/east").status, 200);
  EXPECT_EQ(api.get("/zone-insights/east").status, 404);
}

TEST_F(Resources, SecretInUseCannotBeDeleted) {
  api.put("/meshes/shop/secrets/cert", R"({"type":"Secret","mesh":"shop","name":"cert","data":"YQ=="})");
  auto mesh =
      R"({"type":"Mesh","name":"shop","mtls":{"backends":[{"name":"ca-1","type":"provided","conf":{"cert":{"secret":"cert"},"key":{"secret":"key"}}}]}})";
  auto written = api.put("/meshes/shop", mesh);
  ASSERT_EQ(written.status, 200) << written.text;
  EXPECT_EQ(api.remove("/meshes/shop/secrets/cert").status, 400);
}

TEST_F(Resources, ReadOnlyApiRefusesEveryWrite) {
  backend.edit_facts().read_only = true;
  EXPECT_EQ(api.put_timeout("shop", "a").title(), "Method not allowed");
  EXPECT_EQ(api.remove("/meshes/shop").status, 405);
  const auto types = api.get("/_resources");
  for (const auto& type : types.body.at("resources").as_array()) EXPECT_TRUE(type.at("readOnly").as_bool());
}

TEST_F(Resources, FailedCommitIsNoSuccess) {
  backend.commit_outcome = Status(Code::unavailable, "disk is full");
  EXPECT_EQ(api.put_timeout("shop", "a").status, 503);
  EXPECT_EQ(api.get("/meshes/shop/meshtimeouts/a").status, 404);
}

TEST_F(Resources, CountersFollowWhatExists) {
  api.put_timeout("shop", "a");
  api.put_timeout("shop", "b");
  auto insight = api.get("/mesh-insights/shop");
  EXPECT_EQ(find(insight.body, {"policies", "MeshTimeout", "total"})->as_int64(), 2) << insight.text;
  EXPECT_NE(find(insight.body, {"dataplanes"}), nullptr);
  EXPECT_EQ(api.get("/mesh-insights").names(), "shop");
  auto whole = api.get("/global-insight");
  EXPECT_EQ(find(whole.body, {"resources", "MeshTimeout", "total"})->as_int64(), 2);
  EXPECT_EQ(find(whole.body, {"dataplanes", "standard", "total"})->as_int64(), 0);
  EXPECT_EQ(api.get("/global-insights").status, 200);
  EXPECT_EQ(api.get("/service-insights?type=strange").title(), "Bad Request");
}

TEST_F(Resources, IndexTellsProductAndVersions) {
  auto index = api.get("/");
  EXPECT_EQ(find_text(index.body, {"product"}), "Kuma");
  EXPECT_EQ(find_text(index.body, {"kdsd", "version"}), "0.1.0");
  EXPECT_EQ(find_text(index.body, {"gui"}), "/gui");
  EXPECT_EQ(api.get("/config").text, R"({"mode":"global"})");
  EXPECT_EQ(find_text(api.get("/who-am-i").body, {"name"}), "mesh-system:admin");
}

TEST(LonelyZone, MayWriteEverything) {
  FakeBackend backend(zone("east", false));
  Api api(backend);
  EXPECT_EQ(api.put("/meshes/shop", R"({"type":"Mesh","name":"shop"})").status, 201);
  EXPECT_EQ(api.put_timeout("shop", "slow").status, 201);
  auto dataplane = R"({"type":"Dataplane","mesh":"shop","name":"web-1","networking":{"address":"192.0.2.1",
    "inbound":[{"port":80,"tags":{"kuma.io/service":"web"}}]}})";
  EXPECT_EQ(api.put("/meshes/shop/dataplanes/web-1", dataplane).status, 201);
  EXPECT_EQ(api.get("/dataplanes?tag=kuma.io/service:we").names(), "web-1");
  EXPECT_EQ(api.get("/meshes/shop/dataplanes/_overview?gateway=true").names(), "");
  EXPECT_TRUE(find(api.get("/meshes/shop/dataplanes/web-1/_overview").body, {"dataplaneInsight"})->as_object().empty());
  auto services = api.get("/meshes/shop/service-insights");
  EXPECT_EQ(services.names(), "web");
  EXPECT_EQ(find_text(services.body.at("items").as_array()[0], {"status"}), "offline");
  EXPECT_EQ(api.get("/meshes/shop/service-insights/other").status, 200);
  EXPECT_EQ(api.remove("/meshes/shop").violations(),
            "mesh=unable to delete mesh, there are still some dataplanes attached");
}

TEST(FederatedZone, LeavesToTheGlobalWhatIsItsOwn) {
  FakeBackend backend(zone("east", true));
  Api api(backend);
  backend.store(copy_of("Mesh", "", "shop", "global", {}));
  EXPECT_EQ(api.put("/meshes/other", R"({"type":"Mesh","name":"other"})").status, 405);
  EXPECT_EQ(api.put_timeout("shop", "a").violations(),
            "labels[\"kuma.io/origin\"]=the origin label must be set to 'zone'");
  EXPECT_EQ(api.put_timeout("shop", "a", R"({"kuma.io/origin":"zone"})").status, 201);
  EXPECT_EQ(find_text(api.get("/").body, {"gui"}), "");
  EXPECT_EQ(api.get("/_kri/kri_mt_shop_east__a_").status, 200);
  EXPECT_EQ(api.get("/_kri/kri_m____shop_").status, 200);
  backend.store(copy_of("MeshTimeout", "shop", "theirs", "global", {}));
  EXPECT_EQ(api.remove("/meshes/shop/meshtimeouts/theirs").status, 405);
}

TEST(BasePath, PrefixesEveryRoute) {
  FakeBackend backend;
  backend.edit_facts().base_path = "/cp";
  Api api(backend);
  EXPECT_EQ(api.get("/cp/meshes").status, 200);
  EXPECT_EQ(api.get("/cp").status, 200);
  EXPECT_EQ(api.get("/meshes").status, 404);
}

TEST(DisabledType, HasNoAddress) {
  FakeBackend backend;
  backend.edit_facts().disabled_types = {"MeshRetry"};
  Api api(backend);
  EXPECT_EQ(api.get("/meshretries").status, 404);
}

}  // namespace
}  // namespace kdsd::api
