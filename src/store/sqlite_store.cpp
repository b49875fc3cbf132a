#include <algorithm>
#include <optional>
#include <utility>

#include "store/batch.h"
#include "store/checksum.h"
#include "store/entry_codec.h"
#include "store/sqlite_check.h"
#include "store/sqlite_connection.h"
#include "store/sqlite_create.h"
#include "store/sqlite_file.h"
#include "store/sqlite_schema.h"
#include "store/store.h"

namespace kdsd::store {
namespace {

// Pages (of 4 KiB) of log from which a checkpoint pays: about 4 MiB, a few ms of copying.
constexpr int checkpoint_log_pages = 1000;
// Beyond 16 MiB (a large batch) the log's file is also cut, so that it is small again when the load ends.
constexpr int truncate_log_pages = 4000;

// Columns of a loaded row, in the order of select_entries.
enum Column {
  column_revision,
  column_type,
  column_mesh,
  column_name,
  column_live,
  column_labels,
  column_spec,
  column_status,
  column_created,
  column_modified,
  column_source,
  column_source_version,
  column_presences,
  column_checksum,
};

constexpr std::string_view select_entries =
    "SELECT revision, type, mesh, name, live, labels, spec, status, created, modified, source, source_version, "
    "presences, checksum "
    "FROM entries ORDER BY revision";

// By key, and never OR REPLACE: that would silently drop another key's row which has the same revision.
constexpr std::string_view upsert_entry =
    "INSERT INTO entries (revision, type, mesh, name, live, labels, spec, status, created, modified, source, "
    "source_version, presences, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) "
    "ON CONFLICT (type, mesh, name) DO UPDATE SET revision = excluded.revision, live = excluded.live, "
    "labels = excluded.labels, spec = excluded.spec, status = excluded.status, created = excluded.created, "
    "modified = excluded.modified, source = excluded.source, source_version = excluded.source_version, "
    "presences = excluded.presences, checksum = excluded.checksum";

// Binds the columns of a row one after the other, and adds them up.
class RowWriter {
 public:
  explicit RowWriter(Statement& statement) : statement_(statement) {}

  void number(std::int64_t value) {
    statement_.bind(++column_, value);
    checksum_.add(value);
  }
  // The text must live until the statement has run.
  void text(std::string_view value) {
    statement_.bind(++column_, value);
    checksum_.add(value);
  }
  void blob(std::string_view value) {
    statement_.bind_blob(++column_, value);
    checksum_.add(value);
  }
  void checksum() { statement_.bind(++column_, checksum_.value()); }

 private:
  Statement& statement_;
  Checksum checksum_;
  int column_ = 0;
};

// Rows of schema 1 have no checksum until they are written again.
bool is_intact(const Statement& row) {
  if (row.is_null(column_checksum)) return true;
  Checksum checksum;
  for (int column = column_revision; column < column_checksum; ++column) {
    if (row.is_number(column)) {
      checksum.add(row.integer(column));
    } else {
      checksum.add(row.bytes(column));
    }
  }
  return checksum.value() == row.integer(column_checksum);
}

struct Statements {
  Statement begin, commit, upsert, purge, fact, revision;
};

Status damaged(const std::string& path, const std::string& reason) {
  return Status(Code::malformed, path + ": damaged: " + reason + "; restore the file from a backup");
}

class SqliteStore : public Store {
 public:
  SqliteStore(FileLock lock, std::unique_ptr<Connection> connection, const Catalogue& catalogue)
      : lock_(std::move(lock)), connection_(std::move(connection)), catalogue_(catalogue) {}

  // Leaves one file without log. Should that fail, the log is read at the next start.
  ~SqliteStore() override { (void)checkpoint(SQLITE_CHECKPOINT_TRUNCATE); }

  Status prepare();
  Result<Loaded> load() override;
  Status commit(const Batch& batch) override;

 private:
  Status load_facts(Loaded& loaded);
  Status load_entries(Loaded& loaded);
  Result<EntryPtr> entry_of(const Statement& row, const ResourceType& type);

  Status write(const Batch& batch);
  Status write_entry(const Entry& entry);
  Status write_purge(const ResourceKey& key);
  void checkpoint_if_due();
  int checkpoint(int mode);

  // Called by SQLite after each commit with the length of the log.
  static int note_log_pages(void* self, sqlite3*, const char*, int pages) {
    static_cast<SqliteStore*>(self)->log_pages_ = pages;
    return SQLITE_OK;
  }

  FileLock lock_;  // first, so that it is let go last
  std::unique_ptr<Connection> connection_;
  Statements statements_;
  const Catalogue& catalogue_;
  int log_pages_ = 0;
};

Status SqliteStore::prepare() {
  const struct {
    Statement* statement;
    std::string_view sql;
    const char* operation;
  } wanted[] = {
      {&statements_.begin, "BEGIN IMMEDIATE", "begin"},
      {&statements_.commit, "COMMIT", "commit"},
      {&statements_.upsert, upsert_entry, "write entry"},
      {&statements_.purge, "DELETE FROM entries WHERE type = ?1 AND mesh = ?2 AND name = ?3", "drop tombstone"},
      {&statements_.fact,
       "INSERT INTO facts (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
       "write fact"},
      {&statements_.revision, "UPDATE store SET revision = max(revision, ?1)", "write revision"},
  };
  for (const auto& each : wanted) {
    auto prepared = connection_->prepare(each.sql, each.operation);
    if (!prepared.ok()) return prepared.status();
    *each.statement = std::move(*prepared);
  }
  sqlite3_wal_hook(connection_->handle(), &SqliteStore::note_log_pages, this);
  return ok_status();
}

Result<Loaded> SqliteStore::load() {
  auto identity = read_identity(*connection_);
  if (!identity.ok()) return identity.status();
  Loaded loaded;
  loaded.store_id = identity->store_id;
  loaded.revision = identity->revision;
  if (auto status = load_facts(loaded); !status.ok()) return status;
  if (auto status = load_entries(loaded); !status.ok()) return status;
  return loaded;
}

Status SqliteStore::load_facts(Loaded& loaded) {
  auto select = connection_->prepare("SELECT name, value FROM facts", "read facts");
  if (!select.ok()) return select.status();
  for (;;) {
    auto row = select->step();
    if (!row.ok()) return row.status();
    if (!*row) return ok_status();
    loaded.facts[select->text(0)] = select->text(1);
  }
}

Status SqliteStore::load_entries(Loaded& loaded) {
  auto count = connection_->integer_of("SELECT count(*) FROM entries", "count entries");
  if (!count.ok()) return count.status();
  loaded.entries.reserve(static_cast<std::size_t>(*count));
  auto select = connection_->prepare(select_entries, "read entries");
  if (!select.ok()) return select.status();
  const ResourceType* type = nullptr;  // of the row before: neighbours are often of one type
  std::uint64_t unknown = 0;
  for (;;) {
    auto row = select->step();
    if (!row.ok()) return row.status();
    if (!*row) break;
    const std::string_view type_name = select->bytes(column_type);
    if (!type || type->name != type_name) type = catalogue_.find(type_name);
    if (!type) {
      ++unknown;
      continue;
    }
    auto entry = entry_of(*select, *type);
    if (!entry.ok()) return entry.status();
    if ((*entry)->revision > loaded.revision) {
      return damaged(connection_->path(), (*entry)->key.text() + " is newer than the store's revision");
    }
    loaded.entries.push_back(std::move(*entry));
  }
  if (unknown > 0) loaded.facts[std::string(fact_unknown_types)] = std::to_string(unknown);
  return ok_status();
}

Result<EntryPtr> SqliteStore::entry_of(const Statement& row, const ResourceType& type) {
  auto entry = std::make_shared<Entry>();
  entry->key = {&type, row.text(column_mesh), row.text(column_name)};
  entry->revision = Revision{static_cast<std::uint64_t>(row.integer(column_revision))};
  if (!is_intact(row)) return damaged(connection_->path(), entry->key.text() + " is not what was written");
  auto presences = decode_presences(row.bytes(column_presences));
  if (!presences) return damaged(connection_->path(), entry->key.text() + " has unreadable presences");
  entry->presences = std::move(*presences);
  if (row.integer(column_live) == 0) return EntryPtr(std::move(entry));
  auto labels = decode_labels(row.bytes(column_labels));
  if (!labels) return damaged(connection_->path(), entry->key.text() + " has unreadable labels");
  auto resource = std::make_shared<Resource>();
  resource->type = &type;
  resource->mesh = entry->key.mesh;
  resource->name = entry->key.name;
  resource->labels = std::move(*labels);
  resource->spec = row.text(column_spec);
  resource->status = row.text(column_status);
  resource->created = Timestamp{row.integer(column_created)};
  resource->modified = Timestamp{row.integer(column_modified)};
  resource->source = row.text(column_source);
  resource->source_version = row.text(column_source_version);
  entry->resource = std::move(resource);
  return EntryPtr(std::move(entry));
}

Status SqliteStore::commit(const Batch& batch) {
  if (auto status = validate_batch(batch); !status.ok()) return status;
  connection_->roll_back();  // of an earlier commit whose roll-back failed too
  auto status = statements_.begin.execute();
  if (status.ok()) status = write(batch);
  if (status.ok()) status = statements_.commit.execute();
  if (!status.ok()) {
    connection_->roll_back();
    return status;
  }
  checkpoint_if_due();
  return ok_status();
}

Status SqliteStore::write(const Batch& batch) {
  for (const auto& key : batch.purges) {
    if (auto status = write_purge(key); !status.ok()) return status;
  }
  for (const auto& entry : batch.upserts) {
    if (auto status = write_entry(*entry); !status.ok()) return status;
  }
  for (const auto& [name, value] : batch.facts) {
    statements_.fact.bind(1, name);
    statements_.fact.bind(2, value);
    if (auto status = statements_.fact.execute(); !status.ok()) return status;
  }
  const Revision newest = newest_revision(batch);
  if (newest.value == 0) return ok_status();
  statements_.revision.bind(1, static_cast<std::int64_t>(newest.value));
  return statements_.revision.execute();
}

Status SqliteStore::write_entry(const Entry& entry) {
  static const Resource nothing;
  const bool is_live = entry.resource != nullptr;
  const Resource& resource = is_live ? *entry.resource : nothing;
  const std::string labels = encode_labels(resource.labels);
  const std::string presences = encode_presences(entry.presences);
  RowWriter row(statements_.upsert);
  row.number(static_cast<std::int64_t>(entry.revision.value));
  row.text(entry.key.type->name);
  row.text(entry.key.mesh);
  row.text(entry.key.name);
  row.number(is_live ? 1 : 0);
  row.text(labels);
  row.blob(resource.spec);
  row.text(resource.status);
  row.number(resource.created.nanos);
  row.number(resource.modified.nanos);
  row.text(resource.source);
  row.text(resource.source_version);
  row.text(presences);
  row.checksum();
  return statements_.upsert.execute().prefixed(entry.key.text());
}

Status SqliteStore::write_purge(const ResourceKey& key) {
  statements_.purge.bind(1, key.type->name);
  statements_.purge.bind(2, key.mesh);
  statements_.purge.bind(3, key.name);
  return statements_.purge.execute().prefixed(key.text());
}

void SqliteStore::checkpoint_if_due() {
  // The commit is durable already. What fails here (a full disk, a reader in the way) is tried again after the next
  // one.
  if (log_pages_ >= truncate_log_pages) {
    (void)checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
  } else if (log_pages_ >= checkpoint_log_pages) {
    (void)checkpoint(SQLITE_CHECKPOINT_PASSIVE);
  }
}

int SqliteStore::checkpoint(int mode) {
  return sqlite3_wal_checkpoint_v2(connection_->handle(), nullptr, mode, nullptr, nullptr);
}

std::string described(const Purpose& purpose) {
  std::string text = purpose.mode;
  if (!purpose.zone.empty()) text += " " + purpose.zone;
  return text + ", environment " + purpose.environment;
}

// Everything that can be refused, before anything is opened for writing.
Status judge(const std::string& path, const Inspection& found, const SqliteOptions& options) {
  const int known = static_cast<int>(builtin_migrations().size());
  const std::string stored = std::to_string(found.schema);
  if (found.schema > known) {
    return Status(Code::conflict, path + ": has schema " + stored + ", this program knows up to " +
                                      std::to_string(known) +
                                      "; start the newer program, or restore a backup made by "
                                      "this one");
  }
  if (found.schema < known && !options.migrate) {
    return Status(Code::conflict,
                  path + ": has schema " + stored + " and needs " + std::to_string(known) + "; run kdsd migrate first");
  }
  if (!found.purpose) return ok_status();
  const Purpose& stored_for = *found.purpose;
  const Purpose& wanted = options.purpose;
  if (stored_for.mode == wanted.mode && stored_for.zone == wanted.zone &&
      stored_for.environment == wanted.environment) {
    return ok_status();
  }
  return Status(Code::conflict, path + ": is the store of a " + described(stored_for) + ", not of a " +
                                    described(wanted) + "; correct the configuration, or set another store path");
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options) {
  if (!options.catalogue) return Status(Code::internal, "store opened without catalogue");
  auto path = canonical_path(options.path);
  if (!path.ok()) return path.status();
  auto lock = FileLock::acquire(*path);
  if (!lock.ok()) return lock.status();

  auto found = inspect_file(*path, Depth::whole_file);
  Status status;
  if (found.ok()) {
    status = judge(*path, *found, options);
  } else if (found.status().code() == Code::not_found) {
    status = create_file(*path, options.purpose);
  } else {
    status = found.status();
  }
  if (!status.ok()) return status;

  auto connection = open_for_writing(*path);
  if (!connection.ok()) return connection.status();
  if (status = migrate_schema(**connection, builtin_migrations(), options.purpose); !status.ok()) return status;
  auto store = std::make_unique<SqliteStore>(std::move(*lock), std::move(*connection), *options.catalogue);
  if (status = store->prepare(); !status.ok()) return status;
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace kdsd::store
