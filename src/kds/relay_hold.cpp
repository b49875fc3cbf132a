#include "kds/relay_hold.h"

namespace kdsd::kds {
namespace {

constexpr std::size_t zones_named = 3;  // in the text; there may be thousands

}  // namespace

void RelayHold::expect(const std::string& zone) {
  if (hold_nanos_ > 0 && !given_up_.contains(zone)) missing_.try_emplace(zone);
}

bool RelayHold::remove(const std::string& zone) {
  given_up_.erase(zone);
  return missing_.erase(zone) > 0;
}

bool RelayHold::has_to_wait(std::string_view receiver) const {
  return missing_.size() > 1 || (missing_.size() == 1 && missing_.begin()->first != receiver);
}

std::string RelayHold::begin(std::string_view receiver, Timestamp now) {
  std::string text;
  std::size_t count = 0;
  for (auto& [zone, since] : missing_) {
    if (zone == receiver) continue;
    if (since.nanos == 0) since = now;
    if (++count <= zones_named) text += (count == 1 ? "zone " : ", ") + zone;
  }
  if (count > zones_named) text += " and " + std::to_string(count - zones_named) + " more";
  return text;
}

std::vector<std::string> RelayHold::give_up(Timestamp now) {
  std::vector<std::string> over;
  for (const auto& [zone, since] : missing_) {
    if (since.nanos != 0 && now.nanos - since.nanos >= hold_nanos_) over.push_back(zone);
  }
  for (const auto& zone : over) {
    missing_.erase(zone);
    given_up_.insert(zone);
  }
  return over;
}

}  // namespace kdsd::kds
