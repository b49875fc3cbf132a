// Inside of the partition of clients: items with their tags as numbers, and components of items that share clients.
//
// Pure; used by client_partition.cpp and client_trees.cpp only. Numbers follow the byte order of keys and values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/engine/client_partition.h"
#include "policy/engine/merge_budget.h"

namespace kdsd::policy {

struct NumberedTag {
  std::uint32_t key = 0;
  std::uint32_t value = 0;  // among the values of the key
  friend auto operator<=>(const NumberedTag&, const NumberedTag&) = default;
};

struct NumberedItem {
  std::size_t position = 0;       // among the items given; a greater one is higher
  std::vector<NumberedTag> tags;  // by key
};

using Component = std::vector<NumberedItem>;  // positions rise

class TagNumbers {
 public:
  explicit TagNumbers(const std::vector<ClientItem>& items);

  std::vector<NumberedTag> tags_of(const ClientItem& item) const;
  TagMatcher matcher(NumberedTag tag, bool negative) const;
  std::size_t keys() const { return keys_.size(); }

 private:
  std::vector<std::string> keys_;
  std::vector<std::vector<std::string>> values_;  // of each key
};

// Items are in one component when a chain of items leads from one to the other in which each two share clients.
std::vector<Component> components_of(const std::vector<ClientItem>& items, const TagNumbers& numbers);

// A cell before its tags are spelled out: at most one positive tag of a key, or the negated ones.
struct NumberedCell {
  std::vector<std::pair<NumberedTag, bool>> matchers;  // tag, whether it is negated; by key and value
  std::vector<std::size_t> items;
};

// The cells of one component, as one way to cut gives them, within the limits on their number and size.
class CellList {
 public:
  // `parts`: of the conf of each item, by position; outlives the list.
  explicit CellList(const std::vector<std::size_t>& parts) : parts_(parts), size_(limits::cell_parts) {}

  // False when the cell does not fit any more: the list is of no use then.
  bool add(NumberedCell cell);

  std::vector<NumberedCell> cells;

 private:
  const std::vector<std::size_t>& parts_;
  MergeBudget size_;
};

// client_trees.cpp. Both give false, and cells that are of no use, beyond a limit on cells or steps.
bool cut_compact(const Component& component, CellList& cells);
bool cut_decisive(const Component& component, const std::vector<ClientItem>& items, CellList& cells);

}  // namespace kdsd::policy
