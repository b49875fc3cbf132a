// References inside policies on their way between control planes (policy-semantics.md 4.2 to 4.9).
#include "policy/references.h"

#include <gmock/gmock.h>

#include "kds/outbound.h"
#include "kds/unique_name.h"
#include "model/hash.h"

#include "pair.h"

namespace kdsd::kds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char explicit_spec[] =
    R"({"to":[{"targetRef":{"kind":"MeshService","name":"catalog","namespace":"shop"},"default":{"http":{"requestTimeout":"5s"}}}]})";

const Labels producer_labels = {{"kuma.io/origin", "zone"},
                                {"kuma.io/zone", "east"},
                                {"k8s.kuma.io/namespace", "shop"},
                                {"kuma.io/display-name", "slow"},
                                {"kuma.io/policy-role", "producer"}};

std::string derived(const TestPlane& plane, const std::string& name) {
  const auto found = plane.find("MeshTimeout", "default", name);
  return found ? policy::derived_form(*found, plane.core->options().control_plane).spec : "absent";
}

std::string ref(const std::string& name, const std::string& namespace_ = {}) {
  return R"("targetRef":{"kind":"MeshService","name":")" + name + '"' +
         (namespace_.empty() ? "" : R"(,"namespace":")" + namespace_ + '"') + "}";
}

const std::string wire = hashed_name("default", "slow", {"east", "shop"});
const std::string service = hashed_name("default", "catalog", {"east", "shop"});

// The sequence of 4.10, with three system namespaces.
TEST(References, ProducerPolicyPointsAtTheLocalObjectInThreePlaces) {
  TestPlane global("", namespaced("kuma-system"));
  TestPlane east("east", namespaced("east-system"));
  TestPlane west("west", namespaced("mesh-system"));
  TestLink to_east(global, east, "east", "c1");
  TestLink to_west(global, west, "west", "c2");
  ASSERT_TRUE(east.put("MeshTimeout", "default", "slow.shop", producer_spec, producer_labels).ok());
  to_east.settle();
  to_west.settle();
  EXPECT_THAT(derived(east, "slow.shop"), HasSubstr(ref("catalog"))) << "the author keeps what was written";
  EXPECT_THAT(derived(global, wire + ".kuma-system"), HasSubstr(ref(service, "kuma-system")));
  EXPECT_THAT(derived(west, wire + ".mesh-system"), HasSubstr(ref(service, "mesh-system")));
  EXPECT_EQ(global.find("MeshTimeout", "default", wire + ".kuma-system")->spec, producer_spec)
      << "stored byte for byte";
  EXPECT_THAT(west.find("MeshTimeout", "default", wire + ".mesh-system")->spec, HasSubstr(ref(service, "kuma-system")))
      << "a kdsd zone is sent the rewritten form";
  EXPECT_EQ(west.find("MeshTimeout", "default", wire + ".mesh-system")->labels.get(label::namespace_), "shop");
}

TEST(References, UniversalControlPlanesHaveNoNamespaceInReferences) {
  TestPlane global("");
  TestPlane east("east", namespaced("kuma-system"));
  TestPlane west("west");
  TestLink to_east(global, east, "east", "c1");
  TestLink to_west(global, west, "west", "c2");
  ASSERT_TRUE(east.put("MeshTimeout", "default", "slow.shop", explicit_spec, producer_labels).ok());
  to_east.settle();
  to_west.settle();
  EXPECT_THAT(derived(global, wire), HasSubstr(ref(service)));
  EXPECT_THAT(derived(west, wire), HasSubstr(ref(service)));
}

TEST(References, PolicyOfTheGlobalPointsAtCopiesInZones) {
  TestPlane global("");
  TestPlane east("east", namespaced("kuma-system"));
  TestLink link(global, east, "east", "c1");
  const auto spec = R"({"targetRef":{"kind":"Mesh"},"to":[{"targetRef":{"kind":"MeshMultiZoneService","name":"all"},)"
                    R"("default":{"http":{"requestTimeout":"5s"}}}]})";
  ASSERT_TRUE(global.put("MeshTimeout", "default", "slow", spec).ok());
  link.settle();
  const auto name = hashed_name("default", "slow", {}) + ".kuma-system";
  EXPECT_THAT(derived(east, name),
              HasSubstr(R"("name":")" + hashed_name("default", "all", {}) + R"(","namespace":"kuma)"));
  EXPECT_EQ(derived(global, "slow"), spec);
}

// A global that begins to rewrite, as after its upgrade, is no news for a zone.
TEST(References, ZoneTakesTheRewrittenFormOfWhatItHoldsForNoChange) {
  TestPlane west("west");
  Receiving receiving;
  receiving.control_plane = west.core->options().control_plane;
  const auto receive = [&](const std::string& spec) {
    Resource policy;
    policy.type = Catalogue::builtin().find("MeshTimeout");
    policy.mesh = "default";
    policy.name = wire;
    policy.labels = producer_labels;
    policy.labels.set(label::origin, "global");
    policy.spec = spec;
    auto applied = west.take(policy, receiving);
    EXPECT_EQ(applied.nack_text, "");
    return applied;
  };
  EXPECT_EQ(receive(producer_spec).created, 1u);
  EXPECT_EQ(receive(explicit_spec).unchanged, 1u);
  std::string rewritten = producer_spec;
  rewritten.replace(rewritten.find("catalog"), 7, service + R"(","namespace":"kuma-system)");
  EXPECT_EQ(receive(rewritten).unchanged, 1u);
  std::string other = producer_spec;
  other.replace(other.find("catalog"), 7, "orders");
  EXPECT_EQ(receive(other).updated, 1u);
}

Entry entry_of(const Resource& resource, std::uint64_t revision) {
  Entry entry;
  entry.key = resource.key();
  entry.revision = Revision{revision};
  entry.resource = std::make_shared<const Resource>(resource);
  return entry;
}

Resource policy_of_east(const std::string& spec) {
  Resource resource;
  resource.type = Catalogue::builtin().find("MeshTimeout");
  resource.mesh = "default";
  resource.name = wire;
  resource.labels = producer_labels;
  resource.spec = spec;
  resource.source = "east";
  return resource;
}

TEST(References, OnlyPeersThatAskGetThemRewritten) {
  const Sending sending;
  EncodedCache cache(sending, 1 << 20);
  const auto entry = entry_of(policy_of_east(explicit_spec), 1);
  const auto original = cache.get(entry, {true, false});
  const auto rewritten = cache.get(entry, {true, true});
  EXPECT_THAT(original->bytes, HasSubstr(explicit_spec));
  EXPECT_THAT(rewritten->bytes, HasSubstr(ref(service)));
  EXPECT_NE(original->version, rewritten->version);
  EXPECT_EQ(cache.encodes(), 2u);
  EXPECT_EQ(cache.get(entry, {true, true}), rewritten) << "each class has its form kept";
  EXPECT_EQ(cache.get(entry, {true, false}), original);
  EXPECT_EQ(cache.encodes(), 2u);
}

TEST(References, ClassesOfPeersShareTheFormOfWhatHasNothingToRewrite) {
  const Sending sending;
  EncodedCache cache(sending, 1 << 20);
  auto service_entry = policy_of_east(service_spec);
  service_entry.type = Catalogue::builtin().find("MeshService");
  for (const auto& resource : {policy_of_east(timeout_spec), service_entry}) {
    const auto entry = entry_of(resource, cache.encodes() + 1);
    const auto before = cache.encodes();
    EXPECT_EQ(cache.get(entry, {true, true}), cache.get(entry, {true, false}));
    EXPECT_EQ(cache.encodes(), before + 1);
  }
}

TEST(References, ZoneSendsWhatItsUserWrote) {
  Sending sending;
  sending.control_plane.mode = policy::Mode::zone;
  sending.control_plane.zone = "east";
  EncodedCache cache(sending, 1 << 20);
  auto own = policy_of_east(producer_spec);
  own.source.clear();
  EXPECT_THAT(cache.get(entry_of(own, 1), {true, true})->bytes, HasSubstr(producer_spec));
}

// A full state of an older global is compared by name: what a zone holds must be found under the name it has
// everywhere.
TEST(References, CopiesAreFoundByTheirCanonicalNameInAZoneToo) {
  TestPlane global("");
  TestPlane east("east", namespaced("kuma-system"));
  TestLink link(global, east, "east", "c1");
  ASSERT_TRUE(global.put("MeshTimeout", "default", "slow", timeout_spec).ok());
  ASSERT_TRUE(east.put("MeshTimeout", "default", "own.shop", producer_spec,
                       {{"kuma.io/zone", "east"}, {"kuma.io/display-name", "own"}, {"k8s.kuma.io/namespace", "shop"}})
                  .ok());
  link.settle();
  const auto& type = *Catalogue::builtin().find("MeshTimeout");
  const auto& index = east.core->index();
  const auto copy = index.find_by_wire_name(type, "default", hashed_name("default", "slow", {}));
  ASSERT_TRUE(copy);
  EXPECT_TRUE(copy->is_copy());
  const auto own = index.find_by_wire_name(type, "default", hashed_name("default", "own", {"east", "shop"}));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->name, "own.shop");
}

class UniqueName : public ::testing::Test {
 protected:
  static Resource service_named(const std::string& name, Labels labels) {
    Resource resource;
    resource.type = Catalogue::builtin().find("MeshService");
    resource.mesh = "default";
    resource.name = name;
    resource.labels = std::move(labels);
    resource.spec = service_spec;
    return resource;
  }

  Write write(const Resource& resource, Status& outcome) {
    return {[this, resource](Transaction& transaction) {
              if (auto status = check_unique_name(transaction, resource, sending_); !status.ok()) return status;
              transaction.put(resource);
              return Status();
            },
            [&outcome](const Status& status) { outcome = status; }};
  }

  // All of them wait for the same commit.
  std::vector<Status> commit_together(const std::vector<Resource>& resources) {
    std::vector<Status> outcomes(resources.size(), Status(Code::internal, "not called"));
    // A commit that is on its way makes the others queue.
    Status first;
    (void)plane_.core->submit(write(service_named("first", {}), first));
    for (std::size_t i = 0; i < resources.size(); ++i) (void)plane_.core->submit(write(resources[i], outcomes[i]));
    plane_.step();
    EXPECT_TRUE(first.ok());
    return outcomes;
  }

  Status put(const Resource& resource) { return commit_together({resource}).front(); }

  TestPlane plane_{"east"};
  Sending sending_{plane_.core->options().control_plane, {}};
};

TEST_F(UniqueName, SecondResourceOfACanonicalNameIsRefused) {
  ASSERT_TRUE(put(service_named("catalog", {})).ok());
  const auto status = put(service_named("other", {{"kuma.io/display-name", "catalog"}}));
  ASSERT_EQ(status.code(), Code::invalid);
  EXPECT_EQ(status.violations().front().field, R"(labels["kuma.io/display-name"])");
  EXPECT_EQ(status.violations().front().reason, "is already used by catalog");
  EXPECT_TRUE(put(service_named("catalog", {{"team", "a"}})).ok()) << "an update of the same resource";
  EXPECT_TRUE(put(service_named("third", {{"kuma.io/display-name", "catalog-2"}})).ok());
}

TEST_F(UniqueName, WriteOfTheSameCommitCountsAsWell) {
  const auto outcomes = commit_together({service_named("a", {{"kuma.io/display-name", "same"}}),
                                         service_named("b", {{"kuma.io/display-name", "same"}}),
                                         service_named("c", {{"kuma.io/display-name", "other"}})});
  EXPECT_TRUE(outcomes[0].ok());
  ASSERT_EQ(outcomes[1].code(), Code::invalid);
  EXPECT_EQ(outcomes[1].violations().front().reason, "is already used by a");
  EXPECT_TRUE(outcomes[2].ok());
  EXPECT_THAT(plane_.names("MeshService"), ElementsAre("a", "c", "first"));
}

TEST_F(UniqueName, NameOfADeletedResourceIsFree) {
  ASSERT_TRUE(put(service_named("catalog", {})).ok());
  ASSERT_TRUE(plane_.remove("MeshService", "default", "catalog").ok());
  EXPECT_TRUE(put(service_named("other", {{"kuma.io/display-name", "catalog"}})).ok());
}

TEST_F(UniqueName, NamesOfCopiesAreNotAsked) {
  auto copy = service_named(hashed_name("default", "catalog", {"east"}), {});
  copy.source = "global";
  ASSERT_TRUE(plane_
                  .write([&](Transaction& transaction) {
                    transaction.put(copy);
                    return Status();
                  })
                  .ok());
  EXPECT_TRUE(put(service_named("catalog", {})).ok());
}

}  // namespace
}  // namespace kdsd::kds
