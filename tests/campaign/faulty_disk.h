// SPDX-License-Identifier: Apache-2.0
// A disk whose n-th call of writing fails: a file system of SQLite in front of the real one.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include <sqlite3.h>
#include <unistd.h>

namespace vinci {

// `death` ends the process, as a kill would.
enum class Fault { none, no_space, io_error, short_write, death };

// While it lives, ledgers are written through it.
class FaultyDisk {
 public:
  FaultyDisk() {
    real() = sqlite3_vfs_find(nullptr);
    vfs_ = *real();
    vfs_.zName = "faulty";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real()->szOsFile;
    vfs_.xOpen = open;
    state() = {};
    sqlite3_vfs_register(&vfs_, 1);
  }
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;
  ~FaultyDisk() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real(), 1);
  }

  // Calls of writing, making durable and cutting are counted from now on; the one at `at`, from 1,
  // fails, and all later ones if it `lasts`.
  static void fail(Fault fault, int at, bool lasts = false) {
    state() = {fault, at, lasts, 0, false};
  }
  void heal() { state() = {}; }
  bool has_failed() const { return state().happened; }
  int calls() const { return state().calls; }

 private:
  struct State {
    Fault fault = Fault::none;
    int at = 0;
    bool lasts = false;
    int calls = 0;
    bool happened = false;
  };
  struct File {
    sqlite3_file base;
    sqlite3_io_methods methods;
    sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };

  static sqlite3_vfs*& real() {
    static sqlite3_vfs* vfs = nullptr;
    return vfs;
  }
  static State& state() {
    static State value;
    return value;
  }
  static sqlite3_file* inner(sqlite3_file* file) { return reinterpret_cast<File*>(file)->inner(); }

  static bool fails() {
    State& now = state();
    if (now.fault == Fault::none) return false;
    ++now.calls;
    const bool here = now.calls == now.at || (now.lasts && now.calls > now.at);
    now.happened |= here;
    if (here && now.fault == Fault::death) _exit(0);
    return here;
  }
  static int code() { return state().fault == Fault::no_space ? SQLITE_FULL : SQLITE_IOERR_WRITE; }

  static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
    sqlite3_file* const real_file = inner(file);
    if (!fails()) return real_file->pMethods->xWrite(real_file, data, size, at);
    if (state().fault == Fault::short_write) {
      real_file->pMethods->xWrite(real_file, data, size / 2, at);
      return SQLITE_FULL;
    }
    return code();
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    if (fails()) return SQLITE_IOERR_TRUNCATE;
    return inner(file)->pMethods->xTruncate(inner(file), size);
  }
  static int sync(sqlite3_file*, int) {
    // No power fails here: what waits for the real disk would only take long.
    return fails() ? SQLITE_IOERR_FSYNC : SQLITE_OK;
  }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* given) {
    File* const ours = reinterpret_cast<File*>(file);
    ours->base.pMethods = nullptr;
    sqlite3_file* const real_file = ours->inner();
    const int result = real()->xOpen(real(), name, real_file, flags, given);
    if (real_file->pMethods == nullptr) return result;
    sqlite3_io_methods& methods = ours->methods;
    methods = {};
    methods.iVersion = 2;
    methods.xClose = [](sqlite3_file* f) { return inner(f)->pMethods->xClose(inner(f)); };
    methods.xRead = [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
      return inner(f)->pMethods->xRead(inner(f), to, size, at);
    };
    methods.xWrite = write;
    methods.xTruncate = truncate;
    methods.xSync = sync;
    methods.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return inner(f)->pMethods->xFileSize(inner(f), size);
    };
    methods.xLock = [](sqlite3_file* f, int lock) {
      return inner(f)->pMethods->xLock(inner(f), lock);
    };
    methods.xUnlock = [](sqlite3_file* f, int lock) {
      return inner(f)->pMethods->xUnlock(inner(f), lock);
    };
    methods.xCheckReservedLock = [](sqlite3_file* f, int* held) {
      return inner(f)->pMethods->xCheckReservedLock(inner(f), held);
    };
    methods.xFileControl = [](sqlite3_file* f, int what, void* with) {
      return inner(f)->pMethods->xFileControl(inner(f), what, with);
    };
    methods.xSectorSize = [](sqlite3_file* f) { return inner(f)->pMethods->xSectorSize(inner(f)); };
    methods.xDeviceCharacteristics = [](sqlite3_file* f) {
      return inner(f)->pMethods->xDeviceCharacteristics(inner(f));
    };
    methods.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** to) {
      return inner(f)->pMethods->xShmMap(inner(f), page, size, extend, to);
    };
    methods.xShmLock = [](sqlite3_file* f, int offset, int count, int lock) {
      return inner(f)->pMethods->xShmLock(inner(f), offset, count, lock);
    };
    methods.xShmBarrier = [](sqlite3_file* f) { inner(f)->pMethods->xShmBarrier(inner(f)); };
    methods.xShmUnmap = [](sqlite3_file* f, int remove) {
      return inner(f)->pMethods->xShmUnmap(inner(f), remove);
    };
    ours->base.pMethods = &methods;
    return result;
  }

  sqlite3_vfs vfs_{};
};

}  // namespace vinci
