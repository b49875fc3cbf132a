// Resolving references without holding the store meanwhile: what will be asked is noted first, answered in one go, and
// looked up in the answers then.
//
// Pure values; each object is used by one thread at a time. The answers are shared pointers to immutable resources.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "policy/resolve.h"

namespace kdsd::policy {

// Every question that a lookup was asked.
class ObjectQuestions {
 public:
  struct OfKind {
    const ResourceType* kind = nullptr;
    std::string mesh;
    auto operator<=>(const OfKind&) const = default;
  };

  // A lookup that finds nothing and notes what it was asked. `this` must outlive it.
  ObjectLookup noting();

  const std::map<OfKind, std::set<std::string>>& named() const { return named_; }
  const std::set<OfKind>& all() const { return all_; }

 private:
  std::map<OfKind, std::set<std::string>> named_;
  std::set<OfKind> all_;
};

class ObjectAnswers {
 public:
  void add_named(const ObjectQuestions::OfKind& kind, const std::string& name, ResourcePtr object);
  void add(const ObjectQuestions::OfKind& kind, ResourcePtr object);
  // Takes the place of what is stored under its key; `name` is its canonical name. For documents that are about to be
  // written.
  void overlay(const std::string& name, ResourcePtr object);

  // A lookup over what was added. `this` must outlive it.
  ObjectLookup lookup() const;

 private:
  using Objects = std::vector<ResourcePtr>;
  bool is_replaced(const Resource& object) const;

  std::map<std::pair<ObjectQuestions::OfKind, std::string>, Objects> named_;
  std::map<ObjectQuestions::OfKind, Objects> all_;
  std::map<std::pair<ObjectQuestions::OfKind, std::string>, Objects> planned_;  // by canonical name
  std::map<ResourceKey, ResourcePtr> replaced_;
};

}  // namespace kdsd::policy
