// Processes that end by kill -9, and two processes that want one file.

#include <random>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_support.h"

namespace kdsd::store::testing {
namespace {

constexpr std::uint64_t names = 7;

std::string spec_of(std::uint64_t revision) {
  // A large one now and then, so that checkpoints happen while the process may be killed.
  return std::to_string(revision) + std::string(revision % 10 == 0 ? 200'000 : 10, 'x');
}

// Runs `body` in a process of its own, with the end of a pipe to write to.
class Child {
 public:
  template <typename Body>
  explicit Child(Body body) {
    int ends[2];
    if (::pipe(ends) != 0) ::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      body(ends[1]);
      ::_exit(0);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill();
    ::close(pipe_);
  }

  pid_t pid() const { return pid_; }
  // The next number it reported; false at the end.
  bool next(std::uint64_t& number) { return ::read(pipe_, &number, sizeof number) == sizeof number; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
  int pipe_ = -1;
};

void report(int pipe, std::uint64_t number) {
  if (::write(pipe, &number, sizeof number) != sizeof number) ::_exit(1);
}

void commit_for_ever(const std::string& path, int pipe) {
  auto store = open_sqlite_store(options_for(path));
  if (!store.ok()) return;
  auto loaded = (*store)->load();
  if (!loaded.ok()) return;
  for (std::uint64_t revision = loaded->revision.value + 1;; ++revision) {
    Batch batch = batch_of({live_entry(revision, std::to_string(revision % names), spec_of(revision))});
    if (!(*store)->commit(batch).ok()) return;
    report(pipe, revision);
  }
}

TEST(KilledStore, LosesNothingAcknowledged) {
  TemporaryDirectory directory;
  std::mt19937 random(20'240'117);
  std::uint64_t acknowledged = 0;
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    {
      Child child([&](int pipe) { commit_for_ever(directory.file(), pipe); });
      const auto patience = 1 + random() % 150;
      const auto before = acknowledged;
      while (acknowledged < before + patience) ASSERT_TRUE(child.next(acknowledged));
      child.kill();
      while (child.next(acknowledged)) continue;
    }
    auto store = open_sqlite_store(options_for(directory.file()));
    ASSERT_TRUE(store.ok()) << store.status().text();
    auto loaded = (*store)->load();
    ASSERT_TRUE(loaded.ok()) << loaded.status().text();
    const std::uint64_t found = loaded->revision.value;
    ASSERT_TRUE(found == acknowledged || found == acknowledged + 1) << found << " of " << acknowledged;
    acknowledged = found;
    ASSERT_EQ(loaded->entries.size(), std::min(names, found));
    for (const auto& entry : loaded->entries) {
      const std::uint64_t revision = entry->revision.value;
      EXPECT_GT(revision + names, found);
      EXPECT_EQ(entry->key.name, std::to_string(revision % names));
      EXPECT_TRUE(entry->resource->spec == spec_of(revision));
    }
  }
}

TEST(KilledStore, IsRefusedToAnotherPurposeWithItsLogUntouched) {
  TemporaryDirectory directory;
  {
    Child child([&](int pipe) {
      auto store = open_sqlite_store(options_for(directory.file()));
      if (store.ok() && (*store)->commit(batch_of({live_entry(1, "a")})).ok()) report(pipe, 1);
      ::pause();
    });
    std::uint64_t number = 0;
    ASSERT_TRUE(child.next(number));
  }
  const auto before = contents_of(directory.path());
  ASSERT_GT(before.at("kdsd.db-wal").size(), 0u);
  auto refused = open_sqlite_store(options_for(directory.file(), {"zone", "west", "universal"}));
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(check_sqlite_store(directory.file()).ok());
  EXPECT_EQ(inspect_sqlite_store(directory.file())->stored, 2);
  EXPECT_TRUE(contents_of(directory.path()) == before);
  EXPECT_EQ(open_sqlite_store(options_for(directory.file())).value()->load()->entries.size(), 1u);
}

TEST(KilledStore, DamagedBesideItsLogIsRefusedUntouched) {
  TemporaryDirectory directory;
  {
    Child child([&](int pipe) {
      auto store = open_sqlite_store(options_for(directory.file()));
      if (store.ok() && (*store)->commit(batch_of({live_entry(1, "a")})).ok()) report(pipe, 1);
      ::pause();
    });
    std::uint64_t number = 0;
    ASSERT_TRUE(child.next(number));
  }
  write_bytes(directory.file(), std::string(4096, 'x') + bytes_of(directory.file()).substr(4096));
  const auto before = contents_of(directory.path());
  auto refused = open_sqlite_store(options_for(directory.file()));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), Code::malformed);
  EXPECT_TRUE(contents_of(directory.path()) == before);
}

TEST(LockedStore, IsRefusedToASecondProcessUntilTheFirstEndsHoweverItEnds) {
  TemporaryDirectory directory;
  Child child([&](int pipe) {
    auto store = open_sqlite_store(options_for(directory.file()));
    if (store.ok() && (*store)->commit(batch_of({live_entry(1, "a")})).ok()) report(pipe, 1);
    ::pause();
  });
  std::uint64_t number = 0;
  ASSERT_TRUE(child.next(number));
  const auto before = contents_of(directory.path());
  auto second = open_sqlite_store(options_for(directory.file()));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), Code::unavailable);
  EXPECT_NE(second.status().message().find(directory.file()), std::string::npos) << second.status().text();
  EXPECT_NE(second.status().message().find("process " + std::to_string(child.pid())), std::string::npos)
      << second.status().text();
  EXPECT_FALSE(check_sqlite_store(directory.file()).ok());
  EXPECT_TRUE(contents_of(directory.path()) == before);
  child.kill();
  EXPECT_TRUE(open_sqlite_store(options_for(directory.file())).ok());
}

TEST(LockedStore, IsRefusedToASecondOpeningInTheSameProcess) {
  TemporaryDirectory directory;
  auto first = open_sqlite_store(options_for(directory.file()));
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(open_sqlite_store(options_for(directory.file())).ok());
  EXPECT_TRUE((*first)->commit(batch_of({live_entry(1, "a")})).ok());
}

TEST(LockedStore, IsTheSameStoreThroughALink) {
  TemporaryDirectory directory;
  auto first = open_sqlite_store(options_for(directory.file()));
  ASSERT_TRUE(first.ok());
  std::filesystem::create_symlink(directory.file(), directory.file("link.db"));
  EXPECT_FALSE(open_sqlite_store(options_for(directory.file("link.db"))).ok());
}

}  // namespace
}  // namespace kdsd::store::testing
