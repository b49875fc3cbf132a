#include "net/backoff.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kdsd::net {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST(Backoff, FirstDelayLiesBetweenZeroAndTwiceTheBase) {
  std::int64_t least = 60 * second, most = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const auto delay = Backoff(5 * second, 60 * second, seed).next_nanos();
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, second / 2);
  EXPECT_LE(most, 10 * second);
  EXPECT_GT(most, 9 * second);
}

TEST(Backoff, MeansDoubleUpToTheCap) {
  Backoff backoff(5 * second, 60 * second, 1);
  for (std::int64_t mean : {5, 10, 20, 40, 60, 60, 60}) {
    const auto delay = backoff.next_nanos();
    EXPECT_GE(delay, (mean - 5) * second);
    EXPECT_LE(delay, (mean + 5) * second);
  }
}

TEST(Backoff, LongConnectionStartsTheSequenceOver) {
  Backoff backoff(5 * second, 60 * second, 1);
  for (int i = 0; i < 6; ++i) backoff.next_nanos();
  backoff.ended_after(61 * second);
  EXPECT_LE(backoff.next_nanos(), 10 * second);
}

TEST(Backoff, ShortConnectionDoesNotStartTheSequenceOver) {
  Backoff backoff(5 * second, 60 * second, 1);
  for (int i = 0; i < 6; ++i) backoff.next_nanos();
  backoff.ended_after(60 * second);
  EXPECT_GE(backoff.next_nanos(), 55 * second);
}

TEST(Backoff, SenselessSettingsStillGiveDelays) {
  Backoff backoff(0, -1, 1);
  for (int i = 0; i < 10; ++i) {
    const auto delay = backoff.next_nanos();
    EXPECT_GE(delay, 0);
    EXPECT_LE(delay, 2);
  }
  Backoff cap_below_base(10, 5, 1);
  for (int i = 0; i < 10; ++i) EXPECT_LE(cap_below_base.next_nanos(), 20);
}

TEST(Backoff, SameSeedGivesTheSameDelays) {
  Backoff a(5 * second, 60 * second, 7), b(5 * second, 60 * second, 7);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.next_nanos(), b.next_nanos());
}

}  // namespace
}  // namespace kdsd::net
