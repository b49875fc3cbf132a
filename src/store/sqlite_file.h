// The store's file as the operating system sees it: its lock, its first bytes, its directory.
//
// All without SQLite, so that a file can be looked at before anything opens it for writing. One rule holds everything
// together: the lock is taken before the file is touched, since closing any descriptor of a file drops the POSIX locks
// that SQLite holds on it in the same process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/status.h"

namespace kdsd::store {

// "kdsd" in ASCII, in SQLite's header field for the kind of application.
inline constexpr std::uint32_t application_id = 0x6B647364;

// Absolute, with links resolved, so that one file has one lock whatever path leads to it.
Result<std::string> canonical_path(const std::string& path);

// Holds `<path>.lock` for as long as it lives. The system lets go of it when the process ends, however it ends. The
// lock file stays behind: removing it would let two processes each lock a file of that name.
class FileLock {
 public:
  static Result<FileLock> acquire(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// Size in bytes; nothing where there is no such file.
Result<std::optional<std::uint64_t>> size_of_file(const std::string& path);

// Ok if the file begins like a SQLite database of this application. Reads, and changes nothing.
Status check_header(const std::string& path);

// Makes an empty file that only its owner may read: it will hold secrets.
Status make_private_file(const std::string& path);

Status remove_if_present(const std::string& path);
// Replaces the name durably: the directory is synced.
Status rename_durably(const std::string& from, const std::string& to);

}  // namespace kdsd::store
