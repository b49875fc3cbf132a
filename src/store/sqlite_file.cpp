#include "store/sqlite_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kdsd::store {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view header_magic = "SQLite format 3\0"sv;
constexpr std::size_t header_bytes = 100;
constexpr std::size_t application_id_offset = 68;

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, mode_t mode = 0)
      : value_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  bool ok() const { return value_ >= 0; }
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

// Call it before anything else can change errno.
Status system_failure(const std::string& path, std::string_view operation) {
  const int error = errno;
  const bool is_full = error == ENOSPC || error == EDQUOT;
  return Status(is_full ? Code::exhausted : Code::unavailable, path + ": " + std::string(operation) + ": " +
                                                                   std::strerror(error) + " (as user " +
                                                                   std::to_string(::geteuid()) + ")");
}

std::string holder_of(int descriptor) {
  std::array<char, 16> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size() - 1, 0);
  std::string pid;
  for (ssize_t i = 0; i < size && text[i] >= '0' && text[i] <= '9'; ++i) pid += text[i];
  return pid.empty() ? "another process" : "process " + pid;
}

Status damaged(const std::string& path, std::string_view reason) {
  return Status(Code::malformed, path + ": " + std::string(reason) +
                                     "; nothing was changed. Restore the file from a backup, or move it away to start "
                                     "with an empty store");
}

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

Result<std::string> canonical_path(const std::string& path) {
  if (path.empty()) return Status(Code::invalid, "the store's path is empty");
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (!error) absolute = std::filesystem::weakly_canonical(absolute, error);
  if (error) return Status(Code::unavailable, path + ": " + error.message());
  return absolute.string();
}

Result<FileLock> FileLock::acquire(const std::string& path) {
  const std::string lock_path = path + ".lock";
  Descriptor lock(lock_path, O_RDWR | O_CREAT, S_IRUSR | S_IWUSR);
  if (!lock.ok()) {
    if (errno == ENOENT) {
      return Status(Code::unavailable, path + ": its directory does not exist; make it, or set another path");
    }
    return system_failure(lock_path, "cannot be opened for writing");
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_failure(lock_path, "lock");
    return Status(Code::unavailable, path + ": " + holder_of(lock.get()) +
                                         " has the store open; end it first, or give this one a store of its own");
  }
  // For the message above in a second process; the lock works without it, a full disk must not matter here.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock.get(), 0) == 0) (void)!::pwrite(lock.get(), pid.data(), pid.size(), 0);
  return FileLock(lock.release());
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::optional<std::uint64_t>> size_of_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::optional<std::uint64_t>();
    return system_failure(path, "stat");
  }
  if (!S_ISREG(info.st_mode)) return Status(Code::malformed, path + ": is no regular file; set another path");
  return std::optional<std::uint64_t>(static_cast<std::uint64_t>(info.st_size));
}

Status check_header(const std::string& path) {
  Descriptor file(path, O_RDONLY);
  if (!file.ok()) return system_failure(path, "cannot be read");
  std::array<unsigned char, header_bytes> header{};
  const ssize_t size = ::pread(file.get(), header.data(), header.size(), 0);
  if (size < 0) return system_failure(path, "read");
  if (size == 0) return damaged(path, "the file is empty, which a store never is");
  if (std::memcmp(header.data(), header_magic.data(), header_magic.size()) != 0 ||
      static_cast<std::size_t>(size) < header_bytes) {
    return damaged(path, "damaged, or no SQLite database");
  }
  if (big_endian(header.data() + application_id_offset) != application_id) {
    return damaged(path, "a SQLite database of another program, or damaged");
  }
  return ok_status();
}

Status make_private_file(const std::string& path) {
  Descriptor file(path, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  return file.ok() ? ok_status() : system_failure(path, "cannot be made");
}

Status remove_if_present(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return ok_status();
  return system_failure(path, "remove");
}

Status rename_durably(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return system_failure(to, "rename");
  const std::string directory = std::filesystem::path(to).parent_path().string();
  Descriptor handle(directory, O_RDONLY | O_DIRECTORY);
  if (!handle.ok() || ::fsync(handle.get()) != 0) return system_failure(directory, "sync");
  return ok_status();
}

}  // namespace kdsd::store
