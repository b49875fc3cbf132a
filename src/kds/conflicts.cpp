#include "kds/conflicts.h"

#include <utility>

namespace kdsd::kds {

void Conflicts::note(const Incoming& incoming, const std::vector<NameConflict>& conflicts) {
  if (!by_holder_.empty()) {
    std::set<std::pair<std::string, std::string>> looked_at;
    for (const auto& received : incoming.response.resources)
      looked_at.emplace(received.resource.mesh, received.resource.name);
    for (const auto& text : incoming.response.removed) {
      auto key = parse_removed(*incoming.type, text);
      looked_at.emplace(std::move(key.mesh), std::move(key.name));
    }
    std::erase_if(by_holder_, [&](const auto& item) {
      return item.first.type == incoming.type && looked_at.contains({item.second.mesh, item.second.name});
    });
  }
  for (const auto& conflict : conflicts) {
    if (by_holder_.size() < limits::conflicts_kept) {
      by_holder_.emplace(conflict.holder, conflict);
    } else {
      uncounted_.insert(conflict.holder.type);
    }
  }
}

void Conflicts::look_at(const ResourceKey& key, const Resource* now, const Sending* relays_as) {
  if (has_freed_ || (by_holder_.empty() && uncounted_.empty())) return;
  const auto [first, last] = by_holder_.equal_range(key);
  for (auto it = first; it != last; ++it) {
    const auto& relayed = it->second.relayed_name;
    const bool gave_up = now != nullptr && !relayed.empty() && wire_name(*now, *relays_as) != relayed;
    if (now == nullptr || gave_up) has_freed_ = true;
  }
  if (now == nullptr && uncounted_.contains(key.type)) has_freed_ = true;
}

}  // namespace kdsd::kds
