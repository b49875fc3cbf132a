// Looks at a store's file without changing a byte of it or of its directory: is it whole, whose is it, which schema.
//
// Call with the file's lock held. Committed changes that still stand in the write-ahead log (after kill -9) count.
#pragma once

#include <optional>
#include <string>

#include "store/store.h"

namespace kdsd::store {

struct Inspection {
  int schema = 0;
  std::optional<Purpose> purpose;  // none in a file without schema
};

enum class Depth {
  version_only,
  whole_file,  // every page: an integrity check, in time proportional to the file
};

// `path` is canonical. Not found: there is no store, and nothing of an older one either.
Result<Inspection> inspect_file(const std::string& path, Depth depth);

}  // namespace kdsd::store
