#include "net/poller_heartbeat.h"

#include <chrono>
#include <gtest/gtest.h>

#include "harness.h"

namespace kdsd::net {
namespace {

TEST(PollerHeartbeat, EveryBeatEndsByItself) {
  PollerHeartbeat heartbeat;
  for (int i = 0; i < 20; ++i) heartbeat.beat();
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (heartbeat.ended() < 20 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_EQ(heartbeat.ended(), 20u);
}

TEST(PollerHeartbeat, MayGoWhileABeatIsOnItsWay) {
  for (int i = 0; i < 20; ++i) {
    PollerHeartbeat heartbeat;
    heartbeat.beat();
  }
}

}  // namespace
}  // namespace kdsd::net
