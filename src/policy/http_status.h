// HTTP statuses.
//
// Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace kdsd::policy {

// Whether it has a name in Go's list of them; first and last of each range are in it.
inline bool is_named_status(std::int64_t status) {
  constexpr std::array<std::pair<int, int>, 12> ranges = {{{100, 103},
                                                           {200, 208},
                                                           {226, 226},
                                                           {300, 305},
                                                           {307, 308},
                                                           {400, 418},
                                                           {421, 426},
                                                           {428, 429},
                                                           {431, 431},
                                                           {451, 451},
                                                           {500, 508},
                                                           {510, 511}}};
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const auto& range) { return status >= range.first && status <= range.second; });
}

}  // namespace kdsd::policy
