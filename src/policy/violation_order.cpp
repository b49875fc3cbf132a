#include "policy/violation_order.h"

#include <array>
#include <charconv>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "policy/outcome.h"

namespace kdsd::policy {
namespace {

constexpr std::array<std::string_view, 3> sections = {"from", "to", "rules"};

struct Place {
  std::size_t section = sections.size();  // none
  std::size_t item = 0;
};

// The item that a field lies in.
Place place_of(std::string_view field) {
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const auto start = "spec." + std::string(sections[i]) + "[";
    if (!field.starts_with(start)) continue;
    std::size_t item = 0;
    const auto* begin = field.data() + start.size();
    const auto [end, error] = std::from_chars(begin, field.data() + field.size(), item);
    if (error == std::errc() && end != begin) return {i, item};
  }
  return {};
}

// Puts violations behind those of the same and earlier items of their section. A document can have very many of both,
// so each list is walked once.
class Merge {
 public:
  Merge(Violations first, Violations second) : first_(std::move(first)) {
    for (auto& violation : second) {
      const auto place = place_of(violation.field);
      waiting_[place.section].emplace_back(place.item, std::move(violation));
    }
  }

  Violations run() {
    std::size_t section = sections.size();
    for (auto& violation : first_) {
      const auto place = place_of(violation.field);
      if (place.section != section) take(section, std::numeric_limits<std::size_t>::max());
      section = place.section;
      take(section, place.item);
      out_.push_back(std::move(violation));
    }
    take(section, std::numeric_limits<std::size_t>::max());
    for (std::size_t i = 0; i < waiting_.size(); ++i) take_all(i);
    return std::move(out_);
  }

 private:
  // Those of items before this one.
  void take(std::size_t section, std::size_t item) {
    if (section == sections.size()) return;
    auto& list = waiting_[section];
    for (; !list.empty() && list.front().first < item; list.pop_front()) out_.push_back(std::move(list.front().second));
  }
  void take_all(std::size_t section) {
    for (auto& [item, violation] : waiting_[section]) out_.push_back(std::move(violation));
    waiting_[section].clear();
  }

  Violations first_;
  std::array<std::deque<std::pair<std::size_t, Violation>>, sections.size() + 1> waiting_;  // the last: of no item
  Violations out_;
};

}  // namespace

Violations in_order_of_items(Violations first, Violations second) {
  return Merge(std::move(first), std::move(second)).run();
}

}  // namespace kdsd::policy
