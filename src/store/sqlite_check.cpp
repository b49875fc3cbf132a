#include "store/sqlite_check.h"

#include <string_view>

#include "store/sqlite_connection.h"
#include "store/sqlite_file.h"
#include "store/sqlite_schema.h"

namespace kdsd::store {
namespace {

constexpr std::string_view advice =
    "; nothing was changed. Restore the file from a backup, or move it and its -wal file away to start with an empty "
    "store";

// A path inside a file: URI.
std::string uri_escaped(const std::string& path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      out += '%';
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 0xF];
    } else {
      out += c;
    }
  }
  return out;
}

// Without a log the file alone is the whole truth, and `immutable` makes SQLite create nothing beside it. With one, its
// frames must be read too, and SQLite would make a -shm file and fold the log in at the end: the VFS without locks and
// exclusive mode keep that index in memory, and the closing checkpoint is switched off. Our own lock guards both.
Result<std::unique_ptr<Connection>> open_untouched(const std::string& path, bool has_log) {
  const std::string uri = "file:" + uri_escaped(path) + (has_log ? "?mode=ro&vfs=unix-none" : "?mode=ro&immutable=1");
  auto connection = Connection::open(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, path);
  if (!connection.ok() || !has_log) return connection;
  sqlite3_db_config((*connection)->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  auto status = (*connection)->run("PRAGMA locking_mode = EXCLUSIVE", "open for reading");
  if (!status.ok()) return status;
  return connection;
}

Status check_pages(Connection& connection) {
  auto found = connection.text_of("PRAGMA quick_check(1)", "integrity check");
  if (!found.ok()) return found.status();
  if (*found == "ok") return ok_status();
  return Status(Code::malformed, connection.path() + ": damaged: " + *found);
}

Result<Inspection> read_inspection(Connection& connection, Depth depth) {
  auto version = schema_version(connection);
  if (!version.ok()) return version.status();
  Inspection inspection{*version, {}};
  // The tables of a newer program may be none that this one can judge.
  if (*version > static_cast<int>(builtin_migrations().size())) return inspection;
  if (depth == Depth::whole_file) {
    if (auto status = check_pages(connection); !status.ok()) return status;
  }
  if (*version == 0) return inspection;
  auto identity = read_identity(connection);
  if (!identity.ok()) return identity.status();
  inspection.purpose = identity->purpose;
  return inspection;
}

// What SQLite calls an error while only reading is damage, unless the system is to blame.
Status with_advice(const Status& status) {
  if (status.code() != Code::malformed && status.code() != Code::internal) return status;
  return Status(Code::malformed, status.message() + std::string(advice));
}

Result<bool> has_log(const std::string& path) {
  auto size = size_of_file(path + "-wal");
  if (!size.ok()) return size.status();
  return size->value_or(0) > 0;
}

Result<Inspection> inspect_closed_file(const std::string& path, Depth depth) {
  auto canonical = canonical_path(path);
  if (!canonical.ok()) return canonical.status();
  auto size = size_of_file(*canonical);
  if (!size.ok()) return size.status();
  // Before the lock, which would make a file beside a store that does not exist.
  if (!size->has_value()) return Status(Code::not_found, *canonical + ": no such store");
  auto lock = FileLock::acquire(*canonical);
  if (!lock.ok()) return lock.status();
  return inspect_file(*canonical, depth);
}

}  // namespace

Result<Inspection> inspect_file(const std::string& path, Depth depth) {
  auto size = size_of_file(path);
  if (!size.ok()) return size.status();
  auto log = has_log(path);
  if (!log.ok()) return log.status();
  if (!size->has_value()) {
    if (!*log) return Status(Code::not_found, path + ": no such store");
    return Status(Code::malformed, path + ": the file is missing but its log " + path +
                                       "-wal is there; nothing was changed. Put the file back, or move the log away to "
                                       "start with an empty store");
  }
  if (auto status = check_header(path); !status.ok()) return status;
  auto connection = open_untouched(path, *log);
  if (!connection.ok()) return with_advice(connection.status());
  auto inspection = read_inspection(**connection, depth);
  if (!inspection.ok()) return with_advice(inspection.status());
  return inspection;
}

Result<SchemaState> inspect_sqlite_store(const std::string& path) {
  auto inspection = inspect_closed_file(path, Depth::version_only);
  if (!inspection.ok()) return inspection.status();
  return SchemaState{inspection->schema, static_cast<int>(builtin_migrations().size())};
}

Status check_sqlite_store(const std::string& path) { return inspect_closed_file(path, Depth::whole_file).status(); }

}  // namespace kdsd::store
