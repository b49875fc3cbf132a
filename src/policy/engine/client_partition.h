// Clients, told apart by their tags: cells that do not overlap and cover every client that some item covers
// (policy-semantics.md 8.5).
//
// Pure and deterministic. There are three ways to cut, each an exact partition; they differ in how many cells come out:
// - full: per component of items that share clients, the product of the values of all keys;
// - compact: a decision tree that tests a key only where an item still depends on it;
// - decisive: a tree that also stops where a higher item leaves nothing of the lower ones; such items are not listed.
// Where no way ends within `limits::client_cells`, there is no partition of bearable size, and the result says so.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "model/labels.h"

namespace kdsd::policy {

namespace limits {
inline constexpr std::size_t full_cells = 1'024;    // of one component; beyond it the compact way is taken
inline constexpr std::size_t client_cells = 4'096;  // of one component, in any way: a filter of Envoy has to hold them
inline constexpr std::size_t client_items = 2'000;  // items are compared in pairs to find components
inline constexpr std::size_t client_keys = 1'000;   // distinct ones; a tree may be as deep
}  // namespace limits

// A group of clients and what holds for it. A client has at most one value of a key.
struct ClientItem {
  Labels tags;  // a client is covered when it has all of them; none: everybody
  const boost::json::value* conf = nullptr;
};

struct TagMatcher {
  std::string key;
  std::string value;
  bool negative = false;
  friend bool operator==(const TagMatcher&, const TagMatcher&) = default;
};

struct ClientCell {
  std::vector<TagMatcher> matchers;  // by key and value in byte order
  std::vector<std::size_t> items;    // positions of the covering items, rising
};

enum class PartitionView { automatic, full, compact };

struct ClientPartition {
  std::vector<ClientCell> cells;   // in the order of 8.5: the more positive matchers, the earlier
  bool is_complete = true;         // false: too many cells, and there are none
  std::vector<std::string> notes;  // where another view than the full one was taken
};

// `low_to_high`: items in the order of their priority.
ClientPartition partition_clients(const std::vector<ClientItem>& low_to_high,
                                  PartitionView view = PartitionView::automatic);

}  // namespace kdsd::policy
