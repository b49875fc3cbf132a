// Rules for groups of clients, and the RBAC that permissions mean.
#include "policy/engine/permission.h"

#include <chrono>
#include <cstdio>
#include <random>

#include "policy/engine/evaluation.h"
#include "policy/engine/from_rules.h"
#include "policy/engine/rbac.h"

#include "engine_cases.h"
#include "rbac_evaluator.h"

namespace kdsd::policy {
namespace {

using namespace testing;
namespace json = boost::json;

constexpr char global_labels[] = R"({"kuma.io/origin":"global"})";

// Rules whose matchers all hold for a client with at most one value of a key.
template <typename Rule>
std::vector<const Rule*> matching_rules(const std::vector<Rule>& rules, const Labels& client) {
  std::vector<const Rule*> out;
  for (const auto& rule : rules) {
    bool holds = true;
    for (const auto& matcher : rule.matchers) {
      const bool has = client.has(matcher.key) && client.get(matcher.key) == matcher.value;
      holds = holds && has != matcher.negative;
    }
    if (holds) out.push_back(&rule);
  }
  return out;
}

// The conf that the rules give a client; nothing where no rule matches. Two matching rules are a failure.
json::value conf_by_rules(const FromRules& rules, const Labels& client) {
  const auto found = matching_rules(rules.rules, client);
  EXPECT_LE(found.size(), 1U);
  return found.empty() ? json::value() : found.front()->conf;
}

ItemPrecedence precedence_of(const json::value& input) {
  return find_text(input, {"itemPrecedence"}) == "first" ? ItemPrecedence::first : ItemPrecedence::last;
}

TEST(FromRulesTest, CasesOfTheSpecificationHoldWhateverTheOrderOfTheInput) {
  const auto cases = cases_of("from-rules");
  ASSERT_EQ(cases.size(), 22U);
  std::mt19937 random(3);
  for (const auto& entry : cases) {
    SCOPED_TRACE(std::string(find_text(entry, {"id"})) + " " + std::string(find_text(entry, {"title"})));
    auto input = *find(entry, {"input"});
    auto& policies = input.get_object()["policies"].get_array();
    for (int round = 0; round < 4; ++round) {
      const auto found = evaluate_merge(input, Catalogue::builtin(), {});
      ASSERT_TRUE(found.ok()) << found.status().text();
      const json::object expected{{"rules", *find(entry, {"expected", "rules"})}};
      EXPECT_TRUE(json_equal(*found, expected)) << to_compact_json(*found);
      for (std::size_t i = policies.size(); i > 1; --i) std::swap(policies[i - 1], policies[random() % i]);
    }
    const auto applied = policies_of(find(input, {"policies"}));
    for (const auto view : {PartitionView::automatic, PartitionView::compact}) {
      const auto rules = merge_from(applied, {view, precedence_of(input)});
      for (const auto& probe : find(entry, {"expected", "probes"})->get_array()) {
        const auto conf = conf_by_rules(rules, texts_at(probe, "client"));
        EXPECT_TRUE(json_equal(conf, *find(probe, {"conf"}))) << to_compact_json(probe);
      }
    }
  }
}

Uris uris_of(const json::value& probe) {
  Uris out;
  for (const auto& uri : find_list(probe, {"uris"})) out.insert(uri.get_string().c_str());
  return out;
}

void check_probe(const json::value& config, const json::value& probe) {
  SCOPED_TRACE(to_compact_json(probe));
  if (const auto uri = std::string(find_text(probe, {"uri"})); !uri.empty()) {
    EXPECT_EQ(action_by_matchers(config.at("matcher"), uri), std::string(find_text(probe, {"decision"})));
    const auto* shadow = config.get_object().if_contains("shadow_matcher");
    const auto by_shadow = shadow == nullptr ? std::nullopt : action_by_matchers(*shadow, uri);
    EXPECT_EQ(by_shadow ? json::value(*by_shadow) : json::value(), *find(probe, {"shadow"}));
    return;
  }
  EXPECT_EQ(admits(config.at("rules"), uris_of(probe)), find(probe, {"allowed"})->get_bool());
  const auto* shadow = config.get_object().if_contains("shadow_rules");
  const auto* expected = find(probe, {"shadow"});
  ASSERT_EQ(shadow == nullptr, expected->is_null());
  if (shadow != nullptr) {
    EXPECT_EQ(admits(*shadow, uris_of(probe)) ? "allowed" : "denied", std::string(expected->get_string().c_str()));
  }
}

TEST(RbacTest, CasesOfTheSpecificationHoldByTheJudgementOfAnEvaluatorOfItsOwn) {
  const auto cases = cases_of("rbac");
  ASSERT_EQ(cases.size(), 16U);
  for (const auto& entry : cases) {
    SCOPED_TRACE(std::string(find_text(entry, {"id"})) + " " + std::string(find_text(entry, {"title"})));
    const auto found = evaluate_rbac(*find(entry, {"input"}), Catalogue::builtin(), {});
    ASSERT_TRUE(found.ok()) << found.status().text();
    const auto& config = found->at("config");
    if (const auto* expected = find(entry, {"expected", "config"})) {
      EXPECT_TRUE(json_equal(config, *expected)) << to_compact_json(config);
      EXPECT_EQ(found->size(), 1U) << to_compact_json(*found);
    }
    for (const auto& probe : find(entry, {"expected", "probes"})->get_array()) check_probe(config, probe);
  }
}

TEST(RbacTest, TheRulesFormIsDecidedAsItsMatchersSay) {
  const auto cases = cases_of("rbac");
  for (const auto& entry : cases) {
    if (find_text(entry, {"input", "form"}) != "rules") continue;
    const auto entries = permission_entries(policies_of(find(entry, {"input", "policies"})));
    for (const auto& probe : find(entry, {"expected", "probes"})->get_array()) {
      const auto decision = decide(entries, find_text(probe, {"uri"}));
      EXPECT_EQ(decision.is_allowed, find_text(probe, {"decision"}) == "ALLOW");
      EXPECT_EQ(decision.shadow.has_value(), !find(probe, {"shadow"})->is_null());
    }
  }
}

TEST(RbacTest, WithoutMtlsThereIsNoFilterInAnyForm) {
  const auto policy = policy_named("MeshTrafficPermission", "p", global_labels,
                                   R"({"rules":[{"default":{"allow":[{"spiffeID":{"type":"Exact","value":"a"}}]}}]})");
  EXPECT_TRUE(rbac_of({policy}, {"default", false})->config.is_null());
  EXPECT_FALSE(rbac_of({policy}, {"default", true})->config.is_null());
}

TEST(RbacTest, WhereBothFormsMeetTheNewOneCounts) {
  const auto rules = policy_named("MeshTrafficPermission", "new", global_labels,
                                  R"({"rules":[{"default":{"allow":[{"spiffeID":{"type":"Exact","value":"a"}}]}}]})");
  const auto from = policy_named("MeshTrafficPermission", "old", global_labels,
                                 R"({"from":[{"targetRef":{"kind":"Mesh"},"default":{"action":"Allow"}}]})");
  const auto found = *rbac_of({rules, from}, {"default", true});
  EXPECT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(action_by_matchers(found.config.at("matcher"), "b"), "DENY");
  EXPECT_EQ(action_by_matchers(found.config.at("matcher"), "a"), "ALLOW");
}

// Random `from` items over few keys and values, so that they overlap in many ways.
struct RandomMesh {
  explicit RandomMesh(std::uint32_t seed) : random(seed) {}

  std::uint32_t below(std::uint32_t n) { return random() % n; }

  std::string tags() {
    std::string out;
    for (const auto* key : {"app", "env", "kuma.io/service", "ns"}) {
      if (below(3) != 0) continue;
      out += (out.empty() ? "" : ",") + ("\"" + std::string(key) + "\":\"v" + std::to_string(below(3)) + "\"");
    }
    return "{" + out + "}";
  }

  std::string conf(bool has_action_only) {
    static const char* const actions[] = {"Allow", "Deny", "AllowWithShadowDeny", "DenyWithShadowAllow"};
    std::string out = R"("action":")" + std::string(actions[below(4)]) + "\"";
    if (has_action_only) return "{" + out + "}";
    if (below(4) == 0) out = "";
    for (const auto* field : {"a", "b", "appendC"}) {
      if (below(3) != 0) continue;
      const auto value = std::to_string(below(5));
      out += (out.empty() ? "" : ",") + ("\"" + std::string(field) + "\":") +
             (std::string_view(field) == "appendC" ? "[" + value + "]"
              : below(2) == 0                      ? value
                                                   : "{\"x\":" + value + "}");
    }
    return "{" + out + "}";
  }

  AppliedPolicies policies(bool has_action_only) {
    AppliedPolicies out;
    for (std::uint32_t i = 0, n = 1 + below(4); i < n; ++i) {
      std::string from;
      for (std::uint32_t j = 0, m = 1 + below(4); j < m; ++j) {
        const auto target = below(4) == 0 ? R"({"kind":"Mesh"})" : R"({"kind":"MeshSubset","tags":)" + tags() + "}";
        from +=
            (from.empty() ? "" : ",") + (R"({"targetRef":)" + target + R"(,"default":)" + conf(has_action_only) + "}");
      }
      const auto* labels = below(2) == 0 ? global_labels : R"({"kuma.io/zone":"east"})";
      out.push_back(
          policy_named("MeshTrafficPermission", "p" + std::to_string(i), labels, R"({"from":[)" + from + "]}"));
    }
    return out;
  }

  Labels client() {
    Labels out;
    for (const auto* key : {"app", "env", "kuma.io/service", "ns", "other"}) {
      if (below(4) != 0) out.set(key, "v" + std::to_string(below(4)));
    }
    return out;
  }

  std::mt19937 random;
};

Uris certificate_of(const Labels& client) {
  Uris out;
  for (const auto& [key, value] : client) {
    out.insert(key == "kuma.io/service" ? "spiffe://default/" + value : "kuma://" + key + "/" + value);
  }
  return out;
}

TEST(FromRulesTest, RulesAgreeWithEvaluatingThePoliciesOneByOneForRandomClients) {
  RandomMesh mesh(11);
  for (int round = 0; round < 400; ++round) {
    const auto policies = mesh.policies(false);
    const auto items = ordered_from_items(policies, ItemPrecedence::last);
    const auto full = merge_from(policies, {PartitionView::automatic, ItemPrecedence::last});
    const auto compact = merge_from(policies, {PartitionView::compact, ItemPrecedence::last});
    EXPECT_LE(compact.rules.size(), full.rules.size());
    for (int i = 0; i < 60; ++i) {
      const auto client = mesh.client();
      const auto expected = conf_for_client(items, client);
      EXPECT_TRUE(json_equal(conf_by_rules(full, client), expected));
      EXPECT_TRUE(json_equal(conf_by_rules(compact, client), expected));
    }
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(RbacTest, TheFilterAgreesWithEvaluatingThePoliciesOneByOneForRandomClients) {
  RandomMesh mesh(12);
  for (int round = 0; round < 300; ++round) {
    const auto policies = mesh.policies(true);
    const auto items = ordered_from_items(policies, ItemPrecedence::last);
    const auto config = rbac_of(policies, {"default", true})->config;
    for (int i = 0; i < 60; ++i) {
      const auto client = mesh.client();
      const auto conf = conf_for_client(items, client);
      EXPECT_EQ(admits(config.at("rules"), certificate_of(client)), allows(action_of(conf)));
    }
    if (HasFailure()) FAIL() << "round " << round;
  }
}

// n items with one tag each and an item for everybody, in ways that grow differently.
enum class Family { one_key, pairs, keys, pairs_of_keys };

AppliedPolicies family(Family family, std::size_t n) {
  std::string from = R"({"targetRef":{"kind":"Mesh"},"default":{"action":"Allow"}})";
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = std::to_string(i);
    std::string tags;
    if (family == Family::one_key) tags = R"("app":"a)" + number + "\"";
    if (family == Family::pairs) tags = R"("app":"a)" + number + R"(","ns":"n)" + number + "\"";
    if (family == Family::keys) tags = R"("k)" + number + R"(":"v")";
    if (family == Family::pairs_of_keys) tags = R"("k)" + number + R"(":"v","l)" + number + R"(":"v")";
    from += R"(,{"targetRef":{"kind":"MeshSubset","tags":{)" + tags + R"(}},"default":{"action":")" +
            (i % 2 == 0 ? "Deny" : "Allow") + R"("}})";
  }
  return {policy_named("MeshTrafficPermission", "p", global_labels, R"({"from":[)" + from + "]}")};
}

TEST(GrowthTest, RulesGrowWithTheTagsAndNotWithTheirCombinations) {
  std::printf("  rules for n distinct tags, size of the filter, time for both\n");
  for (const std::size_t n : {5U, 10U, 20U, 40U}) {
    const auto count = [&](Family kind, const char* what) {
      const auto policies = family(kind, n);
      const auto begin = std::chrono::steady_clock::now();
      const auto rules = merge_from(policies);
      const auto bytes = to_compact_json(rbac_of(policies, {"default", true})->config).size();
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
      std::printf("  n=%2zu %-32s %5zu rules %8zu bytes %8.2f ms%s\n", n, what, rules.rules.size(), bytes, took.count(),
                  rules.is_complete ? "" : ", nested");
      EXPECT_TRUE(rules.is_complete || kind == Family::pairs_of_keys);
      // Rules number at most what the full view may have, and beyond it they grow linearly; a filter quadratically.
      // Only where every combination is a case of its own there are more, up to the bound, and none beyond it.
      const auto most = kind == Family::pairs_of_keys ? limits::client_cells : limits::full_cells;
      EXPECT_LE(rules.rules.size(), std::max<std::size_t>(most, 2 * n + 1));
      EXPECT_LE(bytes, std::max<std::size_t>(2'000'000, 200 * n * n));
      return rules.rules.size();
    };
    EXPECT_EQ(count(Family::one_key, "values of one key"), n + 1);
    EXPECT_LE(count(Family::pairs, "pairs of two keys"), (n + 1) * (n + 1));
    const auto keys = count(Family::keys, "keys with one value");
    EXPECT_TRUE(n <= 10 || keys == n + 1) << keys;
    count(Family::pairs_of_keys, "pairs of keys with one value");
  }
}

TEST(GrowthTest, WhereClientsCannotBeToldApartTheFilterIsNestedAndStillRight) {
  const auto policies = family(Family::pairs_of_keys, 40);
  const auto rules = merge_from(policies);
  EXPECT_FALSE(rules.is_complete);
  EXPECT_TRUE(rules.rules.empty());
  const auto found = *rbac_of(policies, {"default", true});
  EXPECT_FALSE(found.warnings.empty());
  const auto items = ordered_from_items(policies, ItemPrecedence::last);
  RandomMesh mesh(13);
  for (int i = 0; i < 2'000; ++i) {
    Labels client;
    for (std::uint32_t key = 0; key < 40; ++key) {
      if (mesh.below(3) == 0) client.set("k" + std::to_string(key), "v");
      if (mesh.below(3) == 0) client.set("l" + std::to_string(key), mesh.below(4) == 0 ? "w" : "v");
    }
    EXPECT_EQ(admits(found.config.at("rules"), certificate_of(client)),
              allows(action_of(conf_for_client(items, client))));
  }
}

TEST(GrowthTest, TheDecisiveWayGivesEveryClientTheSameConf) {
  const auto policies = family(Family::keys, 40);
  const auto rules = merge_from(policies);
  ASSERT_TRUE(rules.is_complete);
  ASSERT_EQ(rules.notes.size(), 1U);
  const auto items = ordered_from_items(policies, ItemPrecedence::last);
  RandomMesh mesh(14);
  for (int i = 0; i < 500; ++i) {
    Labels client;
    for (std::uint32_t key = 0; key < 40; ++key) {
      if (mesh.below(8) == 0) client.set("k" + std::to_string(key), mesh.below(4) == 0 ? "w" : "v");
    }
    EXPECT_TRUE(json_equal(conf_by_rules(rules, client), conf_for_client(items, client)));
  }
}

TEST(GrowthTest, MoreItemsOrKeysThanAreComparedGiveNoRulesAndSaySo) {
  std::vector<ClientItem> items;
  const json::value conf = json::object();
  for (std::size_t i = 0; i <= limits::client_items; ++i) items.push_back({{{"app", std::to_string(i)}}, &conf});
  auto found = partition_clients(items);
  EXPECT_FALSE(found.is_complete);
  EXPECT_TRUE(found.cells.empty());
  items.pop_back();
  found = partition_clients(items);
  EXPECT_TRUE(found.is_complete);
  EXPECT_EQ(found.cells.size(), limits::client_items) << "items that share no client need no negations";
  Labels many;
  for (std::size_t i = 0; i <= limits::client_keys; ++i) many.set("k" + std::to_string(i), "v");
  EXPECT_FALSE(partition_clients({{many, &conf}}).is_complete);
  many.erase("k0");
  found = partition_clients({{many, &conf}});
  EXPECT_TRUE(found.is_complete);
  EXPECT_EQ(found.cells.size(), 1U);
}

}  // namespace
}  // namespace kdsd::policy
