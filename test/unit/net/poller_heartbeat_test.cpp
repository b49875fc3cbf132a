#include "net/poller_heartbeat.h"

#include <chrono>
#include <gtest/gtest.h>

#include "harness.h"

namespace kdsd::net {
namespace {

// The next one begins only when the last one has ended.
TEST(PollerHeartbeat, EveryBeatEndsByItself) {
  PollerHeartbeat heartbeat;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (heartbeat.begun() < 20 && std::chrono::steady_clock::now() < deadline) {
    heartbeat.beat();
    std::this_thread::yield();
  }
  EXPECT_EQ(heartbeat.begun(), 20u);
}

TEST(PollerHeartbeat, MayGoWhileABeatIsOnItsWay) {
  for (int i = 0; i < 200; ++i) {
    PollerHeartbeat heartbeat;
    heartbeat.beat();
  }
}

}  // namespace
}  // namespace kdsd::net
