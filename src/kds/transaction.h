// A write in the making: what is stored, plus what this transaction and the earlier ones of the same commit changed.
//
// Pure; lives on the core executor while a commit is put together. Several transactions share one commit (group
// commit); each is taken whole or left out whole.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kds/index.h"
#include "model/resource.h"
#include "model/status.h"

namespace kdsd::kds {

// What a set of transactions changes, in the order in which keys were first touched.
struct Staged {
  struct Item {
    ResourcePtr resource;                   // null: removed
    bool audience_only = false;             // the content did not change, only who may have it is looked at again
    std::optional<ResourceKey> moved_from;  // stood under this key before
    bool moved_away = false;                // stands under another key from now on; leaves no tombstone
  };
  std::map<ResourceKey, Item> items;
  std::vector<ResourceKey> order;
  std::map<std::string, std::string> facts;
  // Names under which what is written is relayed, by type, mesh and that name: the index does not know them yet.
  std::map<std::tuple<const ResourceType*, std::string, std::string>, std::string> relayed;
  std::set<std::string> deleted_zones;  // by remove_with_dependents, even if a Zone of the name is there again

  void set(const ResourceKey& key, Item item);
  void merge(const Staged& other);
};

class Transaction {
 public:
  // Both must outlive the transaction.
  Transaction(const Index& index, const Staged& earlier, Timestamp now,
              const std::map<std::string, std::string>* facts = nullptr)
      : index_(index), earlier_(earlier), now_(now), facts_(facts) {}

  ResourcePtr find(const ResourceType& type, std::string_view mesh, std::string_view name) const;
  ResourcePtr find_by_wire_name(const ResourceType& type, std::string_view mesh, std::string_view wire_name) const;

  // Live resources that this transaction and the earlier ones of the same commit wrote.
  void each_staged(const ResourceType& type, const std::string& mesh, const Index::Visit& visit) const;

  // Live resources as this transaction sees them, sorted by mesh and name.
  std::vector<ResourcePtr> list(const ResourceType& type) const;
  std::vector<ResourcePtr> list_in_mesh(const ResourceType& type, std::string_view mesh) const;
  std::vector<ResourcePtr> list_of_source(const ResourceType& type, std::string_view source) const;

  // The stored name of what this commit has written so far and relays under that name; empty: there is none.
  std::string written_under(const ResourceType& type, const std::string& mesh, const std::string& wire_name) const;
  void note_relayed(const ResourceType& type, const std::string& mesh, const std::string& wire_name,
                    const std::string& name) {
    own_.relayed[{&type, mesh, wire_name}] = name;
  }

  // Creates or replaces. Times are set here: a replaced resource keeps its creation time. Returns whether it is new.
  bool put(Resource resource);
  void remove(const ResourceKey& key);
  // Puts a stored resource under another key of its type and mesh. Whoever holds it is told as of one change, under the
  // old wire name and the new one. Nothing live may stand under the new key; times stay as they are in `resource`.
  void move(const ResourceKey& from, Resource resource);
  // Looks again at who may have the resource (its zone was enabled or disabled).
  void touch(const ResourceKey& key);
  void set_fact(const std::string& name, const std::string& text);
  // As of the beginning of the commit; empty when there is none.
  std::string fact(const std::string& name) const;
  // A zone was deleted in this commit: what its streams sent before counts no more, even if a Zone of the name is there
  // again.
  void note_deleted_zone(const std::string& zone) { own_.deleted_zones.insert(zone); }
  bool was_zone_deleted(const std::string& zone) const {
    return own_.deleted_zones.contains(zone) || earlier_.deleted_zones.contains(zone);
  }

  const Catalogue& catalogue() const { return index_.catalogue(); }
  const Index& index() const { return index_; }
  Timestamp now() const { return now_; }
  const Staged& staged() const { return own_; }

 private:
  const Staged::Item* staged_item(const ResourceKey& key) const;
  std::vector<ResourcePtr> merge_list(const ResourceType& type, const std::function<void(const Index::Visit&)>& stored,
                                      const std::function<bool(const Resource&)>& wanted) const;

  const Index& index_;
  const Staged& earlier_;
  Staged own_;
  Timestamp now_;
  const std::map<std::string, std::string>* facts_;
};

// Removes a resource with everything that belongs to it (rest-api.md 6.7): a Mesh takes along what was created in it
// here, a Zone everything it sent and its insight. Copies in a deleted mesh stay until their sender withdraws them.
// Returns what was made here and went with its mesh.
std::vector<ResourceKey> remove_with_dependents(Transaction& transaction, const Resource& resource);

}  // namespace kdsd::kds
