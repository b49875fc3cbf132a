// Failing disks: whatever operation fails, the store holds its old or its new state, whole, and works again afterwards.

#include "faulty_vfs.h"
#include "store_support.h"

namespace kdsd::store::testing {
namespace {

constexpr std::uint64_t too_many_operations = 5'000;

Batch old_batch() {
  Batch batch = batch_of({live_entry(1, "a", "old"), live_entry(2, "b"), tombstone(3, "c"), tombstone(4, "d")});
  batch.facts = {{"floor", "1"}};
  return batch;
}

Batch new_batch() {
  Batch batch = batch_of({live_entry(5, "a", "new"), tombstone(6, "b"), live_entry(7, "c", std::string(20'000, 'x'))});
  batch.purges = {tombstone(4, "d")->key};
  batch.facts = {{"floor", "2"}};
  return batch;
}

class StoreOnAFailingDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    TemporaryDirectory directory;
    old_state_ = commit_and_describe(directory.file(), old_batch());
    old_bytes_ = bytes_of(directory.file());
    new_state_ = commit_and_describe(directory.file(), new_batch());
    ASSERT_NE(old_state_, new_state_);
  }

  static std::string commit_and_describe(const std::string& path, const Batch& batch) {
    auto store = open_sqlite_store(options_for(path));
    if (!store.ok()) return store.status().text();
    EXPECT_TRUE((*store)->commit(batch).ok());
    return described(*(*store)->load());
  }

  // One life of a store in which operation n fails; true if there was such an operation.
  bool run_with_failure_at(std::uint64_t n, FaultyVfs::Fault fault, bool is_lasting) {
    TemporaryDirectory directory;
    write_bytes(directory.file(), old_bytes_);
    bool is_acknowledged = false;
    bool has_failed = false;
    {
      FaultyVfs disk;
      disk.fail_nth(n, fault, is_lasting);
      if (auto store = open_sqlite_store(options_for(directory.file())); store.ok()) {
        auto status = (*store)->commit(new_batch());
        is_acknowledged = status.ok();
        if (!status.ok()) expect_clear(status, fault, directory.file());
        auto loaded = (*store)->load();
        if (loaded.ok()) {
          EXPECT_EQ(described(*loaded), is_acknowledged ? new_state_ : old_state_);
        }
        store->reset();
      } else {
        EXPECT_NE(store.status().message().find(directory.file()), std::string::npos) << store.status().text();
      }
      has_failed = disk.has_failed();
    }
    const std::string stored = stored_in(directory.file());
    EXPECT_TRUE(stored == new_state_ || (!is_acknowledged && stored == old_state_))
        << "operation " << n << ", acknowledged " << is_acknowledged << ":\n"
        << stored;
    return has_failed;
  }

  static void expect_clear(const Status& status, FaultyVfs::Fault fault, const std::string& path) {
    EXPECT_EQ(status.code(), fault == FaultyVfs::Fault::disk_full ? Code::exhausted : Code::unavailable)
        << status.text();
    EXPECT_NE(status.message().find(path), std::string::npos) << status.text();
  }

  void run_until_nothing_fails(FaultyVfs::Fault fault, bool is_lasting) {
    std::uint64_t n = 1;
    while (run_with_failure_at(n, fault, is_lasting) && !HasFailure()) ASSERT_LT(++n, too_many_operations);
    EXPECT_GT(n, 20u) << "too few operations were seen";
  }

  std::string old_state_, new_state_, old_bytes_;
};

TEST_F(StoreOnAFailingDisk, AnySingleErrorLeavesTheOldOrTheNewState) {
  run_until_nothing_fails(FaultyVfs::Fault::io_error, false);
}

TEST_F(StoreOnAFailingDisk, AnErrorThatStaysLeavesTheOldOrTheNewState) {
  run_until_nothing_fails(FaultyVfs::Fault::io_error, true);
}

TEST_F(StoreOnAFailingDisk, DiskThatIsFullForAMomentLeavesTheOldOrTheNewState) {
  run_until_nothing_fails(FaultyVfs::Fault::disk_full, false);
}

TEST_F(StoreOnAFailingDisk, DiskThatStaysFullLeavesTheOldOrTheNewState) {
  run_until_nothing_fails(FaultyVfs::Fault::disk_full, true);
}

TEST_F(StoreOnAFailingDisk, CommitSucceedsWhenTheCauseOfItsFailureIsGone) {
  for (const auto fault : {FaultyVfs::Fault::io_error, FaultyVfs::Fault::disk_full}) {
    bool has_failed = true;
    for (std::uint64_t n = 1; has_failed; ++n) {
      ASSERT_LT(n, too_many_operations);
      TemporaryDirectory directory;
      write_bytes(directory.file(), old_bytes_);
      FaultyVfs disk;
      auto store = open_sqlite_store(options_for(directory.file()));
      ASSERT_TRUE(store.ok());
      disk.fail_nth(n, fault, true);
      auto status = (*store)->commit(new_batch());
      has_failed = disk.has_failed();
      disk.heal();
      if (!status.ok()) {
        EXPECT_EQ(described(*(*store)->load()), old_state_);
        status = (*store)->commit(new_batch());
      }
      EXPECT_TRUE(status.ok()) << status.text();
      EXPECT_EQ(described(*(*store)->load()), new_state_);
    }
  }
}

TEST_F(StoreOnAFailingDisk, FailedReadIsAnErrorAndNeverAPart) {
  TemporaryDirectory directory;
  std::vector<EntryPtr> entries;
  for (std::uint64_t i = 1; i <= 400; ++i) entries.push_back(live_entry(i, "entry-" + std::to_string(i)));
  const std::string whole = commit_and_describe(directory.file(), batch_of(std::move(entries)));
  bool has_failed = true;
  int refused_loads = 0;
  for (std::uint64_t n = 1; has_failed; ++n) {
    ASSERT_LT(n, too_many_operations);
    FaultyVfs disk;
    disk.fail_nth_read(n);
    if (auto store = open_sqlite_store(options_for(directory.file())); store.ok()) {
      auto loaded = (*store)->load();
      if (loaded.ok()) {
        EXPECT_EQ(described(*loaded), whole);
      } else {
        ++refused_loads;
      }
    }
    has_failed = disk.has_failed();
  }
  EXPECT_GT(refused_loads, 5);
}

TEST_F(StoreOnAFailingDisk, FailedCreationLeavesNoStoreAndCanBeRepeated) {
  bool has_failed = true;
  for (std::uint64_t n = 1; has_failed; ++n) {
    ASSERT_LT(n, too_many_operations);
    TemporaryDirectory directory;
    {
      FaultyVfs disk;
      disk.fail_nth(n, FaultyVfs::Fault::disk_full, true);
      (void)open_sqlite_store(options_for(directory.file()));
      has_failed = disk.has_failed();
    }
    EXPECT_EQ(stored_in(directory.file()), "revision 0\n") << "operation " << n;
  }
}

TEST_F(StoreOnAFailingDisk, CommitSyncsOnce) {
  TemporaryDirectory directory;
  FaultyVfs disk;
  auto store = open_sqlite_store(options_for(directory.file()));
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE((*store)->commit(batch_of({live_entry(1, "a")})).ok());  // begins the log, which costs one more
  const auto before = disk.syncs();
  for (std::uint64_t i = 2; i <= 11; ++i) ASSERT_TRUE((*store)->commit(batch_of({live_entry(i, "a")})).ok());
  EXPECT_EQ(disk.syncs() - before, 10u);
}

TEST_F(StoreOnAFailingDisk, PowerCutLosesNothingAcknowledged) {
  for (std::uint32_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    TemporaryDirectory directory;
    write_bytes(directory.file(), old_bytes_);
    std::uint64_t acknowledged = 4;
    std::map<std::uint64_t, std::string> states = {{4, old_state_}};
    {
      FaultyVfs disk;
      auto store = open_sqlite_store(options_for(directory.file()));
      ASSERT_TRUE(store.ok());
      disk.cut_power_at(1 + random() % 6'000);
      auto mirror = open_memory_store();
      ASSERT_TRUE(mirror->commit(old_batch()).ok());
      for (std::uint64_t revision = 5; revision < 60; ++revision) {
        // Some are large, so that checkpoints happen meanwhile.
        const std::size_t size = random() % 4 == 0 ? 400'000 : 50;
        Batch batch = batch_of({live_entry(revision, "n" + std::to_string(random() % 5),
                                           std::string(size, static_cast<char>('a' + revision % 26)))});
        ASSERT_TRUE(mirror->commit(batch).ok());
        states[revision] = described(*mirror->load());
        if (!(*store)->commit(batch).ok()) break;
        acknowledged = revision;
      }
      disk.cut_power_at(1);
      store->reset();
      disk.restart(random);
    }
    auto store = open_sqlite_store(options_for(directory.file()));
    ASSERT_TRUE(store.ok()) << store.status().text();
    auto loaded = (*store)->load();
    ASSERT_TRUE(loaded.ok()) << loaded.status().text();
    const std::uint64_t found = loaded->revision.value;
    EXPECT_TRUE(found == acknowledged || found == acknowledged + 1) << found << " of " << acknowledged;
    EXPECT_TRUE(described(*loaded) == states[found]);
  }
}

}  // namespace
}  // namespace kdsd::store::testing
