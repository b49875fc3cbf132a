#include "policy/engine/client_partition.h"

#include <algorithm>
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
  FullProduct(const Component& component, Choices choices, std::vector<NumberedCell>& cells)
      : component_(component), choices_(std::move(choices)), cells_(cells) {}

  void run() { descend(choices_.begin()); }

 private:
  void descend(Choices::const_iterator key) {
    if (key == choices_.end()) return emit();
    const auto next = std::next(key);
    for (const auto value : key->second) {
      matchers_.emplace_back(NumberedTag{key->first, value}, false);
      positive_.insert({key->first, value});
      descend(next);
      positive_.erase({key->first, value});
      matchers_.pop_back();
    }
    for (const auto value : key->second) matchers_.emplace_back(NumberedTag{key->first, value}, true);
    descend(next);
    matchers_.resize(matchers_.size() - key->second.size());
  }

  void emit() {
    NumberedCell cell{matchers_, {}};
    for (const auto& item : component_) {
      const bool covers =
          std::all_of(item.tags.begin(), item.tags.end(), [&](NumberedTag tag) { return positive_.contains(tag); });
      if (covers) cell.items.push_back(item.position);
    }
    if (!cell.items.empty()) cells_.push_back(std::move(cell));
  }

  const Component& component_;
  const Choices choices_;
  std::vector<NumberedCell>& cells_;
  std::vector<std::pair<NumberedTag, bool>> matchers_;
  std::set<NumberedTag> positive_;
};

// The smaller one of the two trees; false where both are too large.
bool cut_by_tree(const Component& component, const std::vector<ClientItem>& items, bool notes_compact,
                 std::vector<NumberedCell>& cells, std::set<std::string>& notes) {
  const bool is_compact = cut_compact(component, cells);
  if (is_compact && cells.size() <= limits::full_cells) {
    if (notes_compact) notes.insert(compact_note);
    return true;
  }
  std::vector<NumberedCell> decisive;
  if (cut_decisive(component, items, decisive) && (!is_compact || decisive.size() < cells.size())) {
    cells = std::move(decisive);
    notes.insert(decisive_note);
    return true;
  }
  notes.insert(is_compact ? compact_note : too_many_note);
  return is_compact;
}

// Appends the cells of one component.
bool cut(const Component& component, const std::vector<ClientItem>& items, PartitionView view,
         std::vector<NumberedCell>& cells, std::set<std::string>& notes) {
  auto choices = choices_of(component);
  std::vector<NumberedCell> own;
  if (view != PartitionView::compact && full_size(choices) <= limits::full_cells) {
    FullProduct(component, std::move(choices), own).run();
  } else if (!cut_by_tree(component, items, view != PartitionView::compact, own, notes)) {
    return false;
  }
  cells.insert(cells.end(), own.begin(), own.end());
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

ClientPartition partition_clients(const std::vector<ClientItem>& low_to_high, PartitionView view) {
  ClientPartition out;
  const TagNumbers numbers(low_to_high);
  if (low_to_high.size() > limits::client_items || numbers.keys() > limits::client_keys) {
    out.is_complete = false;
    out.notes.emplace_back(too_many_note);
    return out;
  }
  std::vector<NumberedCell> cells;
  std::set<std::string> notes;
  for (const auto& component : components_of(low_to_high, numbers)) {
    if (!cut(component, low_to_high, view, cells, notes)) out.is_complete = false;
  }
  out.notes.assign(notes.begin(), notes.end());
  if (!out.is_complete) return out;
  std::sort(cells.begin(), cells.end(), stands_before);
  for (auto& cell : cells) {
    ClientCell spelled{{}, std::move(cell.items)};
    for (const auto& [tag, negative] : cell.matchers) spelled.matchers.push_back(numbers.matcher(tag, negative));
    out.cells.push_back(std::move(spelled));
  }
  return out;
}

}  // namespace kdsd::policy
