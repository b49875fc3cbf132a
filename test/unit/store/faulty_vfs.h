// A SQLite file system that fails when told to and can lose what was not synced, as a disk does when the power goes.
//
// While an object lives it is SQLite's default; it passes everything on to the real one. One at a time, one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sqlite3.h>
#include <stdlib.h>
#include <string>
#include <vector>

namespace kdsd::store::testing {

class FaultyVfs {
 public:
  enum class Fault { io_error, disk_full };

  FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;
  ~FaultyVfs() { sqlite3_vfs_unregister(&vfs_); }

  // From now on the n-th (from 1) write, sync, truncation, opening or removal fails; with `lasting` all after it too.
  void fail_nth(std::uint64_t n, Fault fault, bool lasting) {
    counts_reads_ = false;
    arm(n, fault, lasting);
  }
  void fail_nth_read(std::uint64_t n) {
    counts_reads_ = true;
    arm(n, Fault::io_error, false);
  }
  void heal() { due_ = 0; }
  bool has_failed() const { return has_failed_; }
  std::uint64_t syncs() const { return syncs_; }

  // The power goes at the n-th such operation: nothing reaches the disk any more. Close the store, then restart().
  void cut_power_at(std::uint64_t n) { fail_nth(n, Fault::io_error, true); }
  // Gives every file the bytes it had at its last sync, plus those later changes that happened to arrive.
  void restart(std::mt19937& random);

 private:
  struct Change {
    std::uint64_t offset = 0;
    std::string bytes;
    bool is_truncation = false;
  };
  struct Disk {
    std::string synced;
    std::vector<Change> pending;
  };
  struct File {
    sqlite3_file base;
    FaultyVfs* owner;
    Disk* disk;  // null for files that are not kept apart
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };

  static File* file(sqlite3_file* handle) { return reinterpret_cast<File*>(handle); }
  static FaultyVfs* self(sqlite3_vfs* vfs) { return static_cast<FaultyVfs*>(vfs->pAppData); }
  static sqlite3_vfs* real(sqlite3_vfs* vfs) { return self(vfs)->real_; }

  void arm(std::uint64_t n, Fault fault, bool lasting) {
    due_ = n;
    fault_ = fault;
    is_lasting_ = lasting;
    has_failed_ = false;
  }
  // SQLITE_OK, or the error to give instead of doing the operation.
  int verdict(bool is_read, int io_error);
  static void apply(std::string& image, const Change& change);

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* handle, int flags, int* out_flags);
  static int remove(sqlite3_vfs* vfs, const char* name, int sync_directory);
  static int close(sqlite3_file* handle) { return file(handle)->real()->pMethods->xClose(file(handle)->real()); }
  static int read(sqlite3_file* handle, void* data, int size, sqlite3_int64 offset);
  static int write(sqlite3_file* handle, const void* data, int size, sqlite3_int64 offset);
  static int truncate(sqlite3_file* handle, sqlite3_int64 size);
  static int sync(sqlite3_file* handle, int flags);
  static const sqlite3_io_methods* methods();

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_{};
  std::map<std::string, Disk> disks_;
  std::uint64_t due_ = 0;
  std::uint64_t syncs_ = 0;
  Fault fault_ = Fault::io_error;
  bool is_lasting_ = false;
  bool counts_reads_ = false;
  bool has_failed_ = false;
};

inline FaultyVfs::FaultyVfs() : real_(sqlite3_vfs_find(nullptr)) {
  vfs_ = *real_;
  vfs_.zName = "faulty";
  vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
  vfs_.pAppData = this;
  vfs_.pNext = nullptr;
  vfs_.xOpen = &FaultyVfs::open;
  vfs_.xDelete = &FaultyVfs::remove;
  vfs_.xAccess = [](sqlite3_vfs* vfs, const char* name, int flags, int* out) {
    return real(vfs)->xAccess(real(vfs), name, flags, out);
  };
  vfs_.xFullPathname = [](sqlite3_vfs* vfs, const char* name, int size, char* out) {
    return real(vfs)->xFullPathname(real(vfs), name, size, out);
  };
  vfs_.xGetLastError = [](sqlite3_vfs*, int, char*) { return 0; };
  sqlite3_vfs_register(&vfs_, 1);
}

inline int FaultyVfs::verdict(bool is_read, int io_error) {
  if (is_read != counts_reads_ || due_ == 0) return SQLITE_OK;
  if (due_ > 1) {
    --due_;
    return SQLITE_OK;
  }
  has_failed_ = true;
  if (!is_lasting_) due_ = 0;
  return fault_ == Fault::disk_full ? SQLITE_FULL : io_error;
}

inline void FaultyVfs::apply(std::string& image, const Change& change) {
  if (change.is_truncation) {
    if (change.offset < image.size()) image.resize(change.offset);
    return;
  }
  image.resize(std::max<std::size_t>(image.size(), change.offset + change.bytes.size()));
  image.replace(change.offset, change.bytes.size(), change.bytes);
}

inline void FaultyVfs::restart(std::mt19937& random) {
  for (auto& [name, disk] : disks_) {
    // A disk may have written any of the changes, and some of them in part.
    for (auto& change : disk.pending) {
      const auto fate = random() % 4;
      if (fate == 0) change.bytes.resize(change.bytes.size() / 2);
      if (fate <= 1) apply(disk.synced, change);
    }
    std::ofstream(name, std::ios::binary | std::ios::trunc) << disk.synced;
    std::filesystem::remove(std::filesystem::path(name.substr(0, name.find(".db") + 3) + "-shm"));
  }
  disks_.clear();
  heal();
}

inline int FaultyVfs::open(sqlite3_vfs* vfs, const char* name, sqlite3_file* handle, int flags, int* out_flags) {
  FaultyVfs* owner = self(vfs);
  File* opened = file(handle);
  std::memset(static_cast<void*>(opened), 0, static_cast<std::size_t>(vfs->szOsFile));
  if (int failure = owner->verdict(false, SQLITE_CANTOPEN); failure != SQLITE_OK) return failure;
  int result = owner->real_->xOpen(owner->real_, name, opened->real(), flags, out_flags);
  if (result != SQLITE_OK) return result;
  opened->owner = owner;
  opened->base.pMethods = methods();
  if (name && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL))) {
    auto [place, is_new] = owner->disks_.try_emplace(name);
    if (is_new) {
      std::ifstream stored(name, std::ios::binary);
      place->second.synced.assign(std::istreambuf_iterator<char>(stored), {});
    }
    opened->disk = &place->second;
  }
  return SQLITE_OK;
}

inline int FaultyVfs::remove(sqlite3_vfs* vfs, const char* name, int sync_directory) {
  if (int failure = self(vfs)->verdict(false, SQLITE_IOERR_DELETE); failure != SQLITE_OK) return failure;
  self(vfs)->disks_.erase(name);
  return real(vfs)->xDelete(real(vfs), name, sync_directory);
}

inline int FaultyVfs::read(sqlite3_file* handle, void* data, int size, sqlite3_int64 offset) {
  if (int failure = file(handle)->owner->verdict(true, SQLITE_IOERR_READ); failure != SQLITE_OK) return failure;
  return file(handle)->real()->pMethods->xRead(file(handle)->real(), data, size, offset);
}

inline int FaultyVfs::write(sqlite3_file* handle, const void* data, int size, sqlite3_int64 offset) {
  File* target = file(handle);
  if (int failure = target->owner->verdict(false, SQLITE_IOERR_WRITE); failure != SQLITE_OK) return failure;
  if (target->disk) {
    target->disk->pending.push_back({static_cast<std::uint64_t>(offset),
                                     std::string(static_cast<const char*>(data), static_cast<std::size_t>(size)),
                                     false});
  }
  return target->real()->pMethods->xWrite(target->real(), data, size, offset);
}

inline int FaultyVfs::truncate(sqlite3_file* handle, sqlite3_int64 size) {
  File* target = file(handle);
  if (int failure = target->owner->verdict(false, SQLITE_IOERR_TRUNCATE); failure != SQLITE_OK) return failure;
  if (target->disk) target->disk->pending.push_back({static_cast<std::uint64_t>(size), "", true});
  return target->real()->pMethods->xTruncate(target->real(), size);
}

inline int FaultyVfs::sync(sqlite3_file* handle, int flags) {
  File* target = file(handle);
  if (int failure = target->owner->verdict(false, SQLITE_IOERR_FSYNC); failure != SQLITE_OK) return failure;
  ++target->owner->syncs_;
  if (target->disk) {
    for (const auto& change : target->disk->pending) apply(target->disk->synced, change);
    target->disk->pending.clear();
  }
  return target->real()->pMethods->xSync(target->real(), flags);
}

inline const sqlite3_io_methods* FaultyVfs::methods() {
  static const sqlite3_io_methods table = [] {
    sqlite3_io_methods m{};
    m.iVersion = 2;  // with shared memory, without memory-mapped reads, which could not fail
    m.xClose = &FaultyVfs::close;
    m.xRead = &FaultyVfs::read;
    m.xWrite = &FaultyVfs::write;
    m.xTruncate = &FaultyVfs::truncate;
    m.xSync = &FaultyVfs::sync;
    m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return file(f)->real()->pMethods->xFileSize(file(f)->real(), size);
    };
    m.xLock = [](sqlite3_file* f, int level) { return file(f)->real()->pMethods->xLock(file(f)->real(), level); };
    m.xUnlock = [](sqlite3_file* f, int level) { return file(f)->real()->pMethods->xUnlock(file(f)->real(), level); };
    m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
      return file(f)->real()->pMethods->xCheckReservedLock(file(f)->real(), out);
    };
    m.xFileControl = [](sqlite3_file* f, int op, void* arg) {
      return file(f)->real()->pMethods->xFileControl(file(f)->real(), op, arg);
    };
    m.xSectorSize = [](sqlite3_file* f) { return file(f)->real()->pMethods->xSectorSize(file(f)->real()); };
    m.xDeviceCharacteristics = [](sqlite3_file* f) {
      return file(f)->real()->pMethods->xDeviceCharacteristics(file(f)->real());
    };
    m.xShmMap = [](sqlite3_file* f, int region, int size, int extend, void volatile** out) {
      return file(f)->real()->pMethods->xShmMap(file(f)->real(), region, size, extend, out);
    };
    m.xShmLock = [](sqlite3_file* f, int offset, int n, int flags) {
      return file(f)->real()->pMethods->xShmLock(file(f)->real(), offset, n, flags);
    };
    m.xShmBarrier = [](sqlite3_file* f) { file(f)->real()->pMethods->xShmBarrier(file(f)->real()); };
    m.xShmUnmap = [](sqlite3_file* f, int remove) {
      return file(f)->real()->pMethods->xShmUnmap(file(f)->real(), remove);
    };
    return m;
  }();
  return &table;
}

}  // namespace kdsd::store::testing
