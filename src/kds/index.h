// The current state and the change log of one control plane, in memory: the newest entry of every key, findable by key,
// by revision, by sender and by wire name. All reads and all streams are served from here.
//
// Pure; not thread safe: the core executor owns it. Entries are shared and immutable, so results may leave that thread.
// design.md "A change's way", steps 3 and 4.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/resource.h"

namespace kdsd::kds {

namespace limits {
// Of one type: what a follower may have missed before it has to take everything again; a minute of a busy mesh.
inline constexpr std::size_t erasures_kept = 4'096;
}  // namespace limits

class Index {
 public:
  using Visit = std::function<void(const ResourcePtr&)>;

  // How much of the log a follower has seen. Never falls, whatever is removed: a later state has a greater one.
  struct Position {
    Revision head;
    std::uint64_t erasures = 0;
    auto operator<=>(const Position&) const = default;
  };
  // What became of a type since a position.
  struct Changes {
    std::vector<EntryPtr> entries;    // in the order of revisions
    std::vector<ResourceKey> erased;  // gone without an entry, and not there again
  };

  // `catalogue` must outlive the index.
  explicit Index(const Catalogue& catalogue);

  // Replaces the newest entry of its key. Revisions rise from call to call.
  void apply(const EntryPtr& entry);
  // Forgets a tombstone; cursors below its revision need the full state from then on.
  void purge(const ResourceKey& key);
  // Forgets a key altogether; for resources that nobody else could ever have, and for keys of what was moved.
  void erase(const ResourceKey& key);
  void set_floor(const ResourceType& type, Revision floor);
  void set_head(Revision head);

  EntryPtr find_entry(const ResourceKey& key) const;  // live or tombstone
  ResourcePtr find(const ResourceType& type, std::string_view mesh, std::string_view name) const;
  // The live resource that has this name everywhere but at home.
  ResourcePtr find_by_wire_name(const ResourceType& type, std::string_view mesh, std::string_view wire_name) const;

  // Live resources in the order of lists (mesh, name); of one mesh only, or of one sender only.
  void each(const ResourceType& type, const Visit& visit) const;
  void each_in_mesh(const ResourceType& type, std::string_view mesh, const Visit& visit) const;
  void each_of_source(const ResourceType& type, std::string_view source, const Visit& visit) const;

  // Live resources that only receivers with a store of their own get (feature_bit::own_store); nearly always none.
  void each_for_own_stores(const ResourceType& type, const std::function<void(const Entry&)>& visit) const;

  // The next entry of the type after a revision, live or tombstone; null at the end.
  EntryPtr next_after(const ResourceType& type, Revision after) const;

  // For followers that keep something made of a whole type. Nothing: too much has happened since, take all of it.
  Position position() const { return {head_, erasures_}; }
  std::optional<Changes> changes_since(const ResourceType& type, const Position& seen) const;

  std::size_t count(const ResourceType& type) const;
  std::size_t count(const ResourceType& type, std::string_view mesh) const;
  std::size_t tombstones(const ResourceType& type) const;
  // Tombstones, oldest first, at most `limit`.
  std::vector<EntryPtr> oldest_tombstones(const ResourceType& type, std::size_t limit) const;

  Revision head() const { return head_; }
  Revision head(const ResourceType& type) const;   // newest entry of the type
  Revision floor(const ResourceType& type) const;  // cursors below it need the full state
  const Catalogue& catalogue() const { return catalogue_; }

 private:
  struct KeyView {
    std::string_view mesh;
    std::string_view name;
  };
  struct ByKey {
    using is_transparent = void;
    static KeyView view(const EntryPtr& entry) { return {entry->key.mesh, entry->key.name}; }
    static KeyView view(const KeyView& key) { return key; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      auto left = view(a);
      auto right = view(b);
      if (int order = left.mesh.compare(right.mesh); order != 0) return order < 0;
      return left.name < right.name;
    }
  };
  using Entries = std::set<EntryPtr, ByKey>;

  struct Erasure {
    std::uint64_t number = 0;
    ResourceKey key;
  };

  struct TypeState {
    Entries entries;
    std::map<std::uint64_t, EntryPtr> log;  // by revision
    std::map<std::uint64_t, EntryPtr> tombstones;
    std::unordered_map<std::string, EntryPtr> by_wire_name;
    std::map<std::string, Entries, std::less<>> by_source;
    Entries for_own_stores;
    std::map<std::string, std::size_t, std::less<>> live_by_mesh;
    std::size_t live = 0;
    Revision floor;
    std::deque<Erasure> erasures;  // the newest ones, oldest first
    std::uint64_t forgotten = 0;   // number of the newest one that is not kept any more
  };

  static std::string wire_key(std::string_view mesh, std::string_view wire_name);
  TypeState& state(const ResourceType& type);
  const TypeState* state_if(const ResourceType& type) const;
  static void forget(TypeState& state, const EntryPtr& entry);

  const Catalogue& catalogue_;
  std::map<const ResourceType*, TypeState> types_;
  Revision head_;
  std::uint64_t erasures_ = 0;  // of all types
};

}  // namespace kdsd::kds
