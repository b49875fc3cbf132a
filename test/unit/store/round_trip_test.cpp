// What is committed is what is loaded, field for field.

#include <chrono>
#include <cstdio>
#include <sqlite3.h>
#include <sys/stat.h>

#include "store_support.h"

namespace kdsd::store::testing {
namespace {

struct Kind {
  const char* name;
  bool is_durable;
};

class StoreOfEitherKind : public ::testing::TestWithParam<Kind> {
 protected:
  void open() {
    if (!GetParam().is_durable) {
      store_ = open_memory_store();
      return;
    }
    store_.reset();
    auto opened = open_sqlite_store(options_for(directory_.file()));
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    store_ = std::move(*opened);
  }
  void reopen() {
    if (GetParam().is_durable) open();
  }
  std::string loaded() {
    auto loaded = store_->load();
    return loaded.ok() ? described(*loaded) : loaded.status().text();
  }
  void SetUp() override { open(); }

  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, StoreOfEitherKind, ::testing::Values(Kind{"Memory", false}, Kind{"Sqlite", true}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(StoreOfEitherKind, EmptyStoreHasAnIdentityAndNoEntries) {
  auto first = store_->load();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->store_id.size(), 32u);
  EXPECT_EQ(first->revision, Revision{});
  EXPECT_TRUE(first->entries.empty());
  reopen();
  EXPECT_EQ(store_->load()->store_id, first->store_id);
}

TEST_P(StoreOfEitherKind, EveryFieldComesBack) {
  using namespace std::string_literals;
  auto resource = std::make_shared<Resource>();
  resource->type = type("Secret");
  resource->mesh = "default";
  resource->name = "Ümläut \"quoted\" name"s;
  resource->labels = {{"", ""}, {"a", "with \"quotes\" \\ and \n and \0 inside"s}, {"b", "\xff no utf-8"s}};
  resource->spec = "\0\x01\xff binary \0"s;
  resource->status = "{\"x\":1}";
  resource->created = Timestamp{-1};
  resource->modified = Timestamp{INT64_MAX};
  resource->source = "east";
  resource->source_version = "v\0 1"s;
  auto entry = std::make_shared<Entry>();
  entry->key = resource->key();
  entry->revision = Revision{5};
  entry->presences = {{Revision{1}, {Audience::Kind::nobody, ""}, ""},
                      {Revision{2}, {Audience::Kind::everybody_but, "east"}, "wire \"1\""},
                      {Revision{4}, {Audience::Kind::only, ""}, "\xfe"},
                      {Revision{UINT64_MAX >> 1}, {Audience::Kind::everybody, ""}, "last"}};
  entry->resource = resource;
  Batch batch = batch_of({tombstone(3, "gone"), entry, live_entry(6, "", "")});
  batch.revision = Revision{9};
  batch.facts = {{"floor", "2"}, {"", ""}};
  ASSERT_TRUE(store_->commit(batch).ok());

  reopen();
  auto loaded = store_->load();
  ASSERT_TRUE(loaded.ok()) << loaded.status().text();
  ASSERT_EQ(loaded->entries.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(described(*loaded->entries[i]), described(*batch.upserts[i]));
    EXPECT_EQ(loaded->entries[i]->key, batch.upserts[i]->key);
  }
  EXPECT_EQ(loaded->entries[1]->presences, entry->presences);
  EXPECT_EQ(loaded->entries[1]->resource->labels, resource->labels);
  EXPECT_EQ(loaded->revision, Revision{9});
  EXPECT_EQ(loaded->facts, batch.facts);
}

TEST_P(StoreOfEitherKind, OnlyTheNewestEntryOfAKeyStays) {
  ASSERT_TRUE(store_->commit(batch_of({live_entry(1, "a", "old"), live_entry(2, "b")})).ok());
  ASSERT_TRUE(store_->commit(batch_of({live_entry(3, "a", "new"), tombstone(4, "b")})).ok());
  reopen();
  auto loaded = store_->load();
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->entries.size(), 2u);
  EXPECT_EQ(loaded->entries[0]->resource->spec, "new");
  EXPECT_EQ(loaded->entries[1]->resource, nullptr);
}

TEST_P(StoreOfEitherKind, PurgeForgetsKeysAndKeepsTheRevision) {
  ASSERT_TRUE(store_->commit(batch_of({live_entry(1, "a"), tombstone(2, "b"), live_entry(3, "c")})).ok());
  Batch purge;
  purge.purges = {tombstone(2, "b")->key, live_entry(3, "c")->key, live_entry(1, "never")->key};
  ASSERT_TRUE(store_->commit(purge).ok());
  reopen();
  auto loaded = store_->load();
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->entries.size(), 1u);
  EXPECT_EQ(loaded->entries[0]->key.name, "a");
  EXPECT_EQ(loaded->revision, Revision{3});
}

TEST_P(StoreOfEitherKind, KeyPurgedAndWrittenInOneBatchStays) {
  ASSERT_TRUE(store_->commit(batch_of({tombstone(1, "a")})).ok());
  Batch batch = batch_of({live_entry(2, "a")});
  batch.purges = {batch.upserts[0]->key};
  ASSERT_TRUE(store_->commit(batch).ok());
  reopen();
  EXPECT_EQ(store_->load()->entries.size(), 1u);
}

TEST_P(StoreOfEitherKind, FactIsReplacedByItsNewValue) {
  Batch batch;
  batch.facts = {{"floor", "1"}, {"other", "x"}};
  ASSERT_TRUE(store_->commit(batch).ok());
  batch.facts = {{"floor", "2"}};
  ASSERT_TRUE(store_->commit(batch).ok());
  reopen();
  EXPECT_EQ(loaded(), "revision 0\nfloor=2\nother=x\n");
}

TEST_P(StoreOfEitherKind, WrongBatchIsRefusedWhole) {
  ASSERT_TRUE(store_->commit(batch_of({live_entry(1, "a")})).ok());
  const std::string before = loaded();
  auto without_presence = std::make_shared<Entry>(*live_entry(3, "c"));
  without_presence->presences.clear();
  auto of_another_key = std::make_shared<Entry>(*live_entry(3, "c"));
  of_another_key->key.name = "d";
  for (const auto& entry : {EntryPtr(without_presence), EntryPtr(of_another_key), live_entry(2, "same"), EntryPtr()}) {
    Batch batch;
    batch.upserts = {live_entry(2, "b"), entry};
    EXPECT_EQ(store_->commit(batch).code(), Code::internal);
    EXPECT_EQ(loaded(), before);
  }
}

TEST(SqliteStore, RevisionThatAnotherKeyHasIsRefusedAndKeepsThatKey) {
  TemporaryDirectory directory;
  auto store = open_sqlite_store(options_for(directory.file()));
  ASSERT_TRUE(store.ok()) << store.status().text();
  ASSERT_TRUE((*store)->commit(batch_of({live_entry(1, "a")})).ok());
  EXPECT_EQ((*store)->commit(batch_of({live_entry(1, "b")})).code(), Code::internal);
  auto loaded = (*store)->load();
  ASSERT_EQ(loaded->entries.size(), 1u);
  EXPECT_EQ(loaded->entries[0]->key.name, "a");
}

TEST(SqliteStore, EntriesOfUnknownTypesAreCountedAndKept) {
  TemporaryDirectory directory;
  {
    auto store = open_sqlite_store(options_for(directory.file()));
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->commit(batch_of({live_entry(1, "a"), live_entry(2, "b", "{}", "MeshRetry")})).ok());
  }
  auto few = Catalogue::parse({});
  ASSERT_TRUE(few.ok()) << few.status().text();
  auto options = options_for(directory.file());
  options.catalogue = few->get();
  {
    auto store = open_sqlite_store(options);
    ASSERT_TRUE(store.ok());
    auto loaded = (*store)->load();
    ASSERT_TRUE(loaded.ok()) << loaded.status().text();
    EXPECT_TRUE(loaded->entries.empty());
    EXPECT_EQ(loaded->revision, Revision{2});
    EXPECT_EQ(loaded->facts[std::string(fact_unknown_types)], "2");
  }
  auto store = open_sqlite_store(options_for(directory.file()));
  auto loaded = (*store)->load();
  EXPECT_EQ(loaded->entries.size(), 2u);
  EXPECT_TRUE(loaded->facts.empty());
}

TEST(SqliteStore, OrderlyCloseLeavesOneFileAndItsLock) {
  TemporaryDirectory directory;
  {
    auto store = open_sqlite_store(options_for(directory.file()));
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->commit(batch_of({live_entry(1, "a")})).ok());
  }
  auto contents = contents_of(directory.path());
  EXPECT_EQ(contents.size(), 1u);
  EXPECT_TRUE(contents.contains("kdsd.db"));
}

TEST(SqliteStore, FileIsForItsOwnerOnly) {
  TemporaryDirectory directory;
  auto store = open_sqlite_store(options_for(directory.file()));
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE((*store)->commit(batch_of({live_entry(1, "a")})).ok());
  for (const auto& item : std::filesystem::directory_iterator(directory.path())) {
    EXPECT_EQ(static_cast<int>(item.status().permissions()), S_IRUSR | S_IWUSR) << item.path();
  }
}

TEST(SqliteStore, PathWithSpacesAndMarksWorks) {
  TemporaryDirectory directory;
  const std::string path = directory.file("großer Speicher?100%#1.db");
  {
    auto store = open_sqlite_store(options_for(path));
    ASSERT_TRUE(store.ok()) << store.status().text();
    ASSERT_TRUE((*store)->commit(batch_of({live_entry(1, "a")})).ok());
  }
  EXPECT_EQ(open_sqlite_store(options_for(path)).value()->load()->entries.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(SqliteStore, AnotherProgramMayReadWhileTheStoreIsOpen) {
  TemporaryDirectory directory;
  auto store = open_sqlite_store(options_for(directory.file()));
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE((*store)->commit(batch_of({live_entry(1, "a")})).ok());
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open_v2(directory.file().c_str(), &reader, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(reader, "BEGIN; SELECT * FROM entries", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_TRUE((*store)->commit(batch_of({live_entry(2, "b")})).ok());
  sqlite3_close(reader);
}

TEST(SqliteStore, LogStaysSmallUnderManyAndLargeCommits) {
  TemporaryDirectory directory;
  auto store = open_sqlite_store(options_for(directory.file()));
  ASSERT_TRUE(store.ok());
  const std::string spec(100'000, 'x');
  std::uint64_t revision = 0;
  std::uintmax_t largest = 0;
  for (int i = 0; i < 40; ++i) {
    std::vector<EntryPtr> entries;
    for (int k = 0; k < 20; ++k) entries.push_back(live_entry(++revision, "n" + std::to_string(k), spec));
    ASSERT_TRUE((*store)->commit(batch_of(std::move(entries))).ok());
    largest = std::max(largest, std::filesystem::file_size(directory.file() + "-wal"));
  }
  EXPECT_LT(largest, 32u << 20);
  std::vector<EntryPtr> many;
  for (int k = 0; k < 300; ++k) many.push_back(live_entry(++revision, "m" + std::to_string(k), spec));
  ASSERT_TRUE((*store)->commit(batch_of(std::move(many))).ok());
  EXPECT_EQ(std::filesystem::file_size(directory.file() + "-wal"), 0u);
}

TEST(SqliteStore, FiftyThousandEntriesComeBackInOrder) {
  constexpr std::uint64_t count = 50'000;
  TemporaryDirectory directory;
  {
    auto store = open_sqlite_store(options_for(directory.file()));
    ASSERT_TRUE(store.ok());
    std::vector<EntryPtr> entries;
    for (std::uint64_t i = 1; i <= count; ++i) entries.push_back(live_entry(i, "entry-" + std::to_string(i)));
    ASSERT_TRUE((*store)->commit(batch_of(std::move(entries))).ok());
  }
  const auto begin = std::chrono::steady_clock::now();
  auto store = open_sqlite_store(options_for(directory.file()));
  ASSERT_TRUE(store.ok());
  auto loaded = (*store)->load();
  ASSERT_TRUE(loaded.ok());
  const auto taken = std::chrono::steady_clock::now() - begin;
  std::printf("open and load of %d entries: %lld ms\n", static_cast<int>(count),
              static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(taken).count()));
  ASSERT_EQ(loaded->entries.size(), count);
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(loaded->entries[i]->revision.value, i + 1);
}

}  // namespace
}  // namespace kdsd::store::testing
