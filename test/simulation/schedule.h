// Simulated time and chance: the only clock and the only source of randomness of a simulated world.
//
// Events run in the order (time, sequence), so a run depends on its seed alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace kdsd::sim {

inline constexpr std::int64_t microsecond = 1'000;
inline constexpr std::int64_t millisecond = 1'000'000;
inline constexpr std::int64_t second = 1'000'000'000;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }  // 0 when the bound is 1
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  std::mt19937_64 engine_;
};

class Schedule {
 public:
  using Event = std::function<void()>;

  std::int64_t now() const { return now_; }
  void at(std::int64_t time, Event event) {
    events_.emplace(std::pair(time < now_ ? now_ : time, ++sequence_), std::move(event));
  }
  void after(std::int64_t delay, Event event) { at(now_ + delay, std::move(event)); }

  // Runs the next event if it is due by `until`; otherwise moves the time there and returns false.
  bool run_next(std::int64_t until) {
    if (events_.empty() || events_.begin()->first.first > until) {
      now_ = until;
      return false;
    }
    auto next = events_.extract(events_.begin());
    now_ = next.key().first;
    ++executed_;
    next.mapped()();
    return true;
  }
  std::uint64_t executed() const { return executed_; }

 private:
  // Some day of 2026: zero means "unknown" to the code under test.
  std::int64_t now_ = 1'770'000'000 * second;
  std::uint64_t sequence_ = 0;
  std::uint64_t executed_ = 0;
  std::map<std::pair<std::int64_t, std::uint64_t>, Event> events_;
};

}  // namespace kdsd::sim
