// What explain and plan say, held against what zones really have: random policies in random worlds of a global and
// three zones, joined in memory. Nothing here is computed twice by the same code: the one side are the stores.
#include <gtest/gtest.h>
#include <random>

#include "kds/explain.h"
#include "kds/known_world.h"
#include "kds/plan.h"
#include "policy/object_questions.h"
#include "policy/references.h"

#include "pair.h"

namespace kdsd::kds {
namespace {

namespace json = boost::json;

constexpr int worlds_tried = 60;
constexpr int policies_in_a_world = 60;

const std::vector<std::string> zone_names = {"east", "north", "west"};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  bool one_in(std::uint64_t n) { return random_() % n == 0; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }

 private:
  std::mt19937_64 random_;
};

CoreOptions options_of(Dice& dice) {
  auto options = dice.one_in(2) ? CoreOptions() : namespaced(dice.one_in(2) ? "kuma-system" : "mesh-system");
  const auto& plane = options.control_plane;
  options.node.config = std::string(R"({"environment":")") + (plane.has_namespaces() ? "kubernetes" : "universal") +
                        R"(","store":{"kubernetes":{"systemNamespace":")" + plane.system_namespace + R"("}}})";
  return options;
}

json::object reference(Dice& dice) {
  static const std::vector<std::string> kinds = {"MeshService",   "MeshService",         "MeshService",
                                                 "MeshHTTPRoute", "MeshExternalService", "Mesh"};
  static const std::vector<std::string> names = {"catalog", "ledger", "catalog-fv9v4c7b29w24244"};
  json::object ref{{"kind", dice.pick(kinds)}};
  if (ref["kind"] == "Mesh") return ref;
  if (dice.one_in(5)) {
    ref["labels"] = json::object{{"kuma.io/display-name", "catalog"}};
    return ref;
  }
  ref["name"] = dice.pick(names);
  if (dice.one_in(4)) ref["namespace"] = dice.one_in(2) ? "shop" : "bank";
  return ref;
}

json::object spec(Dice& dice) {
  json::object out;
  if (dice.one_in(3)) {
    out["targetRef"] = json::object{
        {"kind", "MeshSubset"},
        {"tags",
         json::object{{"kuma.io/zone", dice.pick(std::vector<std::string>{"east", "north", "west", "nowhere"})}}}};
  } else if (dice.one_in(2)) {
    out["targetRef"] = json::object{{"kind", "Mesh"}};
  }
  const json::object conf{{"http", json::object{{"requestTimeout", "5s"}}}};
  const auto items = [&](bool to) {
    json::array list;
    do {
      list.push_back(
          json::object{{"targetRef", to ? reference(dice) : json::object{{"kind", "Mesh"}}}, {"default", conf}});
    } while (dice.one_in(3));
    return list;
  };
  if (dice.one_in(5)) {
    out["from"] = items(false);
  } else {
    out["to"] = items(true);
  }
  return out;
}

json::object document(Dice& dice, int number, const policy::ControlPlaneKind& plane) {
  json::object out{{"type", dice.one_in(8) ? "MeshService" : "MeshTimeout"}, {"mesh", "default"}};
  out["name"] = "p" + std::to_string(number);
  json::object labels;
  if (plane.is_zone()) labels["kuma.io/origin"] = "zone";
  if (dice.one_in(6)) labels["kuma.io/kds-sync"] = dice.one_in(2) ? "disabled" : "enabled";
  out["labels"] = labels;
  if (plane.has_namespaces()) {
    out["namespace"] = dice.pick(std::vector<std::string>{"shop", "shop", "bank", plane.system_namespace});
  }
  out["spec"] = out["type"] == "MeshService" ? *parse_json(service_spec) : json::value(spec(dice));
  return out;
}

class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed) : dice_(seed), global_("", options_of(dice_)) {
    EXPECT_TRUE(global_.put("Mesh", "", "default", "{}").ok());
    for (const auto& name : zone_names) {
      zones_[name] = std::make_unique<TestPlane>(name, options_of(dice_));
      links_.push_back(std::make_unique<TestLink>(global_, *zones_[name], name, "connection-" + name));
    }
    settle();
  }

  // Plans a document at a random place, writes it there, and holds the plan and the explanations against the stores.
  void try_one(int number) {
    const auto at = dice_.one_in(5) ? std::string() : dice_.pick(zone_names);
    auto& author = at.empty() ? global_ : *zones_.at(at);
    const auto& plane = author.core->options().control_plane;
    auto world = kds::world_of(*global_.core);
    if (!at.empty()) world = *seen_from(world, at);
    Plan plan(world);
    plan.add(document(dice_, number, plane));
    plan.admit();
    const auto& planned = plan.documents().front();
    if (!planned.refusal.ok()) return;
    plan.explain({});
    ++tried;
    EXPECT_TRUE(author
                    .write([&](Transaction& transaction) {
                      transaction.put(*planned.result);
                      return Status();
                    })
                    .ok());
    settle();
    check(*planned.after, "plan");
    check_explanations();
  }

  void toggle_a_zone() {
    const auto& name = dice_.pick(zone_names);
    const bool enabled = !kds::world_of(*global_.core).is_enabled(name);
    const auto* spec = enabled ? R"({"enabled":true})" : R"({"enabled":false})";
    EXPECT_TRUE(global_.put("Zone", "", name, spec).ok());
    settle();
    check_explanations();
  }

  void check_explanations() {
    for (const auto* type : {"MeshTimeout", "MeshService"}) {
      const auto world = kds::world_of(*global_.core);
      global_.core->index().each(*Catalogue::builtin().find(type), [&](const ResourcePtr& resource) {
        check(explain(*resource, world, policy::ObjectAnswers().lookup()), "explain on the global");
      });
      for (const auto& [name, zone] : zones_) {
        const auto here = kds::world_of(*zone->core);
        zone->core->index().each(*Catalogue::builtin().find(type), [&](const ResourcePtr& resource) {
          check_at_zone(*resource, explain(*resource, here, policy::ObjectAnswers().lookup()), *zone);
        });
      }
    }
  }

  int tried = 0;
  int sent = 0;
  int kept = 0;

 private:
  void settle() {
    for (int round = 0; round < 4; ++round) {
      for (auto& link : links_) link->settle();
    }
  }

  static ResourcePtr held(const TestPlane& plane, const Explanation& explanation) {
    return plane.core->index().find_by_wire_name(*explanation.type, explanation.mesh, explanation.canonical_name);
  }

  void check(const Explanation& explanation, const std::string& what) {
    SCOPED_TRACE(what + " of " + explanation.canonical_name + ", reason " + explanation.reason);
    const auto on_global = held(global_, explanation);
    EXPECT_EQ(explanation.to_global.value_or(true), on_global != nullptr);
    for (const auto& decision : explanation.zones) {
      const auto copy = held(*zones_.at(decision.zone), explanation);
      if (decision.reason == "origin-zone") continue;
      EXPECT_EQ(decision.sent, copy != nullptr && copy->is_copy()) << decision.zone << " " << decision.reason;
      ++(decision.sent ? sent : kept);
    }
    for (std::size_t i = 0; i < explanation.places.size(); ++i) check_place(explanation, i);
  }

  void check_place(const Explanation& explanation, std::size_t at) {
    const auto& place = explanation.places[at];
    const auto& plane = place.is_global ? global_ : *zones_.at(place.zone);
    const auto stored = held(plane, explanation);
    ASSERT_TRUE(stored) << "in " << (place.is_global ? "the global" : place.zone);
    if (place.namespace_) {
      EXPECT_EQ(place.namespace_->empty() ? place.name : place.name + "." + *place.namespace_, stored->name);
    } else {
      EXPECT_TRUE(!place.is_here && stored->name.starts_with(place.name)) << place.name << " " << stored->name;
    }
    if (!stored->type->is_target_ref_policy) return;
    const auto shown = policy::derived_form(*stored, plane.core->options().control_plane);
    const auto references = policy::list_references(*stored->type, spec_json(shown));
    for (const auto& reference : explanation.references) {
      for (const auto& real : references.places) {
        if (real.path != reference.path) continue;
        const auto& there = reference.there[at];
        if (!place.is_here && !there.contains("name") && !there.contains("labels")) continue;  // not told
        EXPECT_EQ(real.after, reference.there[at]) << place.zone << " " << real.path;
      }
    }
  }

  void check_at_zone(const Resource& resource, const Explanation& explanation, const TestPlane& zone) {
    SCOPED_TRACE("explain of " + resource.name + " in " + zone.core->options().control_plane.zone);
    EXPECT_EQ(explanation.canonical_name, zone.core->index().find_entry(resource.key())->current().wire_name);
    if (resource.is_copy()) {
      EXPECT_EQ(explanation.reason, "not-originated-here");
      EXPECT_EQ(explanation.origin.zone, held(global_, explanation)->source);
      for (std::size_t i = 0; i < explanation.places.size(); ++i) check_place(explanation, i);
      return;
    }
    EXPECT_EQ(explanation.to_global, held(global_, explanation) != nullptr) << explanation.reason;
  }

  Dice dice_;
  TestPlane global_;
  std::map<std::string, std::unique_ptr<TestPlane>> zones_;
  std::vector<std::unique_ptr<TestLink>> links_;
};

TEST(ExplainAgreement, PlanAndExplainSayWhatZonesThenHold) {
  int tried = 0;
  int sent = 0;
  int kept = 0;
  for (int seed = 1; seed <= worlds_tried; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorld world(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < policies_in_a_world; ++i) {
      // Names repeat, so that later documents change what earlier ones wrote.
      world.try_one(i % (policies_in_a_world / 2));
      if (i % 20 == 19) world.toggle_a_zone();
      if (::testing::Test::HasFailure()) return;
    }
    tried += world.tried;
    sent += world.sent;
    kept += world.kept;
  }
  EXPECT_GT(tried, worlds_tried * policies_in_a_world / 2);
  EXPECT_GT(sent, tried / 4);
  EXPECT_GT(kept, tried / 4);
}

}  // namespace
}  // namespace kdsd::kds
