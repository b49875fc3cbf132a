#include "app/cli/private_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace kdsd::app::cli {
namespace {

Status failed(const std::string& path, const std::string& reason) {
  return Status(Code::unavailable, path + ": cannot be written: " + reason);
}

std::string reason_of(int error) { return std::generic_category().message(error); }

Status remove_own(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return errno == ENOENT ? Status() : failed(path, reason_of(errno));
  if (!S_ISREG(found.st_mode)) return failed(path, "what stands there is no regular file");
  if (found.st_uid != ::geteuid()) return failed(path, "the file there is somebody else's");
  return ::unlink(path.c_str()) == 0 ? Status() : failed(path, reason_of(errno));
}

}  // namespace

PrivateFile::~PrivateFile() {
  if (is_open()) ::close(descriptor_);
}

Status PrivateFile::failure() const { return failed(path_, reason_of(errno)); }

Status PrivateFile::create(const std::string& path) {
  if (auto status = close(); !status.ok()) return status;
  path_ = path;
  if (auto status = remove_own(path); !status.ok()) return status;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  return is_open() ? Status() : failure();
}

Status PrivateFile::write(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status PrivateFile::close() {
  if (!is_open()) return {};
  const int descriptor = descriptor_;
  descriptor_ = -1;
  return ::close(descriptor) == 0 ? Status() : failure();
}

}  // namespace kdsd::app::cli
