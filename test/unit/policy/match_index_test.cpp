#include "policy/engine/match_index.h"

#include <map>
#include <random>

#include "policy/engine/matched_policies.h"
#include "policy/engine/tag_rules.h"

#include "engine_cases.h"

namespace kdsd::policy {
namespace {

using namespace testing;

// Random policies and proxies of one mesh.
struct RandomFleet {
  std::mt19937 random{5};

  std::uint32_t below(std::uint32_t n) { return random() % n; }
  std::string number(std::uint32_t n) { return std::to_string(below(n)); }

  std::string target() {
    switch (below(8)) {
      case 0:
        return R"({"kind":"MeshService","name":"s)" + number(5) + "\"}";
      case 1:
        return R"({"kind":"MeshSubset","tags":{"version":"*","app":"a)" + number(4) + "\"}}";
      case 2:
        return R"({"kind":"MeshSubset","tags":{"kuma.io/zone":"z)" + number(3) + "\"}}";
      case 3:
        return R"({"kind":"Dataplane","name":"d)" + number(40) + "\"}";
      case 4:
        return R"({"kind":"Dataplane","labels":{"team":"t)" + number(3) + "\"}}";
      case 5:
        return R"({"kind":"MeshGateway","name":"g)" + number(2) + "\"}";
      case 6:
        return R"({"kind":"MeshServiceSubset","name":"s)" + number(5) + R"(","tags":{"app":"a)" + number(4) + "\"}}";
      default:
        return R"({"kind":"Mesh"})";
    }
  }

  AppliedPolicyPtr policy(const std::string& name) {
    static const char* const roles[] = {"system", "producer", "consumer", "workload-owner"};
    std::string labels = R"({"kuma.io/origin":"global"})";
    if (below(2) == 0) {
      labels = R"({"kuma.io/origin":"zone","kuma.io/zone":"z)" + number(3) + R"(","k8s.kuma.io/namespace":"n)" +
               number(3) + R"(","kuma.io/policy-role":")" + roles[below(4)] + "\"}";
    }
    return policy_named("MeshTimeout", name, labels, R"({"targetRef":)" + target() + "}");
  }

  ProxyPtr proxy(const std::string& name) {
    auto out = std::make_shared<Proxy>();
    out->mesh = "default";
    out->name = name;
    out->labels = {{"k8s.kuma.io/namespace", "n" + number(3)}, {"team", "t" + number(3)}};
    if (below(4) != 0) out->labels.set("kuma.io/zone", "z" + number(3));
    if (below(5) == 0) {
      out->kind = ProxyKind::builtin_gateway;
      out->gateway = "g" + number(2);
      out->gateway_tags = {{"kuma.io/service", "s" + number(5)}};
      out->listeners = {{80, out->gateway_tags}};
      return out;
    }
    for (std::uint32_t i = 0, n = 1 + below(2); i < n; ++i) {
      out->inbounds.push_back(
          {"", 80 + i, {{"kuma.io/service", "s" + number(5)}, {"app", "a" + number(4)}, {"version", "v" + number(2)}}});
    }
    return out;
  }
};

TEST(MatchIndexTest, CandidatesHoldWhateverIsSelectedAndFollowEveryChange) {
  RandomFleet fleet;
  MatchIndex index;
  std::map<std::string, AppliedPolicyPtr> policies;
  std::map<std::string, ProxyPtr> proxies;
  for (int round = 0; round < 600; ++round) {
    const auto policy_name = "p" + fleet.number(60);
    const auto proxy_name = "d" + fleet.number(40);
    if (fleet.below(4) == 0) {
      policies.erase(policy_name);
      index.remove_policy(*Catalogue::builtin().find("MeshTimeout"), policy_name);
    } else {
      index.put(policies[policy_name] = fleet.policy(policy_name));
    }
    if (fleet.below(4) == 0) {
      proxies.erase(proxy_name);
      index.remove_proxy(proxy_name);
    } else {
      index.put(proxies[proxy_name] = fleet.proxy(proxy_name));
    }
    if (round % 20 != 0) continue;
    for (const auto& [name, proxy] : proxies) {
      std::vector<std::string> expected;
      for (const auto& [other, policy] : policies) {
        if (select(*policy, *proxy, {}).is_selected()) expected.push_back(other);
      }
      std::vector<std::string> found;
      for (const auto& policy : index.candidates_for(*proxy)) {
        if (select(*policy, *proxy, {}).is_selected()) found.push_back(policy->name);
      }
      ASSERT_EQ(found, expected) << name << " in round " << round;
    }
    for (const auto& [name, policy] : policies) {
      std::vector<std::string> expected;
      for (const auto& [other, proxy] : proxies) {
        if (select(*policy, *proxy, {}).is_selected()) expected.push_back(other);
      }
      std::vector<std::string> found;
      for (const auto& proxy : index.candidates_for(*policy)) {
        if (select(*policy, *proxy, {}).is_selected()) found.push_back(proxy->name);
      }
      ASSERT_EQ(found, expected) << name << " in round " << round;
    }
  }
}

TEST(MatchIndexTest, APolicyOfOneServiceConcernsItsProxiesAlone) {
  MatchIndex index;
  RandomFleet fleet;
  for (int i = 0; i < 1'000; ++i) {
    auto proxy = std::make_shared<Proxy>();
    proxy->name = "d" + std::to_string(i);
    proxy->inbounds = {{"", 80, {{"kuma.io/service", "s" + std::to_string(i / 10)}}}};
    index.put(proxy);
  }
  for (int i = 0; i < 100; ++i) {
    index.put(policy_named("MeshTimeout", "p" + std::to_string(i), R"({"kuma.io/origin":"global"})",
                           R"({"targetRef":{"kind":"MeshService","name":"s)" + std::to_string(i) + "\"}}"));
  }
  const auto policy = index.find_policy(*Catalogue::builtin().find("MeshTimeout"), "p7");
  EXPECT_EQ(index.candidates_for(*policy).size(), 10U);
  EXPECT_EQ(index.candidates_for(*index.find_proxy("d75")).size(), 1U);
}

TEST(MatchedPoliciesTest, ShadowPoliciesTakePartOnlyWhenAskedFor) {
  Proxy proxy;
  proxy.inbounds = {{"", 80, {}}};
  const AppliedPolicies policies{policy_named("MeshTimeout", "real", R"({"kuma.io/origin":"global"})", "{}"),
                                 policy_named("MeshTimeout", "shadow", R"({"kuma.io/effect":"shadow"})", "{}")};
  const auto without = match_policies(proxy, policies, {}, false);
  ASSERT_EQ(without.size(), 1U);
  EXPECT_EQ(without[0].policies.size(), 1U);
  EXPECT_EQ(match_policies(proxy, policies, {}, true)[0].policies.size(), 2U);
}

TEST(MatchedPoliciesTest, AReferenceFindsAShadowRouteToo) {
  Proxy proxy;
  proxy.inbounds = {{"", 80, {}}};
  const AppliedPolicies routes{policy_named("MeshHTTPRoute", "r", R"({"kuma.io/effect":"shadow"})", "{}")};
  const AppliedPolicies policies{policy_named("MeshTimeout", "t", R"({"kuma.io/origin":"global"})",
                                              R"({"targetRef":{"kind":"MeshHTTPRoute","name":"r"}})")};
  EXPECT_EQ(match_policies(proxy, policies, routes, false).size(), 1U);
}

TEST(TagRulesTest, MatchesHaveTheHashThatKumaGivesThem) {
  EXPECT_EQ(matches_hash(json_of(R"([{"path":{"type":"PathPrefix","value":"/api"}}])")),
            "waFsoIISmZDTfFWYqxvY265/GASHYEWvHQTwMh/bpuU=");
}

TEST(TagRulesTest, AnAttachedPolicyHasARuleForWhateverItsRouteIsAbout) {
  const auto global = R"({"kuma.io/origin":"global"})";
  const auto entry = [](const std::string& ref) {
    return R"({"targetRef":)" + ref + R"(,"rules":[{"matches":[{"path":{"type":"PathPrefix","value":"/api"}}]}]})";
  };
  const auto services = [&](const std::string& ref) {
    const AppliedPolicies routes{policy_named("MeshHTTPRoute", "r", global, R"({"to":[)" + entry(ref) + "]}")};
    const auto policy = policy_named("MeshTimeout", "t", global, R"({"targetRef":{"kind":"MeshHTTPRoute","name":"r"},
        "to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"1s"}}]})");
    std::string out;
    for (const auto& rule : merge_to_by_tags({policy}, routes).rules) {
      for (const auto& matcher : rule.matchers) out += matcher.key + "=" + matcher.value.substr(0, 5) + " ";
    }
    return out;
  };
  EXPECT_EQ(services(R"({"kind":"MeshMultiZoneService","name":"every"})"),
            "__rule-matches-hash__=waFso kuma.io/service=every ");
  EXPECT_EQ(services(R"({"kind":"MeshExternalService","labels":{"app":"mail"}})"),
            "__rule-matches-hash__=waFso kuma.io/service= ");
  EXPECT_EQ(services(R"({"kind":"Mesh"})"), "__rule-matches-hash__=waFso ");
}

TEST(TagRulesTest, OneKeyGivesARuleForEachSetAndMoreGiveCells) {
  const auto everybody = R"({"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"1s"}})";
  const auto service = R"({"targetRef":{"kind":"MeshService","name":"foo"},"default":{"idleTimeout":"2s"}})";
  const auto subset = R"({"targetRef":{"kind":"MeshSubset","tags":{"version":"v1"}},"default":{"idleTimeout":"3s"}})";
  const auto of = [&](const std::string& items) {
    std::string out;
    const auto policy = policy_named("MeshTimeout", "p", R"({"kuma.io/origin":"global"})", R"({"to":[)" + items + "]}");
    for (const auto& rule : merge_to_by_tags({policy}, {}).rules) {
      for (const auto& matcher : rule.matchers) out += (matcher.negative ? "!" : "") + matcher.value + " ";
      out += std::string(find_text(rule.conf, {"idleTimeout"})) + ";";
    }
    return out;
  };
  EXPECT_EQ(of(std::string(everybody) + "," + service), "foo 2s;1s;");
  EXPECT_EQ(of(std::string(everybody) + "," + service + "," + subset), "foo v1 3s;foo !v1 2s;!foo v1 3s;!foo !v1 1s;");
}

}  // namespace
}  // namespace kdsd::policy
