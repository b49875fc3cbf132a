// What the index tells followers of the log.
#include "kds/index.h"

#include <gtest/gtest.h>

namespace kdsd::kds {
namespace {

class FollowedIndex : public testing::Test {
 protected:
  void put(const std::string& name) {
    Resource resource;
    resource.type = &type;
    resource.mesh = "default";
    resource.name = name;
    apply(name, std::make_shared<const Resource>(std::move(resource)));
  }
  void bury(const std::string& name) { apply(name, nullptr); }
  void erase(const std::string& name) { index.erase({&type, "default", name}); }

  // `+` for what is there, `-` for a tombstone, `x` for what is gone without one; `all` where too much was missed.
  std::string changes_since(const Index::Position& seen) const {
    const auto changes = index.changes_since(type, seen);
    if (!changes) return "all";
    std::string out;
    for (const auto& entry : changes->entries) out += (entry->resource ? "+" : "-") + entry->key.name + " ";
    for (const auto& key : changes->erased) out += "x" + key.name + " ";
    return out;
  }

  const ResourceType& type = *Catalogue::builtin().find("Dataplane");
  Index index{Catalogue::builtin()};

 private:
  void apply(const std::string& name, ResourcePtr resource) {
    auto entry = std::make_shared<Entry>();
    entry->key = {&type, "default", name};
    entry->revision = {++revision_};
    entry->resource = std::move(resource);
    entry->presences.push_back({entry->revision, {}, name, 0});
    index.apply(entry);
  }

  std::uint64_t revision_ = 0;
};

TEST_F(FollowedIndex, TellsOfEntriesAndOfWhatWentWithoutOne) {
  put("a");
  put("b");
  const auto start = index.position();
  EXPECT_EQ(changes_since(start), "");
  EXPECT_EQ(changes_since({}), "+a +b ");
  put("c");
  bury("a");
  erase("b");
  EXPECT_EQ(changes_since(start), "+c -a xb ");
  EXPECT_EQ(changes_since(index.position()), "");
}

TEST_F(FollowedIndex, PositionRisesWhenTheNewestIsErased) {
  put("a");
  put("b");
  const auto before = index.position();
  erase("b");
  EXPECT_GT(index.position(), before);
  EXPECT_EQ(changes_since(before), "xb ");
  erase("a");
  EXPECT_EQ(changes_since(before), "xb xa ") << "nothing of the type is left";
}

TEST_F(FollowedIndex, WhatWasErasedAndMadeAgainIsThere) {
  put("a");
  const auto start = index.position();
  erase("a");
  put("a");
  EXPECT_EQ(changes_since(start), "+a ");
  bury("a");
  EXPECT_EQ(changes_since(start), "-a ");
}

TEST_F(FollowedIndex, KeepsABoundedNumberOfErasedKeys) {
  const auto start = index.position();
  for (std::size_t i = 0; i < limits::erasures_kept; ++i) {
    put("p");
    erase("p");
  }
  EXPECT_NE(changes_since(start), "all");
  const auto first_missed = index.position();
  put("p");
  erase("p");
  EXPECT_EQ(changes_since(start), "all");
  EXPECT_EQ(changes_since(first_missed), "xp ");
}

TEST_F(FollowedIndex, WhoMissedADroppedTombstoneTakesEverything) {
  put("a");
  const auto start = index.position();
  bury("a");
  index.purge({&type, "default", "a"});
  EXPECT_EQ(changes_since(start), "all");
  EXPECT_EQ(changes_since(index.position()), "");
}

}  // namespace
}  // namespace kdsd::kds
