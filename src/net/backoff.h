// How long a zone waits before it dials its global again (kds-protocol.md 3.11).
//
// Pure: neither clock nor timer. The n-th delay lies evenly within mean ± base, where the mean is the base doubled n
// times and at most the cap. So the first redial may come at once, and a thousand zones that lost their global together
// spread out.
#pragma once

#include <cstdint>
#include <random>

namespace kdsd::net {

class Backoff {
 public:
  // A base below 1 ns counts as 1 ns, a cap below the base as the base.
  Backoff(std::int64_t base_nanos, std::int64_t cap_nanos, std::uint64_t seed);

  // Tells how long the connection that just ended had been usable: one longer than the cap was a good one, the sequence
  // starts over.
  void ended_after(std::int64_t lasted_nanos);

  // The delay before the next attempt; 0 to cap + base.
  std::int64_t next_nanos();

 private:
  std::int64_t base_nanos_;
  std::int64_t cap_nanos_;
  std::int64_t mean_nanos_;
  std::mt19937_64 random_;
};

}  // namespace kdsd::net
