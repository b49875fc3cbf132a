// Durable state of one control plane: the newest entry of every key (live or tombstone) and a few facts about the
// store.
//
// A store is an adapter: it decides nothing about resources. One thread at a time calls it (the store executor); the
// in-memory index serves all reads. design.md "A change's way through the system", promise 2.
//
// Entries of a type that the catalogue does not know (a newer program wrote them) stay in the file untouched; load()
// leaves them out and counts them in the fact `unknown_types`, which is there only when there are some.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/resource.h"
#include "model/status.h"

namespace kdsd::store {

// What a store is for; fixed when it is made. Opening it as another one is refused.
struct Purpose {
  std::string mode;         // global or zone
  std::string zone;         // zone name, empty on a global
  std::string environment;  // universal or kubernetes
};

// All that one commit changes; it becomes durable as a whole or not at all.
struct Batch {
  std::vector<EntryPtr> upserts;             // new newest entries, rising revisions
  std::vector<ResourceKey> purges;           // keys to forget altogether, before the upserts
  Revision revision;                         // newest revision after this batch; 0 = unchanged
  std::map<std::string, std::string> facts;  // named texts to keep (compaction floors and the like)
};

inline constexpr std::string_view fact_unknown_types = "unknown_types";

struct Loaded {
  std::string store_id;           // random, made with the store
  Revision revision;              // newest revision ever assigned
  std::vector<EntryPtr> entries;  // by revision
  std::map<std::string, std::string> facts;
};

class Store {
 public:
  virtual ~Store() = default;

  // Everything that is stored; called once, before the first commit. Corrupt content is an error that says what to do.
  virtual Result<Loaded> load() = 0;

  // Durable when it returns ok (fsync done). On an error nothing of the batch is stored.
  virtual Status commit(const Batch& batch) = 0;
};

// For tests and `store.type: memory`: lost with the process.
std::unique_ptr<Store> open_memory_store();

struct SqliteOptions {
  std::string path;
  Purpose purpose;
  const Catalogue* catalogue = nullptr;  // must outlive the store
  bool migrate = true;                   // bring an older schema up to date when opening; false: refuse it
};

// Opens or makes the file. Refused, each with what to do, and the file untouched: a newer schema, a damaged file, no
// SQLite file, another mode, zone name or environment, a file that another process has open.
Result<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options);

// Schema version of the file (0: no schema yet) and the newest one this program knows; for `kdsd migrate` and `doctor`.
struct SchemaState {
  int stored = 0;
  int known = 0;
};
Result<SchemaState> inspect_sqlite_store(const std::string& path);

// Integrity check of a file that no process has open; ok, or what is wrong.
Status check_sqlite_store(const std::string& path);

}  // namespace kdsd::store
