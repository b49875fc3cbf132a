#include "store/sqlite_schema.h"

#include <array>
#include <string>

#include "store/sqlite_file.h"
#include "store/store_id.h"

extern "C" {
extern const char kdsd_migration_0001_begin[];
extern const char kdsd_migration_0001_end[];
extern const char kdsd_migration_0002_begin[];
extern const char kdsd_migration_0002_end[];
}

namespace kdsd::store {
namespace {

Status insert_identity(Connection& connection, const Purpose& purpose) {
  auto insert = connection.prepare(
      "INSERT INTO store (id, store_id, revision, mode, zone, environment) VALUES (1, ?1, 0, ?2, ?3, ?4)",
      "write the store's identity");
  if (!insert.ok()) return insert.status();
  const std::string id = make_store_id();
  insert->bind(1, id);
  insert->bind(2, purpose.mode);
  insert->bind(3, purpose.zone);
  insert->bind(4, purpose.environment);
  return insert->execute();
}

Status run_missing(Connection& connection, std::span<const Migration> migrations, const Purpose& purpose) {
  auto stored = schema_version(connection);
  if (!stored.ok()) return stored.status();
  for (std::size_t done = static_cast<std::size_t>(*stored); done < migrations.size(); ++done) {
    const std::string version = std::to_string(done + 1);
    auto status = connection.run(std::string(migrations[done].sql), "migration to schema " + version);
    if (status.ok()) status = connection.run("PRAGMA user_version = " + version, "note schema " + version);
    if (!status.ok()) return status;
  }
  if (*stored > 0) return ok_status();
  auto status = connection.run("PRAGMA application_id = " + std::to_string(application_id), "mark the file");
  return status.ok() ? insert_identity(connection, purpose) : status;
}

}  // namespace

std::span<const Migration> builtin_migrations() {
  static const std::array migrations = {
      Migration{std::string_view(kdsd_migration_0001_begin, kdsd_migration_0001_end - kdsd_migration_0001_begin)},
      Migration{std::string_view(kdsd_migration_0002_begin, kdsd_migration_0002_end - kdsd_migration_0002_begin)},
  };
  return migrations;
}

Result<int> schema_version(Connection& connection) {
  auto version = connection.integer_of("PRAGMA user_version", "read the schema's version");
  if (!version.ok()) return version.status();
  if (*version < 0) return Status(Code::malformed, connection.path() + ": schema version below 0");
  return static_cast<int>(*version);
}

Status migrate_schema(Connection& connection, std::span<const Migration> migrations, const Purpose& purpose) {
  auto stored = schema_version(connection);
  if (!stored.ok()) return stored.status();
  if (static_cast<std::size_t>(*stored) >= migrations.size()) return ok_status();
  auto status = connection.run("BEGIN IMMEDIATE", "begin migration");
  if (status.ok()) status = run_missing(connection, migrations, purpose);
  if (status.ok()) status = connection.run("COMMIT", "commit migration");
  if (!status.ok()) connection.roll_back();
  return status;
}

Result<Identity> read_identity(Connection& connection) {
  auto select = connection.prepare("SELECT store_id, revision, mode, zone, environment FROM store WHERE id = 1",
                                   "read the store's identity");
  if (!select.ok()) return select.status();
  auto row = select->step();
  if (!row.ok()) return row.status();
  if (!*row) return Status(Code::malformed, connection.path() + ": damaged: the store's identity is missing");
  Identity identity;
  identity.store_id = select->text(0);
  identity.revision = Revision{static_cast<std::uint64_t>(select->integer(1))};
  identity.purpose = {select->text(2), select->text(3), select->text(4)};
  return identity;
}

}  // namespace kdsd::store
