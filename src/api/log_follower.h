// Follows the change log for something that is made of whole types and kept between requests: says what has changed
// since the last look, and hands each change over once.
//
// Not thread safe, but for `changes_since`: it reads only what never changes, runs on the core executor and takes
// shared pointers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kds/index.h"

namespace kdsd::api {

class LogFollower {
 public:
  using Position = kds::Index::Position;

  struct Changes {
    Position position;                                              // what they lead to
    std::map<const ResourceType*, std::vector<ResourcePtr>> whole;  // types of which everything was taken
    std::vector<EntryPtr> entries;                                  // of the others, in the order of revisions
    std::vector<ResourceKey> erased;                                // likewise: gone without an entry
  };

  struct Receiver {
    std::function<void(const ResourcePtr&)> put;  // new, or another version
    std::function<void(const ResourceType&, const std::string& mesh, const std::string& name)> remove;
  };

  // Types taken as a whole are handed over in this order.
  explicit LogFollower(std::vector<const ResourceType*> types) : types_(std::move(types)) {}

  const std::vector<const ResourceType*>& types() const { return types_; }
  // Nothing before the first look.
  const std::optional<Position>& position() const { return position_; }
  Changes changes_since(const kds::Index& index, const std::optional<Position>& position) const;
  // What is known already is not handed over again.
  void apply(const Changes& changes, const Receiver& receiver);

 private:
  using Name = std::pair<std::string, std::string>;  // mesh, name

  bool is_new(const ResourcePtr& resource) const;
  void put(const ResourcePtr& resource, const Receiver& receiver);
  void remove(const ResourceType& type, const Name& name, const Receiver& receiver);
  void take_whole(const ResourceType& type, const std::vector<ResourcePtr>& resources, const Receiver& receiver);

  const std::vector<const ResourceType*> types_;
  std::optional<Position> position_;
  std::map<const ResourceType*, std::map<Name, ResourcePtr>> known_;
};

}  // namespace kdsd::api
