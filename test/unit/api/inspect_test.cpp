// What policies say about proxies, over stored state (policy-semantics.md 12, rest-api.md 9).
#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>

#include "api/policy_views.h"
#include "model/document.h"

#include "fake_backend.h"

namespace kdsd::api {
namespace {

class InspectEndpoints : public ::testing::Test {
 protected:
  InspectEndpoints() : api(backend) { make_mesh("Exclusive"); }

  void make_mesh(const std::string& mode) {
    put("Mesh", "", "default",
        R"({"meshServices":{"mode":")" + mode +
            R"("},"mtls":{"enabledBackend":"ca-1","backends":[{"name":"ca-1","type":"builtin"}]}})");
  }

  // Stored past admission, with the spec as JSON.
  void put(const std::string& type, const std::string& mesh, const std::string& name, const std::string& spec,
           Labels labels = {}) {
    Resource resource;
    resource.type = Catalogue::builtin().find(type);
    resource.mesh = mesh;
    resource.name = name;
    resource.labels = std::move(labels);
    auto encoded = encode_spec(*resource.type, *parse_json(spec));
    ASSERT_TRUE(encoded.ok()) << encoded.status().text();
    resource.spec = *encoded;
    backend.store(resource);
  }
  void dataplane(const std::string& name, const std::string& service, Labels labels = {}) {
    put("Dataplane", "default", name,
        R"({"networking":{"address":"10.0.0.1","inbound":[{"port":8080,"name":"http","tags":{"kuma.io/service":")" +
            service + R"(","kuma.io/protocol":"http"}}]}})",
        std::move(labels));
  }
  // Something that no other control plane ever had.
  void erase(const std::string& type, const std::string& name) {
    const ResourceKey key{Catalogue::builtin().find(type), "default", name};
    backend.write({[&](kds::Transaction& transaction) {
                     transaction.remove(key);
                     return Status();
                   },
                   [](const Status&) {}});
    ASSERT_EQ(backend.core().index().find_entry(key), nullptr) << "there is no tombstone";
  }
  void timeout(const std::string& name, const std::string& spec) { put("MeshTimeout", "default", name, spec); }
  void service(const std::string& name) {
    put("MeshService", "default", name,
        R"({"ports":[{"port":80,"name":"main","appProtocol":"http"},{"port":9000}],
            "selector":{"dataplaneTags":{"kuma.io/service":")" +
            name + R"("}}})");
  }
  std::string get(const std::string& rest, int status = 200) {
    const auto reply = api.get("/meshes/default/" + rest);
    EXPECT_EQ(reply.status, status) << reply.text;
    return to_compact_json(reply.body);
  }

  FakeBackend backend;
  Api api;
};

constexpr char outbound_and_inbound[] = R"({
  "to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"1s"}},
        {"targetRef":{"kind":"MeshService","name":"catalog","sectionName":"main"},"default":{"connectionTimeout":"2s"}}],
  "from":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"7s"}}]})";

TEST_F(InspectEndpoints, RulesOfAProxyHaveEveryPartThatItsTypeCanHave) {
  dataplane("web-1", "web");
  service("catalog");
  timeout("t", outbound_and_inbound);
  put("MeshTrace", "default", "trace", R"({"default":{"backends":[]}})");
  const std::string meta = R"({"labels":{},"mesh":"default","name":"t","type":"MeshTimeout"})";
  const std::string inbound =
      R"({"name":"http","port":8080,"tags":{"kuma.io/protocol":"http","kuma.io/service":"web"}})";
  EXPECT_EQ(
      get("dataplanes/web-1/_rules"),
      R"({"httpMatches":[],"resource":{"labels":{},"mesh":"default","name":"web-1","type":"Dataplane"},"rules":[)"
      R"({"proxyRule":{"conf":{"backends":[]},"origin":[{"labels":{},"mesh":"default","name":"trace","type":"MeshTrace"}]},)"
      R"("type":"MeshTrace","warnings":[]},)"
      R"({"fromRules":[{"inbound":)" +
          inbound + R"(,"rules":[{"conf":{"idleTimeout":"7s"},"matchers":[],"origin":[)" + meta +
          R"(]}]}],"inboundRules":[{"inbound":)" + inbound +
          R"(,"rules":[{"conf":[{"idleTimeout":"7s"}],"origin":[{"resourceMeta":)" + meta +
          R"(,"ruleIndex":0}]}]}],"toResourceRules":[)"
          R"({"conf":[{"idleTimeout":"1s","connectionTimeout":"2s"}],"origin":[{"resourceMeta":)" +
          meta + R"(,"ruleIndex":0},{"resourceMeta":)" + meta +
          R"(,"ruleIndex":1}],"resourceMeta":{"labels":{},"mesh":"default","name":"catalog","type":"MeshService"},)"
          R"("resourceSectionName":"main"},{"conf":[{"idleTimeout":"1s"}],"origin":[{"resourceMeta":)" +
          meta +
          R"(,"ruleIndex":0}],"resourceMeta":{"labels":{},"mesh":"","name":"default","type":"Mesh"},)"
          R"("resourceSectionName":""}],"toRules":[],"type":"MeshTimeout","warnings":[]}]})");
}

TEST_F(InspectEndpoints, TheOriginOfEachFieldIsShownWhenAskedFor) {
  dataplane("web-1", "web");
  timeout("b", R"({"to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"1s","connectionTimeout":"1s"}}]})");
  timeout("a", R"({"to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"2s"}}]})");
  const auto reply = api.get("/meshes/default/dataplanes/web-1/_rules?origin=true");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(to_compact_json(reply.body.at("rules").at(0).at("toResourceRules").at(0).at("fields")),
            R"([[{"field":"idleTimeout","origin":["a[0]"]},{"field":"connectionTimeout","origin":["b[0]"]}]])");
  make_mesh("Disabled");
  EXPECT_EQ(to_compact_json(api.get("/meshes/default/dataplanes/web-1/_rules?origin=true")
                                .body.at("rules")
                                .at(0)
                                .at("toRules")
                                .at(0)
                                .at("fields")),
            R"([{"field":"idleTimeout","origin":["a"]},{"field":"connectionTimeout","origin":["b"]}])");
}

TEST_F(InspectEndpoints, ToRulesAreShownWhereLegacyServicesStillRun) {
  make_mesh("Disabled");
  dataplane("web-1", "web");
  timeout("t", outbound_and_inbound);
  const auto reply = api.get("/meshes/default/dataplanes/web-1/_rules");
  const auto& rules = reply.body.at("rules").at(0).at("toRules").as_array();
  ASSERT_EQ(rules.size(), 2U) << reply.text;
  EXPECT_EQ(to_compact_json(rules[0].at("matchers")), R"([{"key":"kuma.io/service","not":false,"value":"catalog"}])");
  EXPECT_EQ(to_compact_json(rules[0].at("conf")), R"({"idleTimeout":"1s","connectionTimeout":"2s"})");
  EXPECT_EQ(to_compact_json(rules[1].at("matchers")), "[]");
}

TEST_F(InspectEndpoints, WhatIsWrittenIsSeenAtOnceAndWhatIsDeletedNoMore) {
  dataplane("web-1", "web");
  const auto types = [&] {
    return api.get("/meshes/default/dataplanes/web-1/_rules").body.at("rules").as_array().size();
  };
  EXPECT_EQ(types(), 0U);
  timeout("t", outbound_and_inbound);
  EXPECT_EQ(types(), 1U);
  timeout("t", R"({"targetRef":{"kind":"MeshService","name":"other"},"to":[]})");
  EXPECT_EQ(types(), 0U);
  timeout("t", outbound_and_inbound);
  EXPECT_EQ(types(), 1U);
  api.remove("/meshes/default/meshtimeouts/t");
  EXPECT_EQ(types(), 0U);
}

TEST_F(InspectEndpoints, AProxyThatNobodyElseEverHadIsGoneWithoutATrace) {
  timeout("t", "{}");
  for (const auto* name : {"web-1", "web-2"}) dataplane(name, "web");
  const auto names = [&] { return api.get("/meshes/default/meshtimeouts/t/_resources/dataplanes").names(); };
  EXPECT_EQ(names(), "web-1 web-2");
  erase("Dataplane", "web-1");
  dataplane("web-3", "web");
  EXPECT_EQ(names(), "web-2 web-3");
}

TEST_F(InspectEndpoints, TheNewestAndTheLastProxyAreGoneWithoutATraceToo) {
  timeout("t", "{}");
  for (const auto* name : {"web-1", "web-2"}) dataplane(name, "web");
  const auto names = [&] { return api.get("/meshes/default/meshtimeouts/t/_resources/dataplanes").names(); };
  EXPECT_EQ(names(), "web-1 web-2");
  erase("Dataplane", "web-2");
  EXPECT_EQ(names(), "web-1");
  erase("Dataplane", "web-1");
  EXPECT_EQ(names(), "");
  dataplane("web-2", "web");
  EXPECT_EQ(names(), "web-2");
}

TEST_F(InspectEndpoints, ViewsTakeAWholeTypeOnceAndChangesAfterwards) {
  for (const auto* name : {"web-1", "web-2"}) dataplane(name, "web");
  PolicyViews views(Catalogue::builtin(), {}, {});
  const auto look = [&] { return views.changes_since(backend.core().index(), views.position()); };
  const auto names = [&] {
    std::string out;
    for (const auto& proxy : views.proxies("default")) out += proxy->resource->name + " ";
    return out;
  };
  const auto first = look();
  EXPECT_FALSE(first.whole.empty());
  views.apply(first);
  EXPECT_EQ(names(), "web-1 web-2 ");
  erase("Dataplane", "web-2");
  const auto older = look();
  EXPECT_TRUE(older.whole.empty());
  dataplane("web-2", "web");
  erase("Dataplane", "web-1");
  const auto newer = look();
  EXPECT_TRUE(newer.whole.empty());
  views.apply(newer);
  EXPECT_EQ(names(), "web-2 ");
  views.apply(older);
  EXPECT_EQ(names(), "web-2 ") << "another thread was faster";
}

// What a zone sent goes back to nobody but shows on the global: the newest policy and the only one of its type.
TEST_F(InspectEndpoints, APolicyThatNobodyElseEverHadIsGoneWithoutATrace) {
  dataplane("web-1", "web");
  const auto types = [&] {
    return api.get("/meshes/default/dataplanes/web-1/_rules").body.at("rules").as_array().size();
  };
  put("MeshTimeout", "default", "t", outbound_and_inbound, {{"kuma.io/kds-sync", "disabled"}});
  EXPECT_EQ(types(), 1U);
  erase("MeshTimeout", "t");
  EXPECT_EQ(types(), 0U);
}

TEST_F(InspectEndpoints, WhatIsNotThereIsNotFoundWithATitleOfItsOwn) {
  EXPECT_EQ(api.get("/meshes/none/dataplanes/web-1/_rules").title(), "Failed to retrieve Mesh");
  EXPECT_EQ(api.get("/meshes/default/dataplanes/none/_rules").title(), "Could not retrieve Dataplane");
  EXPECT_EQ(api.get("/meshes/default/meshgateways/none/_rules").title(), "Could not retrieve MeshGateway");
  EXPECT_EQ(api.get("/meshes/default/meshtimeouts/none/_resources/dataplanes").title(), "Could not retrieve policy");
  EXPECT_EQ(api.get("/meshes/default/meshservices/none/_hostnames").title(), "could not retrieve service");
  EXPECT_EQ(get("meshtimeouts/none/dataplanes"), R"({"total":0,"items":[]})") << "as Kuma answers";
  for (const char* path : {"meshtimeouts/t/dataplanes", "meshgateways/g/dataplanes", "meshservices/s/_hostnames"}) {
    const auto reply = api.get("/meshes/none/" + std::string(path));
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_EQ(reply.title(), "Failed to retrieve Mesh") << path;
  }
  EXPECT_EQ(api.get("/meshes/default/dataplanes/none/_rules").status, 404);
}

TEST_F(InspectEndpoints, AMeshGatewayIsInspectedLikeTheProxyThatWouldServeIt) {
  put("MeshGateway", "default", "edge",
      R"({"selectors":[{"match":{"kuma.io/service":"edge"}}],
          "conf":{"listeners":[{"port":80,"protocol":"HTTP","tags":{"port":"http"}},{"port":443,"tags":{"port":"https"}}]}})");
  timeout("t", R"({"targetRef":{"kind":"MeshGateway","name":"edge","tags":{"port":"https"}},
                   "rules":[{"default":{"idleTimeout":"7s"}}]})");
  const auto reply = api.get("/meshes/default/meshgateways/edge/_rules");
  ASSERT_EQ(reply.status, 200) << reply.text;
  const auto& inbound = reply.body.at("rules").at(0).at("inboundRules").as_array();
  ASSERT_EQ(inbound.size(), 1U) << reply.text;
  EXPECT_EQ(to_compact_json(inbound[0].at("inbound")), R"({"port":443,"tags":{"kuma.io/service":"edge"}})");
}

TEST_F(InspectEndpoints, TheProxyOfAGatewayFollowsItsMeshGateway) {
  put("Dataplane", "default", "edge-1",
      R"({"networking":{"address":"10.0.0.1","gateway":{"type":"BUILTIN","tags":{"kuma.io/service":"edge"}}}})");
  timeout("t", R"({"targetRef":{"kind":"MeshGateway","name":"edge"},"rules":[{"default":{"idleTimeout":"7s"}}]})");
  const auto total = [&] {
    return to_compact_json(api.get("/meshes/default/meshtimeouts/t/_resources/dataplanes").body.at("total"));
  };
  EXPECT_EQ(total(), "0");
  put("MeshGateway", "default", "edge",
      R"({"selectors":[{"match":{"kuma.io/service":"edge"}}],"conf":{"listeners":[{"port":80}]}})");
  EXPECT_EQ(total(), "1");
  api.remove("/meshes/default/meshgateways/edge");
  EXPECT_EQ(total(), "0");
}

TEST_F(InspectEndpoints, APolicyListsTheProxiesThatItSelects) {
  for (const auto* name : {"web-1", "web-2", "db-1"})
    dataplane(name, std::string(name).substr(0, 2) == "we" ? "web" : "db");
  timeout("t", R"({"targetRef":{"kind":"MeshService","name":"web"}})");
  EXPECT_EQ(get("meshtimeouts/t/_resources/dataplanes"),
            R"({"items":[{"labels":{},"mesh":"default","name":"web-1","type":"Dataplane"},)"
            R"({"labels":{},"mesh":"default","name":"web-2","type":"Dataplane"}],"total":2})");
  EXPECT_EQ(get("meshtimeouts/t/-resources/dataplanes?name=-2"),
            R"({"items":[{"labels":{},"mesh":"default","name":"web-2","type":"Dataplane"}],"total":1})");
  const auto page = api.get("/meshes/default/meshtimeouts/t/_resources/dataplanes?size=1");
  EXPECT_EQ(page.names(), "web-1");
  const std::string next(find_text(page.body, {"next"}));
  ASSERT_FALSE(next.empty());
  EXPECT_EQ(api.get(next.substr(next.find("/meshes"))).names(), "web-2");
  EXPECT_EQ(api.get("/meshes/default/meshtimeouts/t/_resources/dataplanes?size=x").status, 400);
}

TEST_F(InspectEndpoints, AServiceListsItsProxies) {
  dataplane("web-1", "web");
  dataplane("db-1", "db");
  service("web");
  EXPECT_EQ(api.get("/meshes/default/meshservices/web/_dataplanes").names(), "web-1");
  EXPECT_EQ(api.get("/meshes/default/meshservices/web/_resources/dataplanes").names(), "web-1");
}

TEST_F(InspectEndpoints, PartsOfTheRulesHaveEndpointsOfTheirOwn) {
  dataplane("web-1", "web");
  service("catalog");
  timeout("t", outbound_and_inbound);
  put("MeshTrace", "default", "trace", R"({"default":{"backends":[]}})");
  EXPECT_EQ(
      get("dataplanes/web-1/_policies"),
      R"({"policies":[{"conf":{"backends":[]},"kind":"MeshTrace","origins":[{"kri":"kri_mtr_default___trace_"}]}]})");
  EXPECT_EQ(get("dataplanes/web-1/_inbounds/kri_dp_default___web-1_http/_policies"),
            R"({"policies":[{"kind":"MeshTimeout","origins":[{"kri":"kri_mt_default___t_"}],)"
            R"("rules":[{"conf":{"idleTimeout":"7s"},"kri":"kri_mt_default___t_"}]}]})");
  EXPECT_EQ(get("dataplanes/web-1/_outbounds/kri_msvc_default___catalog_main/_policies"),
            R"({"policies":[{"conf":[{"idleTimeout":"1s","connectionTimeout":"2s"}],"kind":"MeshTimeout",)"
            R"("origins":[{"kri":"kri_mt_default___t_"},{"kri":"kri_mt_default___t_"}]}]})");
  EXPECT_EQ(
      get("dataplanes/web-1/_outbounds/kri_msvc_default___catalog_9000/_policies"),
      R"({"policies":[{"conf":[{"idleTimeout":"1s"}],"kind":"MeshTimeout","origins":[{"kri":"kri_mt_default___t_"}]}]})");
}

TEST_F(InspectEndpoints, RoutesOfAnOutboundAndTheirPolicies) {
  dataplane("web-1", "web");
  service("catalog");
  put("MeshHTTPRoute", "default", "r", R"({"to":[{"targetRef":{"kind":"MeshService","name":"catalog"},
      "rules":[{"matches":[{"path":{"type":"PathPrefix","value":"/v2"}}],"default":{"backendRefs":[]}}]}]})");
  timeout("t",
          R"({"to":[{"targetRef":{"kind":"MeshHTTPRoute","name":"r"},"default":{"http":{"requestTimeout":"3s"}}}]})");
  const std::string outbound = "dataplanes/web-1/_outbounds/kri_msvc_default___catalog_main/";
  EXPECT_EQ(get(outbound + "_routes"),
            R"({"routes":[{"kind":"MeshHTTPRoute","origins":[{"kri":"kri_mhttpr_default___r_"}],"rules":[)"
            R"({"conf":{"backendRefs":[]},"kri":"kri_mhttpr_default___r_",)"
            R"("matches":[{"path":{"type":"PathPrefix","value":"/v2"}}]}]}]})");
  EXPECT_EQ(get(outbound + "_routes/kri_mhttpr_default___r_/_policies"),
            R"({"policies":[{"conf":[{"http":{"requestTimeout":"3s"}}],"kind":"MeshTimeout",)"
            R"("origins":[{"kri":"kri_mt_default___t_"}]}]})");
  const auto rules = api.get("/meshes/default/dataplanes/web-1/_rules").body;
  EXPECT_EQ(rules.at("httpMatches").as_array().size(), 1U);
}

TEST_F(InspectEndpoints, TheLayoutHasInboundsAndWhatCanBeReached) {
  dataplane("web-1", "web", {{"kuma.io/zone", "east"}});
  service("catalog");
  EXPECT_EQ(get("dataplanes/web-1/_layout"),
            R"({"inbounds":[{"kri":"kri_dp_default_east__web-1_http","port":8080,"protocol":"http",)"
            R"("proxyResourceName":"self_inbound_dp_http"}],"kri":"kri_dp_default_east__web-1_",)"
            R"("labels":{"kuma.io/zone":"east"},"outbounds":[)"
            R"({"kri":"kri_msvc_default___catalog_9000","port":9000,"protocol":"tcp",)"
            R"("proxyResourceName":"kri_msvc_default___catalog_9000"},)"
            R"({"kri":"kri_msvc_default___catalog_main","port":80,"protocol":"http",)"
            R"("proxyResourceName":"kri_msvc_default___catalog_main"}]})");
}

TEST_F(InspectEndpoints, TheLayoutResolvesReferencesAsPoliciesDo) {
  const std::string ports = R"({"ports":[{"port":80,"name":"main"},{"port":9000}]})";
  put("MeshService", "default", "catalog", ports, {{"k8s.kuma.io/namespace", "shop"}});
  put("MeshService", "default", "orders", ports, {{"team", "a"}});
  put("MeshService", "default", "other", ports);
  const auto outbounds = [&](const std::string& networking) {
    put("Dataplane", "default", "web-1", R"({"networking":{"address":"10.0.0.1",)" + networking + "}}");
    std::string out;
    const auto layout = api.get("/meshes/default/dataplanes/web-1/_layout").body;
    for (const auto& outbound : layout.at("outbounds").as_array())
      out += (out.empty() ? "" : " ") + std::string(find_text(outbound, {"kri"}));
    return out;
  };
  EXPECT_EQ(outbounds(R"("outbound":[
      {"port":1,"backendRef":{"kind":"MeshService","name":"catalog_shop_svc_9000"}},
      {"port":2,"backendRef":{"kind":"MeshService","labels":{"team":"a"},"port":80}}])"),
            "kri_msvc_default___orders_main kri_msvc_default__shop_catalog_9000");
  EXPECT_EQ(outbounds(R"("transparentProxying":{"reachableBackends":{"refs":[
      {"kind":"MeshService","name":"catalog","namespace":"shop","port":80}, {"kind":"MeshService","name":"none"}]}})"),
            "kri_msvc_default__shop_catalog_main");
  EXPECT_EQ(outbounds(R"("transparentProxying":{"reachableBackends":{}})"), "");
}

TEST_F(InspectEndpoints, OneServiceWithAnImpossiblePortHidesNoOther) {
  dataplane("web-1", "web");
  service("catalog");
  put("MeshService", "default", "odd", R"({"ports":[{"port":18446744073709551615}]})");
  timeout("t", R"({"to":[{"targetRef":{"kind":"MeshService","name":"odd","sectionName":"80"},"default":{}}]})");
  EXPECT_NE(get("dataplanes/web-1/_layout").find("kri_msvc_default___catalog_main"), std::string::npos);
  get("dataplanes/web-1/_rules");
}

TEST_F(InspectEndpoints, TheseNeedAMeshWithServicesOnlyAndKrisThatCanBeRead) {
  dataplane("web-1", "web");
  const auto detail = [&](const std::string& rest) {
    const auto reply = api.get("/meshes/default/dataplanes/web-1/" + rest);
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(reply.title(), "Bad Request");
    return std::string(find_text(reply.body, {"detail"}));
  };
  EXPECT_EQ(detail("_inbounds/x/_policies"), R"(bad request: invalid identifier string: "x")");
  EXPECT_EQ(detail("_outbounds/x_dp_____/_routes"), R"(bad request: identifier must start with 'kri': "x_dp_____")");
  make_mesh("Everywhere");
  EXPECT_EQ(detail("_policies"), "bad request: can't use _policies endpoint without meshService enabled");
  EXPECT_EQ(detail("_layout"), "bad request: can't use _layout endpoint without meshService enabled");
}

TEST_F(InspectEndpoints, GeneratorsGiveAServiceItsHostnames) {
  put("MeshService", "default", "catalog", "{}",
      {{"kuma.io/zone", "east"},
       {"kuma.io/display-name", "catalog"},
       {"k8s.kuma.io/namespace", "shop"},
       {"team", "a"}});
  put("HostnameGenerator", "", "all",
      R"({"selector":{"meshService":{}},"template":"{{ .DisplayName }}.{{.Namespace}}.svc.{{ .Zone }}.mesh.local"})");
  put("HostnameGenerator", "", "team",
      R"({"selector":{"meshService":{"matchLabels":{"team":"a"}}},"template":"{{ label \"team\" }}.local"})");
  put("HostnameGenerator", "", "other", R"({"selector":{"meshExternalService":{}},"template":"x"})");
  EXPECT_EQ(get("meshservices/catalog/_hostnames"),
            R"({"items":[{"hostname":"a.local","zones":[{"name":"east"}]},)"
            R"({"hostname":"catalog.shop.svc.east.mesh.local","zones":[{"name":"east"}]}],"total":2})");
  put("HostnameGenerator", "", "broken", R"({"selector":{"meshService":{}},"template":"{{ .Nothing }}"})");
  get("meshservices/catalog/_hostnames", 400);
}

TEST_F(InspectEndpoints, AServiceOfTheGlobalHasItsHostnamesInEveryZone) {
  put("Zone", "", "east", "{}");
  put("Zone", "", "west", "{}");
  put("MeshMultiZoneService", "default", "catalog", "{}");
  put("HostnameGenerator", "", "all",
      R"({"selector":{"meshMultiZoneService":{}},"template":"{{ .DisplayName }}.mzsvc"})");
  EXPECT_EQ(get("meshmultizoneservices/catalog/_hostnames"),
            R"({"items":[{"hostname":"catalog.mzsvc","zones":[{"name":"east"},{"name":"west"}]}],"total":1})");
}

TEST_F(InspectEndpoints, PermissionsOfAProxyAreShownAsTheFilterTheyMean) {
  dataplane("web-1", "web");
  put("MeshTrafficPermission", "default", "p",
      R"({"from":[{"targetRef":{"kind":"Mesh"},"default":{"action":"Allow"}}]})");
  const auto reply = api.get("/meshes/default/dataplanes/web-1/_rbac");
  ASSERT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(to_compact_json(reply.body.at("inbounds").at(0).at("config")),
            R"({"rules":{"action":"ALLOW","policies":{"MeshTrafficPermission":{"permissions":[{"any":true}],)"
            R"("principals":[{"any":true}]}}}})");
}

TEST_F(InspectEndpoints, OlderClientsGetTheirOlderForms) {
  dataplane("web-1", "web");
  timeout("t", outbound_and_inbound);
  put("MeshTrace", "default", "trace", R"({"default":{"backends":[]}})");
  const auto policies = api.get("/meshes/default/dataplanes/web-1/policies");
  ASSERT_EQ(policies.status, 200) << policies.text;
  EXPECT_EQ(find_text(policies.body, {"kind"}), "SidecarDataplane");
  const auto& item = policies.body.at("items").at(0);
  EXPECT_EQ(find_text(item, {"type"}), "dataplane");
  EXPECT_EQ(find_text(item.at("matchedPolicies").at("MeshTimeout").at(0), {"name"}), "t");
  const auto rules = api.get("/meshes/default/dataplanes/web-1/rules");
  ASSERT_EQ(rules.status, 200) << rules.text;
  ASSERT_EQ(to_compact_json(rules.body.at("total")), "2");
  EXPECT_EQ(find_text(rules.body.at("items").at(0), {"type"}), "SingleItem");
  EXPECT_EQ(to_compact_json(rules.body.at("items").at(1)),
            R"({"type":"ClientSubset","name":"web","addresses":["10.0.0.1:8080"],"service":"web",)"
            R"("tags":{"kuma.io/protocol":"http","kuma.io/service":"web"},"policyType":"MeshTimeout","subset":{},)"
            R"("conf":{"idleTimeout":"7s"},"origins":[{"mesh":"default","name":"t"}]})");
  EXPECT_EQ(get("meshtimeouts/t/dataplanes"),
            R"({"total":1,"items":[{"kind":"SidecarDataplane","dataplane":{"mesh":"default","name":"web-1"},)"
            R"("attachments":[{"type":"dataplane","name":"","service":""}]}]})");
}

TEST_F(InspectEndpoints, OlderPoliciesListWhatTheyAreUsedFor) {
  dataplane("web-1", "web");
  dataplane("db-1", "db");
  put("TrafficPermission", "default", "p",
      R"({"sources":[{"match":{"kuma.io/service":"api"}}],"destinations":[{"match":{"kuma.io/service":"web"}}]})");
  put("TrafficTrace", "default", "t", R"({"selectors":[{"match":{"kuma.io/service":"*"}}]})");
  EXPECT_EQ(get("traffic-permissions/p/dataplanes"),
            R"({"total":1,"items":[{"kind":"SidecarDataplane","dataplane":{"mesh":"default","name":"web-1"},)"
            R"("attachments":[{"type":"inbound","name":"10.0.0.1:8080:8080","service":"web"}]}]})");
  EXPECT_EQ(get("traffic-permissions/none/dataplanes"), R"({"total":0,"items":[]})");
  EXPECT_EQ(api.get("/meshes/default/traffic-permissions/p/_resources/dataplanes").names(), "web-1");
  EXPECT_EQ(to_compact_json(api.get("/meshes/default/traffic-traces/t/dataplanes").body.at("total")), "2");
  get("meshgatewayroutes/r/dataplanes", 404);
  get("virtual-outbounds/v/dataplanes", 404);

  const auto policies = api.get("/meshes/default/dataplanes/db-1/policies").body;
  const auto& matched = policies.at("items").at(0).at("matchedPolicies").as_object();
  EXPECT_EQ(matched.size(), 1U);
  EXPECT_EQ(find_text(matched.at("TrafficTrace").at(0), {"name"}), "t");
  const auto of_web = api.get("/meshes/default/dataplanes/web-1/policies").body;
  ASSERT_EQ(of_web.at("items").as_array().size(), 2U);
  const auto& inbound = of_web.at("items").at(1);
  EXPECT_EQ(find_text(inbound, {"type"}), "inbound");
  EXPECT_EQ(find_text(inbound.at("matchedPolicies").at("TrafficPermission").at(0), {"name"}), "p");
}

TEST_F(InspectEndpoints, OlderClientsSeeTheListenersOfABuiltInGateway) {
  put("MeshGateway", "default", "edge",
      R"({"selectors":[{"match":{"kuma.io/service":"edge"}}],"conf":{"listeners":[
          {"port":80,"protocol":"HTTP","hostname":"b.example"},{"port":80,"protocol":"HTTP","hostname":"a.example"},
          {"port":443,"protocol":"HTTPS"}]}})");
  put("Dataplane", "default", "edge-1",
      R"({"networking":{"address":"10.0.0.9","gateway":{"type":"BUILTIN","tags":{"kuma.io/service":"edge"}}}})");
  timeout("t", outbound_and_inbound);
  const auto body = api.get("/meshes/default/dataplanes/edge-1/policies").body;
  EXPECT_EQ(find_text(body, {"kind"}), "MeshGatewayDataplane");
  EXPECT_EQ(
      to_compact_json(body.at("listeners")),
      R"([{"port":80,"protocol":"HTTP","hosts":[{"hostName":"a.example","routes":[]},)"
      R"({"hostName":"b.example","routes":[]}]},{"port":443,"protocol":"HTTPS","hosts":[{"hostName":"*","routes":[]}]}])");
  EXPECT_EQ(to_compact_json(api.get("/meshes/default/meshtimeouts/t/dataplanes").body.at("total")), "0");
  EXPECT_EQ(api.get("/meshes/default/meshtimeouts/t/_resources/dataplanes").names(), "edge-1");
}

TEST_F(InspectEndpoints, PoliciesOfAProxyAreListedFromTheLowestUp) {
  dataplane("web-1", "web");
  for (const auto* name : {"a", "b"}) timeout(name, outbound_and_inbound);
  const auto body = api.get("/meshes/default/dataplanes/web-1/policies").body;
  const auto& policies = body.at("items").at(0).at("matchedPolicies");
  EXPECT_EQ(find_text(policies.at("MeshTimeout").at(0), {"name"}), "b");
  EXPECT_EQ(find_text(policies.at("MeshTimeout").at(1), {"name"}), "a") << "the smaller name wins";
}

TEST_F(InspectEndpoints, ShadowPoliciesTakePartOnlyWhenAskedFor) {
  dataplane("web-1", "web");
  const Labels shadow = {{"kuma.io/effect", "shadow"}};
  put("MeshTimeout", "default", "s", outbound_and_inbound, shadow);
  EXPECT_EQ(api.get("/meshes/default/meshtimeouts/s/_resources/dataplanes").names(), "web-1") << "what it would select";
  EXPECT_EQ(api.get("/meshes/default/meshtimeouts/s/_resources/dataplanes?shadow=x").status, 400);
  const auto total = [&](const std::string& query) {
    return to_compact_json(api.get("/meshes/default/meshtimeouts/s/dataplanes" + query).body.at("total"));
  };
  EXPECT_EQ(total(""), "0");
  EXPECT_EQ(total("?shadow=true"), "1");
  const auto rules = [&](const std::string& query) {
    return api.get("/meshes/default/dataplanes/web-1/_rules" + query).body.at("rules").as_array().size();
  };
  EXPECT_EQ(rules(""), 0U);
  EXPECT_NE(rules("?shadow=true"), 0U);
}

TEST_F(InspectEndpoints, AReferenceFindsAShadowRouteToo) {
  dataplane("web-1", "web");
  put("MeshHTTPRoute", "default", "r", R"({"to":[]})", {{"kuma.io/effect", "shadow"}});
  timeout("t", R"({"targetRef":{"kind":"MeshHTTPRoute","name":"r"}})");
  EXPECT_EQ(api.get("/meshes/default/meshtimeouts/t/_resources/dataplanes").names(), "web-1");
  EXPECT_EQ(to_compact_json(api.get("/meshes/default/meshtimeouts/t/dataplanes").body.at("total")), "1");
}

TEST_F(InspectEndpoints, AProxyThatGetsAnInboundBetweenTwoLooksIsShownInItsNewerVersion) {
  dataplane("web-1", "web");
  timeout("t", outbound_and_inbound);
  const auto add_inbound = [&] {
    put("Dataplane", "default", "web-1",
        R"({"networking":{"address":"10.0.0.2","inbound":[{"port":8080,"tags":{"kuma.io/service":"web"}},
            {"port":9090,"tags":{"kuma.io/service":"web"}}]}})");
  };
  backend.after_next_read = add_inbound;
  const auto rules = api.get("/meshes/default/dataplanes/web-1/rules");
  ASSERT_EQ(to_compact_json(rules.body.at("total")), "2") << rules.text;
  EXPECT_EQ(to_compact_json(rules.body.at("items").at(0).at("addresses")), R"(["10.0.0.2:8080"])");
  EXPECT_EQ(to_compact_json(rules.body.at("items").at(1).at("addresses")), R"(["10.0.0.2:9090"])");
}

TEST_F(InspectEndpoints, AGatewayListsTheProxiesThatServeIt) {
  put("Dataplane", "default", "edge-1",
      R"({"networking":{"address":"10.0.0.1","gateway":{"type":"BUILTIN","tags":{"kuma.io/service":"edge"}}}})");
  dataplane("web-1", "edge");
  put("MeshGateway", "default", "edge",
      R"({"selectors":[{"match":{"kuma.io/service":"edge"}}],"conf":{"listeners":[{"port":80}]}})");
  EXPECT_EQ(get("meshgateways/edge/dataplanes"),
            R"({"total":1,"items":[{"dataplane":{"mesh":"default","name":"edge-1"}}]})");
  EXPECT_EQ(api.get("/meshes/default/meshgateways/none/dataplanes").title(), "Could not find MeshGateway");
}

TEST_F(InspectEndpoints, EnvoyConfigurationIsRefused) {
  const auto reply = api.get("/meshes/default/dataplanes/web-1/_config");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(find_text(reply.body, {"detail"}), "Not allowed on global CP");
}

TEST_F(InspectEndpoints, AFleetIsInspectedInTheTimeThatOneProxyTakes) {
  for (int i = 0; i < 10'000; ++i) {
    dataplane("d" + std::to_string(i), "s" + std::to_string(i / 10), {{"kuma.io/zone", "z" + std::to_string(i % 10)}});
  }
  for (int i = 0; i < 900; ++i) {
    timeout("p" + std::to_string(i), R"({"targetRef":{"kind":"MeshService","name":"s)" + std::to_string(i) +
                                         R"("},"to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"1s"}}]})");
  }
  for (int i = 0; i < 100; ++i) {
    timeout("m" + std::to_string(i), R"({"to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"1s"}}]})");
  }
  const auto milliseconds = [&](const std::string& target) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(api.get(target).status, 200);
    const auto end = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(end - begin).count();
  };
  const auto first = milliseconds("/meshes/default/dataplanes/d17/_rules");
  const auto next = milliseconds("/meshes/default/dataplanes/d4711/_rules");
  const auto selected = milliseconds("/meshes/default/meshtimeouts/p7/_resources/dataplanes");
  timeout("p7", R"({"targetRef":{"kind":"MeshService","name":"s8"}})");
  const auto after_change = milliseconds("/meshes/default/meshtimeouts/p7/_resources/dataplanes");
  std::printf(
      "  10000 proxies, 1000 policies: first look %.1f ms, rules of one proxy %.1f ms, proxies of one policy "
      "%.1f ms, the same after a change %.1f ms\n",
      first, next, selected, after_change);
}

}  // namespace
}  // namespace kdsd::api
