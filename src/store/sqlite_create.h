// Opens the connection that a running store works with, and makes the file where there is none.
//
// Call with the file's lock held, on a canonical path.
#pragma once

#include <memory>
#include <string>

#include "store/sqlite_connection.h"
#include "store/store.h"

namespace kdsd::store {

// An existing file, for reading and writing, with the settings that make a commit durable.
Result<std::unique_ptr<Connection>> open_for_writing(const std::string& path);

// Makes the file under another name and renames it when it is whole, so that a crash never leaves half a store: an
// empty or partial file under the store's own name is damage.
Status create_file(const std::string& path, const Purpose& purpose);

}  // namespace kdsd::store
