// The starts of this control plane, and how far each got: what makes a resume token believable (design.md "Decisions",
// resume token).
//
// Every start is an epoch of its own with a random number, and begins where the store stood. A store that was put back
// to an earlier state knows neither the epochs that came after the backup nor the revisions of its own epoch beyond
// it, so a token from the lost time is not taken for one of the new time, whatever revision the store has reached
// since.
//
// Pure; a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/resource.h"

namespace kdsd::kds {

namespace limits {
// Starts remembered. A peer that was away for more of them gets the full state.
inline constexpr std::size_t epochs_kept = 256;
}  // namespace limits

class Epochs {
 public:
  // From text(); what is no such text counts as no epochs at all.
  static Epochs parse(std::string_view text);
  std::string text() const;  // <epoch>@<first revision>, separated by commas, oldest first

  void begin(std::uint64_t epoch, Revision first);
  std::uint64_t current() const { return starts_.empty() ? 0 : starts_.back().epoch; }

  // Whether a state that was sent in that epoch at that revision is one of this store's. `head`: its newest revision.
  bool knows(std::uint64_t epoch, Revision revision, Revision head) const;

 private:
  struct Start {
    std::uint64_t epoch = 0;
    Revision first;
  };
  std::vector<Start> starts_;
};

}  // namespace kdsd::kds
