// How far zones are: states, lag, and the last rejection, as explain and metrics tell them.
#include "kds/delivery.h"

#include <gtest/gtest.h>

#include "pair.h"

namespace kdsd::kds {
namespace {

const ResourceType& timeout_type() { return *Catalogue::builtin().find("MeshTimeout"); }

EntryPtr slow(const TestPlane& plane) { return plane.core->index().find_entry({&timeout_type(), "default", "slow"}); }

constexpr std::int64_t second = 1'000'000'000;

class DeliveryTest : public ::testing::Test {
 protected:
  DeliveryTest() : link_(std::make_unique<TestLink>(global_, east_, "east", "c1")) {
    EXPECT_TRUE(global_.put("Mesh", "", "default", "{}").ok());
    link_->settle();
    start_ = global_.core->now();
  }
  void write(const char* spec) { EXPECT_TRUE(global_.put("MeshTimeout", "default", "slow", spec).ok()); }
  Delivery look(bool gets = true) const { return delivery_of(*global_.core, *slow(global_), "east", gets); }
  void pass(std::int64_t nanos) { global_.core->set_now({global_.core->now().nanos + nanos}); }

  TestPlane global_{""};
  TestPlane east_{"east"};
  std::unique_ptr<TestLink> link_;
  Timestamp start_;
};

TEST_F(DeliveryTest, WhatIsOutIsOnTheWayAndWhatIsAnsweredIsHeld) {
  write(timeout_spec);
  pass(3 * second);
  auto now = look();
  EXPECT_EQ(now.state, DeliveryState::on_the_way);
  EXPECT_EQ(now.holds, Holds::nothing);
  EXPECT_GE(now.lag.revisions, 1U);
  EXPECT_GE(now.lag.nanos, 3 * second);
  EXPECT_EQ(lags_of(*global_.core).at("east").nanos, now.lag.nanos);
  link_->settle();
  now = look();
  EXPECT_TRUE(now.is_online);
  EXPECT_EQ(now.state, DeliveryState::held);
  EXPECT_EQ(now.holds, Holds::newest);
  EXPECT_EQ(now.lag.revisions, 0U);
  EXPECT_EQ(now.lag.nanos, 0);
  EXPECT_EQ(lags_of(*global_.core).at("east").nanos, 0);
}

TEST_F(DeliveryTest, LagCountsFromTheOldestChangeThatIsNotAnswered) {
  write(timeout_spec);
  const auto first = global_.core->now();
  pass(5 * second);
  write(slower_timeout_spec);  // waits for the answer to the first
  pass(2 * second);
  EXPECT_EQ(look().state, DeliveryState::pending);
  EXPECT_EQ(lags_of(*global_.core).at("east").nanos, global_.core->now().nanos - first.nanos);
}

TEST_F(DeliveryTest, AChangeForNobodyIsNoLag) {
  EXPECT_TRUE(global_.put("MeshTimeout", "default", "slow", timeout_spec, {{"kuma.io/kds-sync", "disabled"}}).ok());
  pass(9 * second);
  EXPECT_EQ(look(false).state, DeliveryState::absent);
  EXPECT_EQ(look(false).holds, Holds::nothing);
  EXPECT_EQ(lags_of(*global_.core).at("east").nanos, 0);
}

TEST_F(DeliveryTest, AZoneThatLeftIsBehindSinceItLeft) {
  write(timeout_spec);
  link_->settle();
  link_->cut();
  const auto left = global_.core->now();
  pass(10 * second);
  EXPECT_EQ(look().state, DeliveryState::offline);
  EXPECT_EQ(look().holds, Holds::newest);
  EXPECT_EQ(look().since, left);
  EXPECT_EQ(lags_of(*global_.core).at("east").nanos, 0);
  write(slower_timeout_spec);
  EXPECT_EQ(look().holds, Holds::older);
  EXPECT_EQ(lags_of(*global_.core).at("east").nanos, global_.core->now().nanos - left.nanos);
  TestLink again(global_, east_, "east", "c2");
  EXPECT_EQ(look().state, DeliveryState::held);
}

TEST_F(DeliveryTest, AZoneThatNeverCameIsUnknown) {
  write(timeout_spec);
  EXPECT_EQ(delivery_of(*global_.core, *slow(global_), "west", true).state, DeliveryState::unknown);
}

// A zone that answers what the test tells it to.
class RejectingZone : public ::testing::Test {
 protected:
  RejectingZone() {
    EXPECT_TRUE(global_.put("Mesh", "", "default", "{}").ok());
    stream_ = *global_.core->opened({StreamKind::global_to_zone, "east", "c1", {"hash-suffix"}, false});
    Request first;
    first.type = "MeshTimeout";
    first.node_id = "east";
    first.has_node = true;
    first.node.features = Features(own_node_features());
    first.node.instance_id = "east-1";
    answer(first);
    answer(reply(""));
  }
  void answer(const Request& request) {
    global_.core->received(stream_, encode_request(request));
    global_.step();
  }
  Request reply(const std::string& error) {
    Request request;
    request.type = "MeshTimeout";
    request.node_id = "east";
    request.has_node = true;
    request.nonce = "1";
    request.is_nack = !error.empty();
    request.error_text = error;
    return request;
  }

  TestPlane global_{""};
  StreamId stream_ = 0;
};

TEST_F(RejectingZone, ARejectionIsShownUntilTheResourceChanges) {
  ASSERT_TRUE(global_.put("MeshTimeout", "default", "slow", timeout_spec).ok());
  answer(reply("no thanks"));
  auto now = delivery_of(*global_.core, *slow(global_), "east", true);
  EXPECT_EQ(now.state, DeliveryState::rejected);
  EXPECT_EQ(now.holds, Holds::unknown);
  ASSERT_TRUE(now.last_rejection);
  EXPECT_EQ(now.last_rejection->resource.text, "no thanks");
  EXPECT_EQ(rejected_of(*global_.core),
            (std::map<std::string, std::map<std::string, std::size_t>>{{"east", {{"MeshTimeout", 1}}}}));
  ASSERT_TRUE(global_.put("MeshTimeout", "default", "slow", slower_timeout_spec).ok());
  answer(reply(""));
  now = delivery_of(*global_.core, *slow(global_), "east", true);
  EXPECT_EQ(now.state, DeliveryState::held);
  EXPECT_TRUE(rejected_of(*global_.core).empty());
}

TEST_F(RejectingZone, ARejectionOfALaterResponseIsNoneOfThisResource) {
  ASSERT_TRUE(global_.put("MeshTimeout", "default", "slow", timeout_spec).ok());
  answer(reply(""));
  ASSERT_TRUE(global_.put("MeshTimeout", "default", "other", timeout_spec).ok());
  answer(reply("not this one"));
  const auto now = delivery_of(*global_.core, *slow(global_), "east", true);
  EXPECT_EQ(now.state, DeliveryState::held);
  EXPECT_FALSE(now.last_rejection);
}

}  // namespace
}  // namespace kdsd::kds
