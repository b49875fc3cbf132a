// The two decision trees of the partition of clients.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "policy/engine/client_items.h"
#include "policy/engine/conf.h"
#include "policy/engine/route_conf.h"

namespace kdsd::policy {
namespace {

using Matchers = std::vector<std::pair<NumberedTag, bool>>;

// Tests the smallest key that some item still depends on; keys are tested in rising order, so what an item still needs
// is the rest of its tags.
class CompactTree {
 public:
  CompactTree(const Component& component, CellList& cells) : component_(component), cells_(cells) {}

  bool run() {
    std::vector<Alive> all;
    for (std::size_t i = 0; i < component_.size(); ++i) all.push_back({i, 0});
    return build(all);
  }

 private:
  struct Alive {
    std::size_t item = 0;    // in the component
    std::size_t tested = 0;  // tags of it that the cell has
  };
  using AliveItems = std::vector<Alive>;

  const std::vector<NumberedTag>& tags(const Alive& alive) const { return component_[alive.item].tags; }
  bool is_certain(const Alive& alive) const { return alive.tested == tags(alive).size(); }

  bool build(const AliveItems& alive) {
    if (!steps_.take(alive.size() + 1)) return false;
    std::optional<std::uint32_t> key;
    for (const auto& each : alive) {
      if (!is_certain(each) && (!key || tags(each)[each.tested].key < *key)) key = tags(each)[each.tested].key;
    }
    if (!key) return alive.empty() || emit(alive);

    std::map<std::uint32_t, AliveItems> with_value;
    AliveItems without;
    for (const auto& each : alive) {
      const bool depends = !is_certain(each) && tags(each)[each.tested].key == *key;
      if (depends) {
        with_value[tags(each)[each.tested].value];
      } else {
        without.push_back(each);
      }
    }
    for (auto& [value, items] : with_value) {
      if (!steps_.take(alive.size())) return false;
      items = branch(alive, {*key, value});
      path_.emplace_back(NumberedTag{*key, value}, false);
      const bool fits = build(items);
      path_.pop_back();
      if (!fits) return false;
    }
    for (const auto& [value, items] : with_value) path_.emplace_back(NumberedTag{*key, value}, true);
    const bool fits = build(without);
    path_.resize(path_.size() - with_value.size());
    return fits;
  }

  AliveItems branch(const AliveItems& alive, NumberedTag tag) const {
    AliveItems out;
    for (auto each : alive) {
      if (!is_certain(each) && tags(each)[each.tested].key == tag.key) {
        if (tags(each)[each.tested].value != tag.value) continue;
        ++each.tested;
      }
      out.push_back(each);
    }
    return out;
  }

  bool emit(const AliveItems& alive) {
    NumberedCell cell{path_, {}};
    for (const auto& each : alive) cell.items.push_back(component_[each.item].position);
    return cells_.add(std::move(cell));
  }

  const Component& component_;
  CellList& cells_;
  Matchers path_;
  MergeBudget steps_{limits::tree_steps};
};

// Tests what the highest undecided item asks for, one tag at a time, and forgets items of which a higher one leaves
// nothing. With confs of one field this is the list of items from high to low, written without overlaps.
class DecisiveTree {
 public:
  DecisiveTree(const Component& component, const std::vector<ClientItem>& items, CellList& cells)
      : component_(component), cells_(cells) {
    std::map<std::string, std::size_t> known;
    for (const auto& item : component_) {
      const auto& conf = *items[item.position].conf;
      const auto [it, is_new] = known.emplace(canonical_text(conf), confs_.size());
      if (is_new) confs_.push_back(&conf);
      conf_of_.push_back(it->second);
    }
  }

  bool run() {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < component_.size(); ++i) all.push_back(i);
    return build(all);
  }

 private:
  using Items = std::vector<std::size_t>;  // positions in the component, rising

  bool is_known(NumberedTag tag) const {
    const auto it = positive_.find(tag.key);
    return it != positive_.end() && it->second == tag.value;
  }

  bool is_dead(const NumberedItem& item) const {
    return std::any_of(item.tags.begin(), item.tags.end(), [&](NumberedTag tag) {
      const auto it = positive_.find(tag.key);
      return it != positive_.end() ? it->second != tag.value : negated_.contains(tag);
    });
  }

  bool override_each_other(std::size_t higher, std::size_t lower) {
    const auto [it, is_new] = overrides_.emplace(std::pair(conf_of_[higher], conf_of_[lower]), false);
    if (is_new) it->second = overrides(*confs_[conf_of_[higher]], *confs_[conf_of_[lower]]);
    return it->second;
  }

  // What is left of the items in this cell, and the first tag that decides about the highest of them that needs one.
  Items undecided(const Items& items, std::optional<NumberedTag>& test) {
    Items kept;
    Items certain;
    for (auto it = items.rbegin(); it != items.rend(); ++it) {
      const auto& item = component_[*it];
      if (!steps_.take(1 + 2 * item.tags.size() + certain.size())) return {};
      if (is_dead(item)) continue;
      if (std::any_of(certain.begin(), certain.end(), [&](auto higher) { return override_each_other(higher, *it); })) {
        continue;
      }
      kept.push_back(*it);
      const auto open = std::find_if(item.tags.begin(), item.tags.end(), [&](auto tag) { return !is_known(tag); });
      if (open == item.tags.end()) {
        certain.push_back(*it);
      } else if (!test) {
        test = *open;
      }
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
  }

  bool build(const Items& items) {
    std::optional<NumberedTag> test;
    const auto kept = undecided(items, test);
    if (steps_.is_spent()) return false;
    if (!test) return kept.empty() || emit(kept);
    positive_[test->key] = test->value;
    bool fits = build(kept);
    positive_.erase(test->key);
    if (!fits) return false;
    negated_.insert(*test);
    fits = build(kept);
    negated_.erase(*test);
    return fits;
  }

  bool emit(const Items& kept) {
    NumberedCell cell;
    for (const auto& [key, value] : positive_) cell.matchers.emplace_back(NumberedTag{key, value}, false);
    for (const auto tag : negated_) {
      if (!positive_.contains(tag.key)) cell.matchers.emplace_back(tag, true);
    }
    std::sort(cell.matchers.begin(), cell.matchers.end());
    for (const auto item : kept) cell.items.push_back(component_[item].position);
    return cells_.add(std::move(cell));
  }

  const Component& component_;
  CellList& cells_;
  MergeBudget steps_{limits::tree_steps};
  std::vector<const boost::json::value*> confs_;  // distinct ones
  std::vector<std::size_t> conf_of_;              // of each item
  std::map<std::pair<std::size_t, std::size_t>, bool> overrides_;
  std::map<std::uint32_t, std::uint32_t> positive_;  // value of each key that is known
  std::set<NumberedTag> negated_;
};

}  // namespace

bool cut_compact(const Component& component, CellList& cells) { return CompactTree(component, cells).run(); }

bool cut_decisive(const Component& component, const std::vector<ClientItem>& items, CellList& cells) {
  return DecisiveTree(component, items, cells).run();
}

}  // namespace kdsd::policy
