#include "net/backoff.h"

#include <algorithm>

namespace kdsd::net {

Backoff::Backoff(std::int64_t base_nanos, std::int64_t cap_nanos, std::uint64_t seed)
    : base_nanos_(std::max<std::int64_t>(base_nanos, 1)),
      cap_nanos_(std::max(cap_nanos, base_nanos_)),
      mean_nanos_(base_nanos_),
      random_(seed) {}

void Backoff::ended_after(std::int64_t lasted_nanos) {
  if (lasted_nanos > cap_nanos_) mean_nanos_ = base_nanos_;
}

std::int64_t Backoff::next_nanos() {
  std::uniform_int_distribution<std::int64_t> around(mean_nanos_ - base_nanos_, mean_nanos_ + base_nanos_);
  const auto delay = around(random_);
  mean_nanos_ = mean_nanos_ > cap_nanos_ / 2 ? cap_nanos_ : mean_nanos_ * 2;
  return delay;
}

}  // namespace kdsd::net
