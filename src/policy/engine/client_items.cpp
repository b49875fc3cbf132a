#include "policy/engine/client_items.h"

#include <algorithm>
#include <map>
#include <set>

namespace kdsd::policy {
namespace {

// Some client may have all tags of both: no key has two values.
bool share_clients(const std::vector<NumberedTag>& a, const std::vector<NumberedTag>& b) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->key < j->key) {
      ++i;
    } else if (j->key < i->key) {
      ++j;
    } else if (i->value != j->value) {
      return false;
    } else {
      ++i;
      ++j;
    }
  }
  return true;
}

std::uint32_t position_of(const std::vector<std::string>& sorted, const std::string& text) {
  return static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), text) - sorted.begin());
}

}  // namespace

TagNumbers::TagNumbers(const std::vector<ClientItem>& items) {
  std::map<std::string, std::set<std::string>> known;
  for (const auto& item : items) {
    for (const auto& [key, value] : item.tags) known[key].insert(value);
  }
  for (const auto& [key, values] : known) {
    keys_.push_back(key);
    values_.emplace_back(values.begin(), values.end());
  }
}

std::vector<NumberedTag> TagNumbers::tags_of(const ClientItem& item) const {
  std::vector<NumberedTag> out;
  for (const auto& [key, value] : item.tags) {
    const auto number = position_of(keys_, key);
    out.push_back({number, position_of(values_[number], value)});
  }
  std::sort(out.begin(), out.end());
  return out;
}

TagMatcher TagNumbers::matcher(NumberedTag tag, bool negative) const {
  return {keys_[tag.key], values_[tag.key][tag.value], negative};
}

std::vector<Component> components_of(const std::vector<ClientItem>& items, const TagNumbers& numbers) {
  // Items with the same tags are always together, so only distinct sets of tags are compared.
  std::map<std::vector<NumberedTag>, Component> by_tags;
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto tags = numbers.tags_of(items[i]);
    by_tags[tags].push_back({i, tags});
  }
  std::vector<const std::pair<const std::vector<NumberedTag>, Component>*> unvisited;
  for (const auto& entry : by_tags) unvisited.push_back(&entry);

  std::vector<Component> out;
  while (!unvisited.empty()) {
    std::vector<decltype(unvisited)::value_type> reached{unvisited.front()};
    unvisited.erase(unvisited.begin());
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const auto border = std::stable_partition(unvisited.begin(), unvisited.end(), [&](const auto* entry) {
        return !share_clients(entry->first, reached[i]->first);
      });
      reached.insert(reached.end(), border, unvisited.end());
      unvisited.erase(border, unvisited.end());
    }
    Component component;
    for (const auto* entry : reached) component.insert(component.end(), entry->second.begin(), entry->second.end());
    std::sort(component.begin(), component.end(),
              [](const NumberedItem& a, const NumberedItem& b) { return a.position < b.position; });
    out.push_back(std::move(component));
  }
  return out;
}

}  // namespace kdsd::policy
