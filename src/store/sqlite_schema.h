// The numbered migrations of schema/sqlite, and how a file is brought up to date with them.
//
// The version of a file is SQLite's user_version: the number of the last migration it has seen.
#pragma once

#include <span>
#include <string_view>

#include "store/sqlite_connection.h"
#include "store/store.h"

namespace kdsd::store {

// One file of schema/sqlite, packed into the program. Its place in the list, from 1, is its version.
struct Migration {
  std::string_view sql;
};

std::span<const Migration> builtin_migrations();

Result<int> schema_version(Connection& connection);

// Runs what is missing, in one transaction: the file has either its old schema or the new one. A file without schema
// also gets its identity: application id, store id, purpose.
Status migrate_schema(Connection& connection, std::span<const Migration> migrations, const Purpose& purpose);

// The one row of table `store`.
struct Identity {
  std::string store_id;
  Revision revision;
  Purpose purpose;
};
Result<Identity> read_identity(Connection& connection);

}  // namespace kdsd::store
