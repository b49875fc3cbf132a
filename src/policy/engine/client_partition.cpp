#include "policy/engine/client_partition.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "policy/engine/client_items.h"

namespace kdsd::policy {
namespace {

constexpr const char* compact_note = "the rules are shown in their compact form: their full form has too many of them";
constexpr const char* decisive_note =
    "the rules name only the policies that decide: their full form has too many of them";
constexpr const char* too_many_note = "the clients cannot be told apart with a bearable number of rules";

using Choices = std::map<std::uint32_t, std::set<std::uint32_t>>;  // values of each key

Choices choices_of(const Component& component) {
  Choices out;
  for (const auto& item : component) {
    for (const auto tag : item.tags) out[tag.key].insert(tag.value);
  }
  return out;
}

// The number of cells of the full view; beyond `limits::full_cells` some number above it.
std::size_t full_size(const Choices& choices) {
  std::size_t product = 1;
  for (const auto& [key, values] : choices) {
    product *= values.size() + 1;
    if (product > limits::full_cells) return product;
  }
  return product;
}

// Every combination of one choice for each key, the choices being the values and "none of them".
class FullProduct {
 public:
  FullProduct(const Component& component, Choices choices, CellList& cells)
      : component_(component), choices_(std::move(choices)), cells_(cells) {}

  // False: more than the limits allow.
  bool run() { return descend(choices_.begin()); }

 private:
  bool descend(Choices::const_iterator key) {
    if (key == choices_.end()) return emit();
    const auto next = std::next(key);
    for (const auto value : key->second) {
      matchers_.emplace_back(NumberedTag{key->first, value}, false);
      positive_.insert({key->first, value});
      const bool fits = descend(next);
      positive_.erase({key->first, value});
      matchers_.pop_back();
      if (!fits) return false;
    }
    for (const auto value : key->second) matchers_.emplace_back(NumberedTag{key->first, value}, true);
    const bool fits = descend(next);
    matchers_.resize(matchers_.size() - key->second.size());
    return fits;
  }

  bool emit() {
    NumberedCell cell{matchers_, {}};
    for (const auto& item : component_) {
      const bool covers =
          std::all_of(item.tags.begin(), item.tags.end(), [&](NumberedTag tag) { return positive_.contains(tag); });
      if (covers) cell.items.push_back(item.position);
    }
    return cell.items.empty() || cells_.add(std::move(cell));
  }

  const Component& component_;
  const Choices choices_;
  CellList& cells_;
  std::vector<std::pair<NumberedTag, bool>> matchers_;
  std::set<NumberedTag> positive_;
};

// What is given to be cut, for all components.
struct Cutting {
  const std::vector<ClientItem>& items;
  std::vector<std::size_t> parts;  // of the conf of each item
  PartitionView view;
  std::vector<NumberedCell> cells;
  std::set<std::string> notes;
};

// The smaller one of the two trees; false where both are too large.
bool cut_by_tree(const Component& component, Cutting& cutting, std::vector<NumberedCell>& cells) {
  CellList compact(cutting.parts);
  const bool is_compact = cut_compact(component, compact);
  if (is_compact && compact.cells.size() <= limits::full_cells) {
    if (cutting.view != PartitionView::compact) cutting.notes.insert(compact_note);
    cells = std::move(compact.cells);
    return true;
  }
  CellList decisive(cutting.parts);
  const bool is_decisive = cut_decisive(component, cutting.items, decisive);
  if (is_decisive && (!is_compact || decisive.cells.size() < compact.cells.size())) {
    cells = std::move(decisive.cells);
    cutting.notes.insert(decisive_note);
    return true;
  }
  cutting.notes.insert(is_compact ? compact_note : too_many_note);
  cells = std::move(compact.cells);
  return is_compact;
}

// Appends the cells of one component.
bool cut(const Component& component, Cutting& cutting) {
  auto choices = choices_of(component);
  std::vector<NumberedCell> own;
  bool is_full = false;
  if (cutting.view != PartitionView::compact && full_size(choices) <= limits::full_cells) {
    CellList full(cutting.parts);
    is_full = FullProduct(component, std::move(choices), full).run();
    if (is_full) own = std::move(full.cells);
  }
  if (!is_full && !cut_by_tree(component, cutting, own)) return false;
  cutting.cells.insert(cutting.cells.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  return true;
}

std::size_t positives(const NumberedCell& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.matchers.begin(), cell.matchers.end(), [](const auto& matcher) { return !matcher.second; }));
}

bool stands_before(const NumberedCell& a, const NumberedCell& b) {
  if (const auto of_a = positives(a), of_b = positives(b); of_a != of_b) return of_a > of_b;
  return std::lexicographical_compare(
      a.matchers.begin(), a.matchers.end(), b.matchers.begin(), b.matchers.end(), [](const auto& x, const auto& y) {
        return std::tuple(x.first.key, x.second, x.first.value) < std::tuple(y.first.key, y.second, y.first.value);
      });
}

}  // namespace

bool CellList::add(NumberedCell cell) {
  if (cells.size() == limits::client_cells) return false;
  auto size = cell.matchers.size();
  for (const auto position : cell.items) size += parts_[position];
  if (!size_.take(size)) return false;
  cells.push_back(std::move(cell));
  return true;
}

ClientPartition partition_clients(const std::vector<ClientItem>& low_to_high, PartitionView view) {
  ClientPartition out;
  const TagNumbers numbers(low_to_high);
  if (low_to_high.size() > limits::client_items || numbers.keys() > limits::client_keys) {
    out.is_complete = false;
    out.notes.emplace_back(too_many_note);
    return out;
  }
  Cutting cutting{low_to_high, {}, view, {}, {}};
  cutting.parts.reserve(low_to_high.size());
  for (const auto& item : low_to_high) cutting.parts.push_back(item.conf == nullptr ? 1 : parts_of(*item.conf));
  MergeBudget whole(limits::merged_parts);  // components add up
  for (const auto& component : components_of(low_to_high, numbers)) {
    const auto before = cutting.cells.size();
    if (!cut(component, cutting)) out.is_complete = false;
    for (auto i = before; i < cutting.cells.size(); ++i) {
      if (!whole.take(cutting.cells[i].matchers.size() + cutting.cells[i].items.size())) out.is_complete = false;
    }
    if (out.is_complete) continue;
    cutting.notes.insert(too_many_note);
    break;
  }
  out.notes.assign(cutting.notes.begin(), cutting.notes.end());
  if (!out.is_complete) return out;
  std::sort(cutting.cells.begin(), cutting.cells.end(), stands_before);
  for (auto& cell : cutting.cells) {
    ClientCell spelled{{}, std::move(cell.items)};
    for (const auto& [tag, negative] : cell.matchers) spelled.matchers.push_back(numbers.matcher(tag, negative));
    out.cells.push_back(std::move(spelled));
  }
  return out;
}

}  // namespace kdsd::policy
