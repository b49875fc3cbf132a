#include "policy/engine/selection.h"

#include <algorithm>
#include <random>
#include <set>

#include "policy/engine/ordering.h"

#include "engine_cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

constexpr char global_labels[] = R"({"kuma.io/origin":"global"})";
constexpr char consumer_labels[] =
    R"({"kuma.io/origin":"zone","kuma.io/zone":"east","k8s.kuma.io/namespace":"web","kuma.io/policy-role":"consumer"})";

std::vector<std::uint32_t> ports(const Selection& selection, const Proxy& proxy) {
  std::vector<std::uint32_t> out;
  for (const auto position : selection.inbounds) out.push_back(proxy.inbounds[position].port);
  for (const auto position : selection.listeners) out.push_back(proxy.listeners[position].port);
  return out;
}

TEST(SelectionTest, CasesOfTheSpecificationHold) {
  const auto cases = cases_of("matching");
  ASSERT_EQ(cases.size(), 17U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(std::string(find_text(entry, {"id"})) + " " + std::string(find_text(entry, {"title"})));
    const auto policy = policy_of(*find(entry, {"input", "policy"}));
    const auto proxy = proxy_of_case(*find(entry, {"input", "dataplane"}));
    const auto selection = select(*policy, proxy, policies_of(find(entry, {"input", "routes"})));
    EXPECT_EQ(selection.is_selected(), find(entry, {"expected", "selected"})->get_bool());
    boost::json::array found;
    for (const auto port : ports(selection, proxy)) found.emplace_back(port);
    EXPECT_TRUE(json_equal(found, *find(entry, {"expected", "inbounds"}))) << to_compact_json(found);
  }
}

Proxy sidecar() {
  Proxy out;
  out.mesh = "default";
  out.name = "web-1";
  out.labels = {{"kuma.io/zone", "east"}, {"k8s.kuma.io/namespace", "web"}, {"app", "web"}};
  out.inbounds = {{"http", 80, {{"kuma.io/service", "web"}, {"version", "v1"}}},
                  {"", 9000, {{"kuma.io/service", "admin"}}}};
  return out;
}

std::vector<std::uint32_t> selected(const std::string& target, const Proxy& proxy, const char* labels = global_labels) {
  const auto policy = policy_named("MeshTimeout", "p", labels, R"({"targetRef":)" + target + "}");
  return ports(select(*policy, proxy, {}), proxy);
}

using Ports = std::vector<std::uint32_t>;

TEST(SelectionTest, AStarMatchesAnyPresentValue) {
  EXPECT_EQ(selected(R"({"kind":"MeshSubset","tags":{"version":"*"}})", sidecar()), Ports{80});
  EXPECT_EQ(selected(R"({"kind":"MeshSubset","tags":{"version":"v2"}})", sidecar()), Ports{});
}

TEST(SelectionTest, AnInboundWithoutNameIsAddressedByItsPort) {
  EXPECT_EQ(selected(R"({"kind":"Dataplane","sectionName":"9000"})", sidecar()), Ports{9000});
  EXPECT_EQ(selected(R"({"kind":"Dataplane","sectionName":"80"})", sidecar()), Ports{}) << "it has a name";
}

TEST(SelectionTest, ADataplaneIsNamedWithinTheNamespaceThatIsWritten) {
  const auto* target = R"({"kind":"Dataplane","name":"web-1","namespace":"web"})";
  EXPECT_EQ(selected(target, sidecar(), R"({"kuma.io/zone":"east","k8s.kuma.io/namespace":"other"})"),
            (Ports{80, 9000}));
  EXPECT_EQ(selected(target, sidecar(), R"({"kuma.io/zone":"west"})"), Ports{});
  EXPECT_EQ(selected(R"({"kind":"Dataplane","labels":{"app":"web"}})", sidecar()), (Ports{80, 9000}));
  EXPECT_EQ(selected(R"({"kind":"Dataplane","labels":{"app":"db"}})", sidecar()), Ports{});
}

TEST(SelectionTest, ADelegatedGatewayIsSelectedByItsTags) {
  Proxy proxy;
  proxy.kind = ProxyKind::delegated_gateway;
  proxy.gateway_tags = {{"kuma.io/service", "edge"}};
  const auto is_selected = [&](const std::string& target) {
    const auto policy = policy_named("MeshTimeout", "p", global_labels, R"({"targetRef":)" + target + "}");
    return select(*policy, proxy, {}).is_selected();
  };
  EXPECT_TRUE(is_selected(R"({"kind":"MeshService","name":"edge"})"));
  EXPECT_FALSE(is_selected(R"({"kind":"MeshService","name":"web"})"));
  EXPECT_TRUE(is_selected(R"({"kind":"Mesh","proxyTypes":["Gateway"]})"));
  EXPECT_FALSE(is_selected(R"({"kind":"Mesh","proxyTypes":["Sidecar"]})"));
  EXPECT_TRUE(is_selected(R"({"kind":"Dataplane"})"));
  EXPECT_FALSE(is_selected(R"({"kind":"MeshGateway","name":"edge"})"));
}

TEST(SelectionTest, APolicyAndItsExplicitViewSelectAlike) {
  const auto short_form = policy_named("MeshTimeout", "p", consumer_labels, R"({"targetRef":{"kind":"Mesh"}})");
  const auto long_form = policy_named(
      "MeshTimeout", "p", consumer_labels,
      R"({"targetRef":{"kind":"MeshSubset","tags":{"kuma.io/zone":"east","k8s.kuma.io/namespace":"web"}}})");
  EXPECT_EQ(ports(select(*short_form, sidecar(), {}), sidecar()), (Ports{80, 9000}));
  EXPECT_EQ(ports(select(*long_form, sidecar(), {}), sidecar()), (Ports{80, 9000}));
  const auto elsewhere = policy_named("MeshTimeout", "p", consumer_labels,
                                      R"({"targetRef":{"kind":"MeshSubset","tags":{"kuma.io/zone":"west"}}})");
  EXPECT_FALSE(select(*elsewhere, sidecar(), {}).is_selected());
}

TEST(SelectionTest, AProxyWithoutZoneCountsAsOwn) {
  auto proxy = sidecar();
  proxy.labels.erase("kuma.io/zone");
  EXPECT_EQ(selected(R"({"kind":"Mesh"})", proxy, consumer_labels), (Ports{80, 9000}));
  proxy.labels.erase("k8s.kuma.io/namespace");
  EXPECT_EQ(selected(R"({"kind":"Mesh"})", proxy, consumer_labels), Ports{}) << "both namespaces have to be there";
}

TEST(SelectionTest, APolicyOnARouteSelectsWhatTheRouteDoes) {
  const auto route =
      policy_named("MeshHTTPRoute", "r", global_labels, R"({"targetRef":{"kind":"MeshService","name":"web"}})");
  const auto policy =
      policy_named("MeshTimeout", "p", global_labels, R"({"targetRef":{"kind":"MeshHTTPRoute","name":"r"}})");
  const auto found = select(*policy, sidecar(), {route});
  EXPECT_EQ(ports(found, sidecar()), Ports{80});
  EXPECT_TRUE(found.warnings.empty());
  const auto unknown = select(*policy, sidecar(), {});
  EXPECT_FALSE(unknown.is_selected());
  ASSERT_EQ(unknown.warnings.size(), 1U);
  EXPECT_EQ(unknown.warnings.front(), "the MeshHTTPRoute that p is attached to does not exist");
}

std::vector<std::string> names(const AppliedPolicies& policies) {
  std::vector<std::string> out;
  for (const auto& policy : policies) out.push_back(policy->name);
  return out;
}

TEST(OrderingTest, CasesOfTheSpecificationHoldWhateverTheOrderOfTheInput) {
  const auto cases = cases_of("ordering");
  ASSERT_EQ(cases.size(), 18U);
  std::mt19937 random(7);
  for (const auto& entry : cases) {
    SCOPED_TRACE(std::string(find_text(entry, {"id"})) + " " + std::string(find_text(entry, {"title"})));
    auto policies = policies_of(find(entry, {"input", "policies"}));
    std::vector<std::string> expected;
    for (const auto& name : find(entry, {"expected", "lowestToHighest"})->get_array()) {
      expected.emplace_back(name.get_string().c_str());
    }
    for (int round = 0; round < 10; ++round) {
      std::shuffle(policies.begin(), policies.end(), random);
      sort_policies(policies);
      EXPECT_EQ(names(policies), expected);
    }
  }
}

TEST(OrderingTest, ItIsAStrictTotalOrderOverAllPoliciesOfTheCases) {
  AppliedPolicies all;
  std::set<std::string> known;
  for (const auto& entry : cases_of("ordering")) {
    for (const auto& policy : policies_of(find(entry, {"input", "policies"}))) {
      if (known.insert(policy->namespace_() + "/" + policy->name).second) all.push_back(policy);
    }
  }
  for (const auto& a : all) {
    for (const auto& b : all) {
      const auto order = compare_policies(*a, *b);
      EXPECT_EQ(order == 0, a == b) << a->name << " and " << b->name;
      EXPECT_EQ(order<0, compare_policies(*b, *a)> 0);
      if (order >= 0) continue;
      for (const auto& c : all) {
        if (compare_policies(*b, *c) >= 0) continue;
        EXPECT_TRUE(compare_policies(*a, *c) < 0) << a->name << b->name << c->name;
      }
    }
  }
}

}  // namespace
}  // namespace kdsd::policy
