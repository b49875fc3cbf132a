// Properties of names, references and sync decisions, over random policies, environments and zones. The reference of
// the simulation, written from the specification, is the other opinion.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "kds/committer.h"
#include "kds/inbound.h"
#include "kds/peer_features.h"
#include "kds/wire.h"
#include "model/hash.h"
#include "model/json.h"
#include "policy/references.h"

#include "kuma/system/v1alpha1/zone.pb.h"
#include "node.h"
#include "reference.h"
#include "reference_rewriting.h"
#include "schedule.h"

namespace kdsd::sim {
namespace {

namespace json = boost::json;

constexpr int policies_tried = 20'000;

const std::vector<std::string> zone_names = {"east", "west", "north"};
const std::vector<std::string> namespaces = {"", "shop", "bank", "kuma-system", "mesh-system"};
const std::vector<std::string> types = {"Dataplane",
                                        "Secret",
                                        "MeshTimeout",
                                        "MeshHTTPRoute",
                                        "MeshTCPRoute",
                                        "MeshCircuitBreaker",
                                        "MeshTrafficPermission",
                                        "MeshService"};

// Documents that come near every rule, right or wrong.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Random& random() { return random_; }

  json::object reference(bool is_backend) {
    static const std::vector<std::string> kinds = {
        "MeshService",   "MeshService",  "MeshService", "MeshExternalService", "MeshMultiZoneService",
        "MeshHTTPRoute", "MeshTCPRoute", "Mesh",        "MeshSubset",          "MeshServiceSubset"};
    static const std::vector<std::string> names = {
        "catalog", "ledger", "catalog_shop_svc_80", "catalog-2456789bcdfvwxz2",
        "a-24567", "",       std::string(253, 'n'), "orders"};
    json::object ref{{"kind", random_.pick(kinds)}};
    auto name = random_.pick(names);
    if (random_.one_in(6)) name = hashed_name("default", "catalog", {"east", "shop"});
    if (!name.empty()) ref["name"] = name;
    if (random_.one_in(2)) ref["namespace"] = random_.pick(namespaces);
    if (random_.one_in(8)) ref["labels"] = json::object();
    if (random_.one_in(8)) ref["labels"] = json::object{{"app", "x"}};
    if (random_.one_in(5)) ref["sectionName"] = random_.one_in(3) ? "" : "http";
    if (random_.one_in(8)) ref["mesh"] = "other";
    if (is_backend && random_.one_in(2)) ref["port"] = 80;
    if (is_backend && random_.one_in(3)) ref["weight"] = 7;
    return ref;
  }

  json::array some(int most, const std::function<json::value()>& make) {
    json::array out;
    for (auto left = random_.below(static_cast<std::uint64_t>(most) + 1); left > 0; --left) out.push_back(make());
    return out;
  }

  json::value rule() {
    json::object conf;
    conf["backendRefs"] = some(2, [this] { return reference(true); });
    conf["filters"] = some(2, [this]() -> json::value {
      if (random_.one_in(3)) return json::object{{"type", "RequestHeaderModifier"}};
      return json::object{{"type", "RequestMirror"}, {"requestMirror", json::object{{"backendRef", reference(true)}}}};
    });
    return json::object{{"matches", json::array()}, {"default", std::move(conf)}};
  }

  json::object spec() {
    json::object out;
    if (random_.one_in(2)) out["targetRef"] = top_level();
    if (!random_.one_in(5)) {
      out["to"] = some(3, [this] {
        json::object item{{"targetRef", reference(false)}};
        if (random_.one_in(2)) item["rules"] = some(2, [this] { return rule(); });
        return json::value(std::move(item));
      });
    }
    if (random_.one_in(5)) out["from"] = some(1, [this] { return json::object{{"targetRef", reference(false)}}; });
    if (random_.one_in(6)) out["rules"] = some(1, [this] { return json::object{{"default", json::object()}}; });
    return out;
  }

  // As the global has it from a zone, or as the global's own.
  Resource resource() {
    Resource out;
    out.type = Catalogue::builtin().find(random_.pick(types));
    out.mesh = random_.one_in(5) ? "retail" : "default";
    out.labels.set("kuma.io/display-name", random_.one_in(6) ? "" : "p" + std::to_string(random_.below(5)));
    if (random_.one_in(6)) out.labels.set("kuma.io/kds-sync", random_.one_in(2) ? "disabled" : "enabled");
    if (!random_.one_in(5)) out.labels.set("k8s.kuma.io/namespace", random_.pick(namespaces));
    if (!random_.one_in(5)) {
      static const std::vector<std::string> roles = {"producer", "producer",       "producer", "consumer",
                                                     "system",   "workload-owner", "boss",     ""};
      out.labels.set("kuma.io/policy-role", random_.pick(roles));
    }
    if (!random_.one_in(5)) {
      out.source = random_.pick(zone_names);
      out.labels.set("kuma.io/zone", out.source);
      out.labels.set("kuma.io/origin", "zone");
    } else if (random_.one_in(2)) {
      out.labels.set("kuma.io/origin", "global");
    }
    out.name = hashed_name(out.mesh, "r" + std::to_string(++counter_), {});
    out.spec = json::serialize(spec());
    return out;
  }

  Place place(const std::string& zone) {
    Place out;
    out.zone = zone;
    out.is_kubernetes = random_.one_in(2);
    if (out.is_kubernetes && random_.one_in(2)) out.system_namespace = "mesh-system";
    for (const auto& name : kds::own_node_features()) {
      if (!random_.one_in(5)) out.features.insert(name);
    }
    return out;
  }

 private:
  json::object top_level() {
    static const std::vector<std::string> kinds = {"Mesh", "MeshSubset", "MeshServiceSubset", "MeshGateway",
                                                   "Dataplane"};
    json::object out{{"kind", random_.pick(kinds)}};
    for (const char* member : {"tags", "labels"}) {
      static const std::vector<std::string> values = {"east", "west", "north", "nowhere", "*", ""};
      if (random_.one_in(2)) out[member] = json::object{{"kuma.io/zone", random_.pick(values)}};
    }
    return out;
  }

  Random random_;
  int counter_ = 0;
};

policy::References rewritten(const Resource& policy, const json::value& spec, const Place& at) {
  return policy::rewrite_references({policy.type, policy.mesh, &policy.labels}, spec, control_plane_of(at));
}

// What step 1 takes for a name of the own namespace, and step 2, which cannot know, for the name of a copy (4.4).
bool is_look_alike(const Resource& policy, const json::object& ref) {
  const auto& own = policy.labels.get("k8s.kuma.io/namespace");
  const auto* written = ref.if_contains("namespace");
  const auto* name = ref.if_contains("name");
  const bool other =
      !own.empty() && written != nullptr && !written->get_string().empty() && written->get_string() != own;
  return name != nullptr && looks_canonical(name->get_string().c_str()) && !other;
}

TEST(Properties, RewritingIsWhatTheSpecificationSays) {
  Generator generator(1);
  int changed = 0;
  for (int i = 0; i < policies_tried; ++i) {
    const auto policy = generator.resource();
    const auto at = generator.place(generator.random().one_in(2) ? "" : "west");
    const auto spec = *parse_json(policy.spec);
    const auto result = rewritten(policy, spec, at);
    ASSERT_EQ(result.spec, json::parse(with_local_references(policy, policy.spec, at))) << policy.spec;
    changed += result.any_rewritten() ? 1 : 0;
    // The shape of everything else stays, and each place tells what it was and is.
    for (const auto& place : result.places) {
      auto before = place.before;
      auto after = place.after;
      for (const char* member : {"name", "namespace"}) {
        before.erase(member);
        after.erase(member);
      }
      ASSERT_EQ(before, after) << place.path;
    }
  }
  EXPECT_GT(changed, policies_tried / 4) << "the documents come near the rule";
}

TEST(Properties, Step2IsIdempotentAndFollowsARenamedSystemNamespace) {
  Generator generator(2);
  for (int i = 0; i < policies_tried; ++i) {
    const auto policy = generator.resource();
    const auto first = generator.place("west");
    const auto second = generator.place("west");
    const auto spec = *parse_json(policy.spec);
    const auto once = rewritten(policy, spec, first).spec;
    ASSERT_EQ(rewritten(policy, once, first).spec, once) << policy.spec;
    ASSERT_EQ(rewritten(policy, once, second).spec, rewritten(policy, spec, second).spec) << policy.spec;
  }
}

TEST(Properties, Step2AfterStep1EqualsStep2AloneOnOriginals) {
  Generator generator(3);
  int compared = 0;
  for (int i = 0; i < policies_tried; ++i) {
    auto policy = generator.resource();
    const auto global = generator.place("");
    const auto zone = generator.place("west");
    const auto spec = *parse_json(policy.spec);
    const auto alone = rewritten(policy, spec, zone);
    const auto after = rewritten(policy, rewritten(policy, spec, global).spec, zone);
    ASSERT_EQ(alone.places.size(), after.places.size());
    for (std::size_t k = 0; k < alone.places.size(); ++k) {
      if (is_look_alike(policy, alone.places[k].before)) continue;
      ++compared;
      ASSERT_EQ(alone.places[k].after, after.places[k].after) << alone.places[k].path << " of " << policy.spec;
    }
  }
  EXPECT_GT(compared, policies_tried / 2);
}

ResourcePtr zone_object(const std::string& name, bool enabled) {
  kuma::system::v1alpha1::Zone spec;
  spec.mutable_enabled()->set_value(enabled);
  Resource out;
  out.type = Catalogue::builtin().find("Zone");
  out.name = name;
  out.spec = spec.SerializeAsString();
  return std::make_shared<const Resource>(std::move(out));
}

// Decisions that were held against the reference, of either kind.
class Tally {
 public:
  void compare(bool decided, const std::optional<Wanted>& wanted, const Resource& resource, const kds::Sending& sending,
               const std::string& reason) {
    ASSERT_EQ(decided, wanted.has_value()) << resource.type->name << ": " << reason << " for " << resource.spec;
    (decided ? sent_ : kept_) += 1;
    if (!wanted) return;
    ASSERT_EQ(kds::wire_name(resource, sending), wanted->wire_name);
    ASSERT_EQ(kds::wire_labels(resource, sending), wanted->labels);
  }

  // Or the comparison would have said little.
  void expect_both() const {
    EXPECT_GT(sent_, policies_tried / 10);
    EXPECT_GT(kept_, policies_tried / 10);
  }

 private:
  int sent_ = 0;
  int kept_ = 0;
};

TEST(Properties, SyncDecisionAgreesWithTheReference) {
  Generator generator(4);
  Tally tally;
  for (int i = 0; i < policies_tried; ++i) {
    const auto global = generator.place("");
    auto resource = generator.resource();
    if (global.is_kubernetes && resource.type->kubernetes.namespaced) resource.name += "." + global.system_namespace;
    Resources stored;
    std::map<std::string, bool, std::less<>> enabled;
    for (const auto& name : zone_names) {
      if (generator.random().one_in(3)) continue;  // no such Zone object
      enabled[name] = !generator.random().one_in(3);
      auto object = zone_object(name, enabled[name]);
      stored.emplace(object->key(), object);
    }
    stored.emplace(resource.key(), std::make_shared<const Resource>(resource));
    const kds::Sending sending{control_plane_of(global), {}};
    const auto decision = kds::audience_of(resource, sending, [&](std::string_view zone) {
      auto it = enabled.find(zone);
      return it == enabled.end() || it->second;
    });
    for (const auto& name : zone_names) {
      const auto zone = generator.place(name);
      const auto bits = kds::KnownFeatures::of(kds::Features({zone.features.begin(), zone.features.end()})).bits;
      const bool decided = decision.audience.includes(name) && (decision.needs & bits) == decision.needs;
      const auto wanted = reaches_zone(resource, stored, global, zone);
      tally.compare(decided, wanted, resource, sending, name + ": " + decision.reason);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  tally.expect_both();
}

TEST(Properties, WhatAZoneSendsAgreesWithTheReference) {
  Generator generator(6);
  Tally tally;
  for (int i = 0; i < policies_tried; ++i) {
    const auto zone = generator.place("east");
    auto resource = generator.resource();
    // As a zone has it: its own, or a copy that the global sent.
    resource.source.clear();
    if (generator.random().one_in(3)) {
      resource.source = source_global;
      resource.labels.set("kuma.io/origin", "global");
    } else if (resource.labels.get("kuma.io/origin") == "global") {
      resource.labels.erase("kuma.io/origin");
    }
    const kds::Sending sending{control_plane_of(zone), {}};
    const auto decision = kds::audience_of(resource, sending, [](std::string_view) { return true; });
    const auto wanted = reaches_global(resource, zone, generator.place(""));
    tally.compare(decision.audience.includes("global"), wanted, resource, sending, decision.reason);
    if (testing::Test::HasFatalFailure()) return;
  }
  tally.expect_both();
}

// The store of a control plane that receives, without anything around it.
class Receiver {
 public:
  explicit Receiver(const Place& at)
      : kind_(control_plane_of(at)), sending_{kind_, {}}, index_(Catalogue::builtin()), committer_(index_, sending_) {}

  void receive(const std::vector<Resource>& resources, const std::string& from) {
    kds::Incoming incoming;
    incoming.type = resources.front().type;
    for (const auto& resource : resources) incoming.response.resources.push_back({resource, "", {}});
    kds::Receiving receiving;
    receiving.control_plane = kind_;
    receiving.zone = from;
    kds::Write write;
    write.decide = [&](kds::Transaction& transaction) {
      (void)kds::apply_incoming(transaction, incoming, receiving);
      return Status();
    };
    (void)committer_.submit(std::move(write), true);
    kds::CommitBatch batch;
    while (committer_.start(Timestamp{++clock_}, batch)) {
      committer_.finish(Status());
      committer_.complete(Status());
    }
  }

  // Everything as it is used here.
  std::map<std::string, std::string> derived() const {
    std::map<std::string, std::string> out;
    for (const auto* type : Catalogue::builtin().types()) {
      index_.each(*type, [&](const ResourcePtr& resource) {
        out[resource->key().text()] = json::serialize(*parse_json(policy::derived_form(*resource, kind_).spec));
      });
    }
    return out;
  }

 private:
  const policy::ControlPlaneKind kind_;
  const kds::Sending sending_;
  kds::Index index_;
  kds::Committer committer_;
  std::int64_t clock_ = 0;
};

TEST(Properties, ResultDoesNotDependOnTheOrderOfArrival) {
  Generator generator(5);
  const std::string service =
      R"({"selector":{"dataplaneTags":{"app":"a"}},"ports":[{"port":80,"targetPort":80,"appProtocol":"http"}]})";
  const std::string policy =
      R"("to":[{"targetRef":{"kind":"MeshService","name":"NAME"},"default":{"connectionTimeout":"5s"}}]})";
  for (int i = 0; i < 300; ++i) {
    const auto at = generator.place(generator.random().one_in(2) ? "" : "west");
    std::vector<Resource> all;
    for (int k = 0; k < 8; ++k) {
      auto resource = generator.resource();
      resource.type = Catalogue::builtin().find(k % 2 == 0 ? "MeshTimeout" : "MeshService");
      resource.source.clear();
      resource.labels.set("kuma.io/origin", at.zone.empty() ? "zone" : "global");
      resource.labels.set("kuma.io/zone", "east");
      resource.labels.set("kuma.io/display-name", "r" + std::to_string(k));
      resource.name = canonical_name(resource.mesh, "", resource.labels);
      auto text = "{" + policy;
      text.replace(text.find("NAME"), 4, "p" + std::to_string(k));
      resource.spec = k % 2 == 0 ? text : service;
      all.push_back(std::move(resource));
    }
    std::map<std::string, std::string> expected;
    for (int order = 0; order < 4; ++order) {
      Receiver receiver(at);
      for (auto left = all.size(); left > 1; --left) std::swap(all[left - 1], all[generator.random().below(left)]);
      for (const auto& resource : all) receiver.receive({resource}, "east");
      // Some come twice.
      for (const auto& resource : all) {
        if (generator.random().one_in(3)) receiver.receive({resource}, "east");
      }
      if (order == 0) {
        expected = receiver.derived();
        ASSERT_EQ(expected.size(), all.size());
      } else {
        ASSERT_EQ(receiver.derived(), expected);
      }
    }
  }
}

}  // namespace
}  // namespace kdsd::sim
