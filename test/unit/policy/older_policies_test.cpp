#include "policy/engine/older_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/document.h"

#include "cases.h"

namespace kdsd::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char everything[] = R"([{"match":{"kuma.io/service":"*"}}])";

ResourcePtr resource(const std::string& type, const std::string& name, const std::string& spec,
                     std::int64_t created = 1) {
  auto out = std::make_shared<Resource>();
  out->type = Catalogue::builtin().find(type);
  out->mesh = "default";
  out->name = name;
  out->created = {created};
  auto encoded = encode_spec(*out->type, *parse_json(spec));
  EXPECT_TRUE(encoded.ok()) << encoded.status().text();
  out->spec = *encoded;
  return out;
}

std::string selector(const std::string& service) { return R"([{"match":{"kuma.io/service":")" + service + R"("}}])"; }

ResourcePtr connection(const std::string& type, const std::string& name, const std::string& sources,
                       const std::string& destinations, std::int64_t created = 1) {
  return resource(type, name, R"({"sources":)" + sources + R"(,"destinations":)" + destinations + "}", created);
}

// Serves web on two ports, calls api twice and db once.
Proxy web() {
  return proxy_of(resource("Dataplane", "web-1", R"({"networking":{"address":"10.0.0.1",
    "inbound":[{"port":80,"servicePort":8080,"tags":{"kuma.io/service":"web","version":"v1"}},
               {"address":"10.0.0.2","port":90,"tags":{"kuma.io/service":"admin"}}],
    "outbound":[{"port":1,"tags":{"kuma.io/service":"api"}},
                {"address":"240.0.0.1","port":2,"tags":{"kuma.io/service":"api"}},
                {"address":"fd00::1","port":3,"tags":{"kuma.io/service":"db"}},
                {"port":4,"backendRef":{"kind":"MeshService","name":"new","port":80}}]}})"),
                  {});
}

std::vector<std::string> uses(const std::vector<ResourcePtr>& policies, const Proxy& proxy) {
  static const std::vector<std::string> kinds = {"proxy", "inbound", "outbound", "service"};
  std::vector<std::string> out;
  for (const auto& use : OlderPolicies(policies).used_by(proxy)) {
    out.push_back(use.policy->name + " for " + kinds[static_cast<std::size_t>(use.what)] + " " + use.name + " " +
                  use.service);
  }
  return out;
}

TEST(OlderPoliciesTest, APermissionBelongsToTheInboundWhoseTagsItNames) {
  EXPECT_THAT(uses({connection("TrafficPermission", "p", selector("api"), selector("web"))}, web()),
              ElementsAre("p for inbound 10.0.0.1:80:8080 web"));
  EXPECT_THAT(uses({connection("TrafficPermission", "p", selector("api"), selector("other"))}, web()), IsEmpty());
}

TEST(OlderPoliciesTest, OfPermissionsTheMostSpecificIsUsedAndThenTheNewestAndThenTheFirstName) {
  const auto for_web = [](const char* name, const std::string& match, std::int64_t created) {
    return connection("TrafficPermission", name, everything, R"([{"match":)" + match + "}]", created);
  };
  const auto* exact = R"({"kuma.io/service":"web"})";
  const auto winner = [&](const std::vector<ResourcePtr>& policies) { return uses(policies, web()).front(); };
  const std::string of_web = " for inbound 10.0.0.1:80:8080 web";
  EXPECT_EQ(winner({for_web("any", R"({"kuma.io/service":"*"})", 9), for_web("exact", exact, 1)}), "exact" + of_web);
  EXPECT_EQ(winner({for_web("one", exact, 9), for_web("two", R"({"kuma.io/service":"*","version":"*"})", 1)}),
            "two" + of_web)
      << "more tags win over exact ones";
  EXPECT_EQ(winner({for_web("new", exact, 2), for_web("old", exact, 1)}), "new" + of_web);
  EXPECT_EQ(winner({for_web("b", exact, 1), for_web("a", exact, 1)}), "a" + of_web);
}

TEST(OlderPoliciesTest, FaultsAndRateLimitsOfAnInboundAreUsedTogether) {
  EXPECT_THAT(uses({connection("FaultInjection", "b", everything, selector("web")),
                    connection("FaultInjection", "a", selector("api"), everything)},
                   web()),
              ElementsAre("a for inbound 10.0.0.1:80:8080 web", "b for inbound 10.0.0.1:80:8080 web",
                          "a for inbound 10.0.0.2:90:90 admin"));
}

TEST(OlderPoliciesTest, WhatIsUsedTogetherIsOrderedByTheFirstSourceAndThenByAge) {
  EXPECT_THAT(uses({connection("FaultInjection", "a-any", everything, selector("web"), 9),
                    connection("FaultInjection", "b-old", selector("api"), selector("web"), 1),
                    connection("FaultInjection", "c-new", selector("api"), selector("web"), 2)},
                   web()),
              ElementsAre("c-new for inbound 10.0.0.1:80:8080 web", "b-old for inbound 10.0.0.1:80:8080 web",
                          "a-any for inbound 10.0.0.1:80:8080 web"));
}

TEST(OlderPoliciesTest, ARateLimitIsUsedForOutboundsToo) {
  EXPECT_THAT(uses({connection("RateLimit", "r", selector("web"), selector("api"))}, web()),
              ElementsAre("r for outbound 127.0.0.1:1 api", "r for outbound 240.0.0.1:2 api"));
}

TEST(OlderPoliciesTest, BothEndsCountWhereOnePolicyOfAnOutboundIsUsed) {
  EXPECT_THAT(uses({connection("Timeout", "source", selector("web"), everything),
                    connection("Timeout", "target", everything, selector("db"), 2),
                    connection("Timeout", "foreign", selector("other"), selector("db"))},
                   web()),
              ElementsAre("source for outbound 127.0.0.1:1 api", "source for outbound 240.0.0.1:2 api",
                          "target for outbound [fd00::1]:3 db"));
}

TEST(OlderPoliciesTest, LogsAreForEachServiceAndForWhatHasNoOutbound) {
  EXPECT_THAT(uses({connection("TrafficLog", "l", everything, everything)}, web()),
              ElementsAre("l for service api api", "l for service db db", "l for service pass_through pass_through"));
}

TEST(OlderPoliciesTest, HealthChecksAreForServicesToWhichRoutesLead) {
  const auto check = connection("HealthCheck", "h", everything, everything);
  EXPECT_THAT(uses({check}, web()), ElementsAre("h for service api api", "h for service db db"));
  const auto route = resource("TrafficRoute", "r", R"({"sources":[{"match":{"kuma.io/service":"web"}}],
    "destinations":[{"match":{"kuma.io/service":"db"}}],
    "conf":{"split":[{"weight":9,"destination":{"kuma.io/service":"db","version":"v1"}},
                     {"weight":1,"destination":{"kuma.io/service":"db-next"}}]}})");
  EXPECT_THAT(uses({check, route}, web()), ElementsAre("r for outbound [fd00::1]:3 db", "h for service api api",
                                                       "h for service db db", "h for service db-next db-next"));
}

TEST(OlderPoliciesTest, TracesAndTemplatesAreForTheProxyAsAWhole) {
  const auto trace = [](const char* name, const std::string& spec) { return resource("TrafficTrace", name, spec); };
  EXPECT_THAT(uses({trace("all", "{}"), trace("web", R"({"selectors":)" + selector("web") + "}"),
                    resource("ProxyTemplate", "t", R"({"selectors":)" + std::string(everything) + "}")},
                   web()),
              ElementsAre("t for proxy  ", "web for proxy  "));
}

TEST(OlderPoliciesTest, ADelegatedGatewayIsASourceByItsTags) {
  const auto proxy = proxy_of(resource("Dataplane", "gateway", R"({"networking":{"address":"10.0.0.1",
    "gateway":{"tags":{"kuma.io/service":"edge"}},"outbound":[{"port":1,"tags":{"kuma.io/service":"api"}}]}})"),
                              {});
  EXPECT_THAT(uses({connection("Timeout", "t", selector("edge"), selector("api"))}, proxy),
              ElementsAre("t for outbound 127.0.0.1:1 api"));
}

}  // namespace
}  // namespace kdsd::policy
