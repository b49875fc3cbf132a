// Files that may not be opened are refused with their path and a way out, and stay as they are. Schema migrations.

#include <sqlite3.h>

#include "store/sqlite_file.h"
#include "store/sqlite_schema.h"

#include "store_support.h"

namespace kdsd::store::testing {
namespace {

constexpr std::size_t page_bytes = 4096;

void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

class RefusedStore : public ::testing::Test {
 protected:
  void make_store() {
    auto store = open_sqlite_store(options_for(path_));
    ASSERT_TRUE(store.ok()) << store.status().text();
    std::vector<EntryPtr> entries;
    for (std::uint64_t i = 1; i <= 100; ++i) entries.push_back(live_entry(i, "e" + std::to_string(i)));
    entries.push_back(live_entry(101, "large", std::string(20'000, 'x')));
    Batch batch = batch_of(std::move(entries));
    batch.facts = {{"floor", "1"}};
    ASSERT_TRUE((*store)->commit(batch).ok());
  }

  void expect_refused(const SqliteOptions& options, Code code, const std::string& words) {
    const auto before = contents_of(directory_.path());
    auto store = open_sqlite_store(options);
    ASSERT_FALSE(store.ok()) << words;
    EXPECT_EQ(store.status().code(), code) << store.status().text();
    EXPECT_NE(store.status().message().find(path_), std::string::npos) << store.status().text();
    EXPECT_NE(store.status().message().find(words), std::string::npos) << store.status().text();
    EXPECT_TRUE(contents_of(directory_.path()) == before) << store.status().text();
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.file();
};

TEST_F(RefusedStore, TextInPlaceOfTheFile) {
  write_bytes(path_,
              "not a database at all, but rather long so that it is longer than any header, really. And more of it.");
  expect_refused(options_for(path_), Code::malformed, "no SQLite database");
  EXPECT_FALSE(check_sqlite_store(path_).ok());
  EXPECT_FALSE(inspect_sqlite_store(path_).ok());
}

TEST_F(RefusedStore, EmptyFile) {
  write_bytes(path_, "");
  expect_refused(options_for(path_), Code::malformed, "the file is empty");
}

TEST_F(RefusedStore, DatabaseOfAnotherProgram) {
  run_sql(path_, "CREATE TABLE bookmarks (url TEXT)");
  expect_refused(options_for(path_), Code::malformed, "another program");
}

TEST_F(RefusedStore, BeginningOverwrittenByText) {
  make_store();
  std::string text;
  for (int i = 0; i < 200; ++i) text += "not a database at all";
  write_bytes(path_, text + bytes_of(path_).substr(text.size()));
  expect_refused(options_for(path_), Code::malformed, "no SQLite database");
}

TEST_F(RefusedStore, AnyPageOverwritten) {
  make_store();
  const std::string whole = bytes_of(path_);
  ASSERT_GT(whole.size(), 8 * page_bytes);
  for (std::size_t page = 0; page < whole.size(); page += page_bytes) {
    SCOPED_TRACE("page " + std::to_string(page / page_bytes + 1));
    for (const char filling : {'\xA5', 'x'}) {
      std::string damaged = whole;
      damaged.replace(page, page_bytes, page_bytes, filling);
      write_bytes(path_, damaged);
      expect_refused(options_for(path_), Code::malformed, "nothing was changed");
      EXPECT_EQ(check_sqlite_store(path_).code(), Code::malformed);
    }
  }
}

TEST_F(RefusedStore, FileCutShort) {
  make_store();
  const std::string whole = bytes_of(path_);
  for (const std::size_t size : {whole.size() / 2, whole.size() - page_bytes, page_bytes, std::size_t{50}}) {
    write_bytes(path_, whole.substr(0, size));
    expect_refused(options_for(path_), Code::malformed, "nothing was changed");
  }
}

TEST_F(RefusedStore, IdentityMissing) {
  make_store();
  run_sql(path_, "DELETE FROM store");
  expect_refused(options_for(path_), Code::malformed, "identity is missing");
}

TEST_F(RefusedStore, NewerSchema) {
  make_store();
  run_sql(path_, "PRAGMA user_version = 99");
  expect_refused(options_for(path_), Code::conflict, "has schema 99, this program knows up to 2");
  auto state = inspect_sqlite_store(path_);
  ASSERT_TRUE(state.ok()) << state.status().text();
  EXPECT_EQ(state->stored, 99);
  EXPECT_EQ(state->known, 2);
}

TEST_F(RefusedStore, OtherPurpose) {
  make_store();
  expect_refused(options_for(path_, {"global", "", "universal"}), Code::conflict,
                 "is the store of a zone east, environment universal, not of a global, environment universal");
  expect_refused(options_for(path_, {"zone", "west", "universal"}), Code::conflict, "not of a zone west");
  expect_refused(options_for(path_, {"zone", "east", "kubernetes"}), Code::conflict, "environment kubernetes");
}

TEST_F(RefusedStore, LogWithoutItsFile) {
  write_bytes(path_ + "-wal", "committed changes");
  expect_refused(options_for(path_), Code::malformed, "the file is missing but its log");
}

TEST_F(RefusedStore, DirectoryInPlaceOfTheFile) {
  std::filesystem::create_directory(path_);
  auto store = open_sqlite_store(options_for(path_));
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.status().message().find(path_ + ": is no regular file"), std::string::npos) << store.status().text();
}

TEST_F(RefusedStore, DirectoryMissing) {
  const std::string path = directory_.file("missing/kdsd.db");
  auto store = open_sqlite_store(options_for(path));
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.status().message().find(path + ": its directory does not exist"), std::string::npos)
      << store.status().text();
}

TEST_F(RefusedStore, RowThatCannotBeRead) {
  for (const char* damage :
       {"UPDATE entries SET labels = '[1' WHERE revision = 7", "UPDATE entries SET presences = '[]' WHERE revision = 7",
        "UPDATE entries SET presences = '[[1,\"some\",\"x\"]]' WHERE revision = 7", "UPDATE store SET revision = 50"}) {
    std::filesystem::remove(path_);
    make_store();
    run_sql(path_, damage);
    auto store = open_sqlite_store(options_for(path_));
    ASSERT_TRUE(store.ok());
    auto loaded = (*store)->load();
    ASSERT_FALSE(loaded.ok()) << damage;
    EXPECT_EQ(loaded.status().code(), Code::malformed);
    EXPECT_NE(loaded.status().message().find(path_), std::string::npos) << loaded.status().text();
  }
}

// Damage that leaves every page, text and number well-formed is seen all the same.
TEST_F(RefusedStore, ChangedByteInAnyColumn) {
  const std::map<std::string, std::string> damages = {
      {"spec", "CAST(replace(CAST(spec AS TEXT), 'x', 'y') AS BLOB)"},
      {"name", "'e888'"},
      {"labels", "replace(labels, 'shop', 'ship')"},
      {"status", "'{}'"},
      {"created", "created + 1"},
      {"modified", "modified - 1"},
      {"source", "'west'"},
      {"source_version", "'v'"},
      {"presences", "replace(presences, 'wire', 'w1re')"},
      {"checksum", "checksum + 1"},
      {"mesh", "'other'"},
      {"revision", "99999"},
  };
  for (const auto& [column, value] : damages) {
    std::filesystem::remove(path_);
    make_store();
    run_sql(path_, "UPDATE store SET revision = 100000; UPDATE entries SET " + column + " = " + value +
                       " WHERE name = 'large'");
    auto store = open_sqlite_store(options_for(path_));
    ASSERT_TRUE(store.ok());
    auto loaded = (*store)->load();
    ASSERT_FALSE(loaded.ok()) << column;
    EXPECT_NE(loaded.status().message().find("is not what was written"), std::string::npos) << loaded.status().text();
  }
}

TEST_F(RefusedStore, LookingForAMissingStoreMakesNothing) {
  EXPECT_EQ(inspect_sqlite_store(path_).status().code(), Code::not_found);
  EXPECT_EQ(check_sqlite_store(path_).code(), Code::not_found);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(RefusedStore, SoundStorePassesTheCheck) {
  make_store();
  const auto before = contents_of(directory_.path());
  EXPECT_TRUE(check_sqlite_store(path_).ok());
  EXPECT_TRUE(contents_of(directory_.path()) == before);
}

class Migrations : public RefusedStore {
 protected:
  void make_version_0() { run_sql(path_, "PRAGMA application_id = " + std::to_string(application_id)); }
  std::unique_ptr<Connection> connect() { return std::move(*Connection::open(path_, SQLITE_OPEN_READWRITE, path_)); }
  std::vector<Migration> with_next(std::string_view sql) {
    const auto known = builtin_migrations();
    std::vector<Migration> all(known.begin(), known.end());
    all.push_back({sql});
    return all;
  }
};

TEST_F(Migrations, FileWithoutSchemaGetsIt) {
  make_version_0();
  EXPECT_EQ(inspect_sqlite_store(path_)->stored, 0);
  auto options = options_for(path_);
  options.migrate = false;
  expect_refused(options, Code::conflict, "has schema 0 and needs 2; run kdsd migrate");
  make_store();
  EXPECT_EQ(inspect_sqlite_store(path_)->stored, 2);
  EXPECT_TRUE(open_sqlite_store(options).ok());
}

TEST_F(Migrations, RowsOfVersion1AreReadWithoutChecksum) {
  make_store();
  const std::string before = stored_in(path_);
  run_sql(path_, "UPDATE entries SET checksum = NULL");
  EXPECT_EQ(stored_in(path_), before);
}

TEST_F(Migrations, NextOneKeepsWhatIsStored) {
  make_store();
  const std::string before = stored_in(path_);
  const auto all = with_next("ALTER TABLE entries ADD COLUMN note TEXT NOT NULL DEFAULT ''; CREATE TABLE extra (x);");
  {
    auto connection = connect();
    auto status = migrate_schema(*connection, all, {"zone", "east", "universal"});
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_EQ(*schema_version(*connection), 3);
    EXPECT_TRUE(migrate_schema(*connection, all, {"zone", "east", "universal"}).ok());
  }
  run_sql(path_, "SELECT x FROM extra; PRAGMA user_version = 2");
  EXPECT_EQ(stored_in(path_), before);
}

TEST_F(Migrations, FailedOneChangesNothing) {
  make_store();
  const std::string before = stored_in(path_);
  {
    auto connection = connect();
    auto status = migrate_schema(*connection, with_next("DROP TABLE facts; SELECT * FROM nowhere;"),
                                 {"zone", "east", "universal"});
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.message().find("migration to schema 3"), std::string::npos) << status.text();
    EXPECT_EQ(*schema_version(*connection), 2);
  }
  EXPECT_EQ(stored_in(path_), before);
}

}  // namespace
}  // namespace kdsd::store::testing
