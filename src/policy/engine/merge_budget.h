// How much a merge may put together, and how long it may take. What is written by people stays far below; what is above
// is refused, or told, instead of taking the memory and the threads of a control plane that others need.
//
// Pure.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>

namespace kdsd::policy {

namespace limits {
// Parts are about as many bytes as a JSON value takes in memory: values, matchers, origins.
inline constexpr std::size_t cell_parts = 300'000;      // of the cells of one partition, with the confs that cover them
inline constexpr std::size_t merged_parts = 2'000'000;  // of all rules of one type for one proxy
inline constexpr std::size_t tree_steps = 4'000'000;    // comparisons of one decision tree
inline constexpr std::size_t named_targets = 500'000;   // of all `to` items of one type for one proxy
inline constexpr std::size_t nested_principals = 50'000;
}  // namespace limits

// Values of a conf, and its longer texts by their size.
std::size_t parts_of(const boost::json::value& conf);

class MergeBudget {
 public:
  explicit MergeBudget(std::size_t parts) : left_(parts) {}

  // False, from then on, when more is taken than there is.
  bool take(std::size_t parts) {
    if (parts > left_) is_spent_ = true;
    left_ -= is_spent_ ? 0 : parts;
    return !is_spent_;
  }
  bool is_spent() const { return is_spent_; }

 private:
  std::size_t left_;
  bool is_spent_ = false;
};

}  // namespace kdsd::policy
