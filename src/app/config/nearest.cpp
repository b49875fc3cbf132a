#include "app/config/nearest.h"

#include <algorithm>
#include <numeric>

#include "app/config/key.h"

namespace kdsd::app {
namespace {
// Longer than any known name: what lies beyond cannot make a name nearer, and the work stays bounded.
constexpr std::size_t compared_letters_max = 128;
}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::string left = lower(a.substr(0, compared_letters_max));
  const std::string right = lower(b.substr(0, compared_letters_max));
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string_view nearest(std::string_view text, const std::vector<std::string_view>& names) {
  std::string_view best;
  std::size_t best_distance = 0;
  for (auto name : names) {
    const auto distance = edit_distance(text, name);
    if (!best.empty() && distance >= best_distance) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

}  // namespace kdsd::app
