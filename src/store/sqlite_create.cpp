#include "store/sqlite_create.h"

#include "store/sqlite_file.h"
#include "store/sqlite_schema.h"

namespace kdsd::store {
namespace {

// Nobody else writes, but a reader (the sqlite3 shell) may hold the write lock for an instant while it opens the log.
constexpr int busy_timeout_ms = 100;

// FULL: the log is synced at every commit, which is promise 2. The automatic checkpoint is off because the store
// decides after each commit; 4 MiB is what stays of a log that a large batch has blown up. The cache has 16 MiB.
constexpr const char* settings =
    "PRAGMA synchronous = FULL;"
    "PRAGMA wal_autocheckpoint = 0;"
    "PRAGMA journal_size_limit = 4194304;"
    "PRAGMA cache_size = -16384;"
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA trusted_schema = OFF;";

Status remove_leftovers(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    if (auto status = remove_if_present(path + suffix); !status.ok()) return status;
  }
  return ok_status();
}

Status fill(const std::string& path, const Purpose& purpose) {
  auto connection = open_for_writing(path);
  if (!connection.ok()) return connection.status();
  if (auto status = migrate_schema(**connection, builtin_migrations(), purpose); !status.ok()) return status;
  // The file is renamed without its log, so all must be in it.
  const int result =
      sqlite3_wal_checkpoint_v2((*connection)->handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  return result == SQLITE_OK ? ok_status() : (*connection)->failure(result, "checkpoint");
}

}  // namespace

Result<std::unique_ptr<Connection>> open_for_writing(const std::string& path) {
  auto connection = Connection::open(path, SQLITE_OPEN_READWRITE, path);
  if (!connection.ok()) return connection;
  Connection& opened = **connection;
  // SQLite is content with reading where it may not write.
  if (sqlite3_db_readonly(opened.handle(), "main") != 0) {
    return Status(Code::unavailable, path + ": may not be written by this user; correct its owner or mode");
  }
  sqlite3_busy_timeout(opened.handle(), busy_timeout_ms);
  auto mode = opened.text_of("PRAGMA journal_mode = WAL", "switch to write-ahead log");
  if (!mode.ok()) return mode.status();
  if (*mode != "wal") return Status(Code::unavailable, path + ": no write-ahead log possible here, mode " + *mode);
  if (auto status = opened.run(settings, "settings"); !status.ok()) return status;
  return connection;
}

Status create_file(const std::string& path, const Purpose& purpose) {
  const std::string unfinished = path + ".new";
  auto status = remove_leftovers(unfinished);
  if (status.ok()) status = make_private_file(unfinished);
  if (status.ok()) status = fill(unfinished, purpose);
  if (status.ok()) status = rename_durably(unfinished, path);
  if (!status.ok()) (void)remove_leftovers(unfinished);
  return status;
}

}  // namespace kdsd::store
