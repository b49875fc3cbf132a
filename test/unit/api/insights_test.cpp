#include <gtest/gtest.h>
#include <map>
#include <random>

#include "api/mesh_tally.h"
#include "api/service_insight_publisher.h"
#include "model/proto_spec.h"

#include "fake_backend.h"
#include "kuma/mesh/v1alpha1/dataplane.pb.h"

namespace kdsd::api {
namespace {

namespace proto = kuma::mesh::v1alpha1;

std::string text_of(const MeshTally& tally) {
  return serialize_deterministic(tally.mesh_insight()) + serialize_deterministic(tally.service_insight(".mesh:80"));
}

ProxyFacts random_proxy(std::mt19937_64& random) {
  const auto choose = [&](auto number) { return static_cast<int>(random() % static_cast<unsigned>(number)); };
  ProxyFacts facts;
  facts.kind = static_cast<ProxyKind>(choose(3));
  facts.state = static_cast<ProxyState>(choose(3));
  for (int i = choose(3); i >= 0; --i) facts.services["service-" + std::to_string(choose(4))] = choose(2) == 0;
  if (choose(4) > 0) facts.zone = "zone-" + std::to_string(choose(3));
  if (choose(4) > 0) facts.kuma_version = "2.1" + std::to_string(choose(3));
  if (choose(4) > 0) facts.envoy_version = "1.3" + std::to_string(choose(3));
  if (choose(2) > 0) facts.issued_backend = "ca-" + std::to_string(choose(2));
  if (choose(2) > 0) facts.supported_backends = {"ca-0", "ca-1"};
  return facts;
}

// Whatever came, changed and went: the counts are those of what is there.
TEST(MeshTally, CountsAreThoseOfACountAnew) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    MeshTally tally;
    std::map<std::string, ProxyFacts> proxies;
    std::map<std::string, std::string> externals;
    for (int step = 0; step < 200; ++step) {
      const auto name = "n" + std::to_string(random() % 12);
      switch (random() % 4) {
        case 0:
          tally.remove_proxy(name);
          proxies.erase(name);
          break;
        case 1:
          externals[name] = "service-" + std::to_string(random() % 4);
          tally.put_external(name, externals[name]);
          break;
        case 2:
          tally.remove_external(name);
          externals.erase(name);
          break;
        default:
          proxies[name] = random_proxy(random);
          tally.put_proxy(name, proxies[name]);
      }
      MeshTally anew;
      for (const auto& [known, facts] : proxies) anew.put_proxy(known, facts);
      for (const auto& [known, service] : externals) anew.put_external(known, service);
      ASSERT_EQ(text_of(tally), text_of(anew)) << "seed " << seed << " step " << step;
    }
    for (const auto& [known, facts] : proxies) tally.remove_proxy(known);
    for (const auto& [known, service] : externals) tally.remove_external(known);
    EXPECT_EQ(text_of(tally), text_of(MeshTally()));
  }
}

policy::ControlPlaneKind lonely_zone() {
  policy::ControlPlaneKind kind;
  kind.mode = policy::Mode::zone;
  kind.zone = "east";
  return kind;
}

class Insights : public testing::Test {
 protected:
  Insights() : backend(lonely_zone()), api(backend) { api.put("/meshes/shop", R"({"type":"Mesh","name":"shop"})"); }
  void put_proxy(const std::string& name, const std::string& service) {
    api.put("/meshes/shop/dataplanes/" + name,
            R"({"type":"Dataplane","mesh":"shop","name":")" + name +
                R"(","networking":{"address":"192.0.2.1","inbound":[{"port":80,"tags":{"kuma.io/service":")" + service +
                R"("}}]}})");
  }
  void connect(const std::string& name) {
    proto::DataplaneInsight insight;
    insight.add_subscriptions()->mutable_connect_time()->set_seconds(5);
    Resource stored;
    stored.type = Catalogue::builtin().find("DataplaneInsight");
    stored.mesh = "shop";
    stored.name = name;
    stored.spec = insight.SerializeAsString();
    backend.store(std::move(stored));
  }
  // online/total
  std::string proxies() {
    const auto body = api.get("/mesh-insights/shop").body;
    const auto* online = find(body, {"dataplanes", "online"});
    const auto* total = find(body, {"dataplanes", "total"});
    return (online ? serialize(*online) : "0") + "/" + (total ? serialize(*total) : "0");
  }

  FakeBackend backend;
  Api api;
};

TEST_F(Insights, FollowEveryChange) {
  EXPECT_EQ(proxies(), "0/0");
  connect("web-1");
  EXPECT_EQ(proxies(), "0/0") << "an insight without its proxy";
  put_proxy("web-1", "web");
  EXPECT_EQ(proxies(), "1/1");
  put_proxy("web-2", "web");
  EXPECT_EQ(proxies(), "1/2");
  EXPECT_EQ(find_text(api.get("/meshes/shop/service-insights/web").body, {"status"}), "partially_degraded");
  connect("web-2");
  EXPECT_EQ(find_text(api.get("/meshes/shop/service-insights/web").body, {"status"}), "online");
  put_proxy("web-2", "shop");
  EXPECT_EQ(api.get("/meshes/shop/service-insights").names(), "shop web");
  api.remove("/meshes/shop/dataplanes/web-2");
  EXPECT_EQ(api.get("/meshes/shop/service-insights").names(), "web");
  EXPECT_EQ(proxies(), "1/1");
  EXPECT_EQ(find(api.get("/global-insight").body, {"dataplanes", "standard", "online"})->as_int64(), 1);
}

TEST_F(Insights, AddressesOfServicesHaveTheDomainAndPortOfTheConfiguration) {
  put_proxy("web-1", "web");
  const auto address = [&] {
    const auto answer = api.get("/meshes/shop/service-insights/web");
    return std::string(find_text(answer.body, {"addressPort"}));
  };
  EXPECT_EQ(address(), "web.mesh:80");
  backend.edit_facts().service_suffix = ".corp.example:8080";
  EXPECT_EQ(address(), "web.corp.example:8080");
}

TEST_F(Insights, AnExternalServiceIsCountedAsLongAsItIsThere) {
  const auto put = [&](const std::string& service) {
    return api.put("/meshes/shop/external-services/ledger",
                   R"({"type":"ExternalService","mesh":"shop","name":"ledger","tags":{"kuma.io/service":")" + service +
                       R"("},"networking":{"address":"ledger.example:443"}})");
  };
  ASSERT_EQ(put("ledger").status, 201);
  EXPECT_EQ(api.get("/service-insights?type=external").names(), "ledger");
  put("books");
  EXPECT_EQ(api.get("/service-insights?type=external").names(), "books");
  EXPECT_EQ(find(api.get("/mesh-insights/shop").body, {"services", "external"})->as_int64(), 1);
  api.remove("/meshes/shop/external-services/ledger");
  EXPECT_EQ(api.get("/service-insights").names(), "");
}

// A global with a proxy of a zone.
class PublishedInsights : public testing::Test {
 protected:
  PublishedInsights() : api(backend) { api.put("/meshes/shop", R"({"type":"Mesh","name":"shop"})"); }

  Resource of_zone(const char* type, const std::string& name, std::string spec) {
    Resource out;
    out.type = Catalogue::builtin().find(type);
    out.mesh = "shop";
    out.name = name;
    out.spec = std::move(spec);
    out.source = "east";
    return out;
  }
  void put_proxy(const std::string& name) {
    proto::Dataplane spec;
    auto& inbound = *spec.mutable_networking()->add_inbound();
    inbound.set_port(80);
    (*inbound.mutable_tags())["kuma.io/service"] = "web";
    backend.store(of_zone("Dataplane", name, serialize_deterministic(spec)));
  }
  void issue(const std::string& name) {
    proto::DataplaneInsight spec;
    spec.add_subscriptions()->mutable_connect_time()->set_seconds(5);
    spec.mutable_mtls()->set_issuedbackend("ca-1");
    backend.store(of_zone("DataplaneInsight", name, serialize_deterministic(spec)));
  }
  Status publish(bool waits_for_zones = false) {
    Status out(Code::internal, "it did not end");
    boost::asio::io_context context;
    boost::asio::co_spawn(context, publish_service_insights(backend, views, waits_for_zones),
                          [&](std::exception_ptr, Status status) { out = std::move(status); });
    context.run();
    return out;
  }
  ResourcePtr stored() {
    return backend.core().index().find(*Catalogue::builtin().find("ServiceInsight"), "shop", "all-services-shop");
  }
  // issued/all
  std::string certificates() {
    proto::ServiceInsight spec;
    if (!stored() || !spec.ParseFromString(stored()->spec)) return "none";
    const auto& service = spec.services().at("web");
    return std::to_string(service.issuedbackends().contains("ca-1") ? service.issuedbackends().at("ca-1") : 0) + "/" +
           std::to_string(service.dataplanes().online() + service.dataplanes().offline());
  }

  FakeBackend backend;
  Api api;
  InsightViews views{Catalogue::builtin()};
};

TEST_F(PublishedInsights, TellHowManyProxiesOfAServiceHaveCertificates) {
  put_proxy("web-1");
  put_proxy("web-2");
  issue("web-1");
  ASSERT_TRUE(publish().ok());
  EXPECT_EQ(certificates(), "1/2");
  issue("web-2");
  ASSERT_TRUE(publish().ok());
  EXPECT_EQ(certificates(), "2/2");
  EXPECT_EQ(stored()->spec.find(".mesh:80"), std::string::npos);
}

TEST_F(PublishedInsights, AreWrittenWhenSomethingElseIsToBeSaidAndForMeshesThatAreThere) {
  ASSERT_TRUE(publish().ok());
  ASSERT_TRUE(stored()) << "a new mesh is told of, too";
  put_proxy("web-1");
  ASSERT_TRUE(publish().ok());
  const auto first = stored();
  put_proxy("web-1");
  ASSERT_TRUE(publish().ok());
  EXPECT_EQ(stored(), first);
  views.note_changed_meshes({"other"});
  ASSERT_TRUE(publish().ok());
  EXPECT_EQ(stored(), first);
}

TEST_F(PublishedInsights, ComeAgainAfterAWriteThatFailed) {
  put_proxy("web-1");
  backend.commit_outcome = Status(Code::unavailable, "the disk is full");
  EXPECT_FALSE(publish().ok());
  backend.commit_outcome = {};
  ASSERT_TRUE(publish().ok());
  EXPECT_EQ(certificates(), "0/1");
}

TEST_F(PublishedInsights, WaitForZonesThatHaveSentNothingYet) {
  api.put("/zones/east", R"({"type":"Zone","name":"east","enabled":true})");
  ASSERT_TRUE(backend.core().expects_zones());
  put_proxy("web-1");
  ASSERT_TRUE(publish(true).ok());
  EXPECT_EQ(stored(), nullptr);
  ASSERT_TRUE(publish(false).ok());
  EXPECT_EQ(certificates(), "0/1");
}

TEST_F(Insights, OfAZoneAreThoseOfItsGlobalWhereThereIsOne) {
  put_proxy("web-1", "web");
  proto::ServiceInsight spec;
  (*spec.mutable_services())["far"].set_status(proto::ServiceInsight_Service_Status_online);
  Resource copy;
  copy.type = Catalogue::builtin().find("ServiceInsight");
  copy.mesh = "shop";
  copy.name = "all-services-shop-xyz";
  copy.source = source_global;
  copy.spec = spec.SerializeAsString();
  backend.store(std::move(copy));
  EXPECT_EQ(api.get("/meshes/shop/service-insights").names(), "far");
  EXPECT_EQ(find_text(api.get("/meshes/shop/service-insights/far").body, {"addressPort"}), "far.mesh:80");
}

}  // namespace
}  // namespace kdsd::api
