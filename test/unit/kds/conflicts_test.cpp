// A refusal for a name that another resource has is looked at again when that resource is gone.
#include "kds/conflicts.h"

#include <gmock/gmock.h>

#include "model/hash.h"

#include "pair.h"

namespace kdsd::kds {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char local_secret[] = R"({"data":"bG9jYWw="})";
constexpr char remote_secret[] = R"({"data":"cmVtb3Rl"})";

class NamesOfOthers : public testing::Test {
 protected:
  // A new connection, as a zone makes it when one of its streams ended.
  void redial() {
    link_->cut();
    global_.ended.clear();
    east_.ended.clear();
    link_ = std::make_unique<TestLink>(global_, east_, "east", "c" + std::to_string(++connections_));
  }

  TestPlane global_{""};
  TestPlane east_{"east"};
  int connections_ = 1;
  std::unique_ptr<TestLink> link_ = std::make_unique<TestLink>(global_, east_, "east", "c1");
};

TEST_F(NamesOfOthers, ZoneAsksAgainWhenItsOwnResourceIsGone) {
  ASSERT_TRUE(east_.put("Secret", "default", "key", local_secret).ok());
  ASSERT_TRUE(global_.put("Secret", "default", "key", remote_secret).ok());
  link_->settle();
  ASSERT_FALSE(east_.find("Secret", "default", "key")->is_copy());
  east_.pass(60);
  EXPECT_THAT(east_.ended, IsEmpty()) << "the name is still taken";
  ASSERT_TRUE(east_.remove("Secret", "default", "key").ok());
  ASSERT_THAT(east_.ended, SizeIs(1));
  EXPECT_THAT(east_.ended.begin()->second, HasSubstr("is free"));
  redial();
  ASSERT_TRUE(east_.find("Secret", "default", "key"));
  EXPECT_EQ(east_.find("Secret", "default", "key")->source, "global");
  east_.pass(60);
  EXPECT_THAT(east_.ended, IsEmpty()) << "once is enough";
}

TEST_F(NamesOfOthers, GlobalAsksAgainWhenTheHolderIsGone) {
  const auto name = hashed_name("default", "orders", {"east"});
  ASSERT_TRUE(global_.put("MeshService", "default", name, service_spec).ok());
  ASSERT_TRUE(east_.put("MeshService", "default", "orders", service_spec, {{"kuma.io/origin", "zone"}}).ok());
  link_->settle();
  ASSERT_FALSE(global_.find("MeshService", "default", name)->is_copy());
  const auto& types = east_.core->sender_of("global")->types();
  ASSERT_FALSE(types.at("MeshService").rejections.empty());
  EXPECT_THAT(types.at("MeshService").rejections.front().resource.text,
              HasSubstr("it is of the global itself and was sent by zone \"east\""));
  ASSERT_TRUE(global_.remove("MeshService", "default", name).ok());
  global_.pass(10);
  ASSERT_THAT(global_.ended, SizeIs(1));
  redial();
  ASSERT_TRUE(global_.find("MeshService", "default", name));
  EXPECT_EQ(global_.find("MeshService", "default", name)->source, "east");
}

TEST_F(NamesOfOthers, NoStreamIsEndedSoonAfterItBegan) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(east_.put("Secret", "default", "key", local_secret).ok());
    ASSERT_TRUE(global_.put("Secret", "default", "key", remote_secret).ok());
    link_->settle();
    ASSERT_TRUE(east_.remove("Secret", "default", "key").ok());
    east_.pass(9);
    EXPECT_THAT(east_.ended, IsEmpty()) << i;
    east_.pass(1);
    EXPECT_THAT(east_.ended, SizeIs(1)) << i;
    redial();
    EXPECT_TRUE(east_.find("Secret", "default", "key")) << i;
    ASSERT_TRUE(global_.remove("Secret", "default", "key").ok());
    link_->settle();
    redial();
  }
}

TEST_F(NamesOfOthers, WhatThePeerWithdrewNeedsNoSecondLook) {
  ASSERT_TRUE(east_.put("Secret", "default", "key", local_secret).ok());
  ASSERT_TRUE(global_.put("Secret", "default", "key", remote_secret).ok());
  link_->settle();
  ASSERT_TRUE(global_.remove("Secret", "default", "key").ok());
  link_->settle();
  ASSERT_TRUE(east_.remove("Secret", "default", "key").ok());
  east_.pass(60);
  EXPECT_THAT(east_.ended, IsEmpty());
}

class Refusals : public testing::Test {
 protected:
  static const ResourceType& type() { return *Catalogue::builtin().find("MeshService"); }
  static ResourceKey key(const std::string& name) { return {&type(), "default", name}; }
  void refuse(const std::string& name, const std::string& holder, std::string relayed = {}) {
    Incoming incoming;
    incoming.type = &type();
    Resource resource;
    resource.type = &type();
    resource.mesh = "default";
    resource.name = name;
    incoming.response.resources.push_back({resource, "", {}});
    conflicts_.note(incoming, {{"default", name, key(holder), std::move(relayed)}});
  }

  Conflicts conflicts_;
};

TEST_F(Refusals, AreOverOnlyWithTheirHolder) {
  refuse("a", "holder");
  conflicts_.look_at(key("another"), nullptr, nullptr);
  EXPECT_FALSE(conflicts_.has_freed());
  Resource holder;
  holder.type = &type();
  holder.mesh = "default";
  holder.name = "holder";
  conflicts_.look_at(key("holder"), &holder, nullptr);
  EXPECT_FALSE(conflicts_.has_freed()) << "it only changed";
  conflicts_.look_at(key("holder"), nullptr, nullptr);
  EXPECT_TRUE(conflicts_.has_freed());
}

TEST_F(Refusals, AreOverWhenTheHolderIsRelayedUnderAnotherName) {
  const Sending sending{};
  Resource holder;
  holder.type = &type();
  holder.mesh = "default";
  holder.name = "holder";
  refuse("a", "holder", wire_name(holder, sending));
  conflicts_.look_at(holder.key(), &holder, &sending);
  EXPECT_FALSE(conflicts_.has_freed());
  holder.labels.set(label::display_name, "other");
  conflicts_.look_at(holder.key(), &holder, &sending);
  EXPECT_TRUE(conflicts_.has_freed());
}

TEST_F(Refusals, BeyondTheLimitEndWithAnyRemovalOfTheType) {
  for (std::size_t i = 0; i <= limits::conflicts_kept; ++i) refuse("n" + std::to_string(i), "h" + std::to_string(i));
  conflicts_.look_at({Catalogue::builtin().find("MeshTimeout"), "default", "x"}, nullptr, nullptr);
  EXPECT_FALSE(conflicts_.has_freed());
  conflicts_.look_at(key("x"), nullptr, nullptr);
  EXPECT_TRUE(conflicts_.has_freed());
}

}  // namespace
}  // namespace kdsd::kds
