// A file for secrets: nobody but its owner can read it, from its first moment on.
//
// Blocks while it writes; used by one thread.
#pragma once

#include <string>
#include <string_view>

#include "model/status.h"

namespace kdsd::app::cli {

class PrivateFile {
 public:
  PrivateFile() = default;
  ~PrivateFile();
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  // Closes what was open and takes the place of the caller's own file at `path`: whoever has that one open reads on in
  // the old file. Code::unavailable for anything else that stands there, links above all.
  Status create(const std::string& path);
  Status write(std::string_view text);
  Status close();
  bool is_open() const { return descriptor_ >= 0; }

 private:
  Status failure() const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace kdsd::app::cli
