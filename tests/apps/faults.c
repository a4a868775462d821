// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, it lets one of its calls on files fail, as a disk would. By
// environment: FAULT_OPERATION  write, reserve, sync, rename or close: which calls are counted; of
// calls on a file
//                  that is open, those on regular files opened for writing
// FAULT_AT         the call that fails, from 1
// FAULT_KIND       space (ENOSPC), io (EIO), short (half the bytes are written, of one all) or torn
//                  (half the bytes, then ENOSPC)
// FAULT_LASTS      if set, every later call fails as well
// FAULT_LOG        a file that tells that it happened
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int calls, place;

static const char* setting(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

static int is_kind(const char* kind) {
  return strcmp(setting("FAULT_KIND"), kind) == 0;
}

static int is_written(int file) {
  struct stat status;
  return (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY && fstat(file, &status) == 0 &&
         S_ISREG(status.st_mode);
}

// Whether this call is to fail; `place` is then 0 for the first such call.
static int fails(const char* operation, int file) {
  if (strcmp(operation, setting("FAULT_OPERATION")) != 0 || (file >= 0 && !is_written(file)))
    return 0;
  place = ++calls - atoi(setting("FAULT_AT"));
  if (place == 0) creat(setting("FAULT_LOG"), 0666);
  return place == 0 || (place > 0 && *setting("FAULT_LASTS")) || (place == 1 && is_kind("torn"));
}

static int refuse(void) {
  errno = is_kind("io") ? EIO : ENOSPC;
  return -1;
}

#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define CUT(size)                                               \
  if (fails("write", file)) {                                   \
    const int torn = is_kind("torn") && place == 0 && size > 1; \
    if (!is_kind("short") && !torn) return refuse();            \
    size -= size / 2;                                           \
  }

ssize_t write(int file, const void* data, size_t size) {
  NEXT(write);
  CUT(size)
  return next(file, data, size);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  NEXT(pwrite);
  CUT(size)
  return next(file, data, size, at);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  NEXT(pwrite64);
  CUT(size)
  return next(file, data, size, at);
}

int fallocate(int file, int mode, off_t at, off_t size) {
  NEXT(fallocate);
  return fails("reserve", file) ? refuse() : next(file, mode, at, size);
}

int ftruncate(int file, off_t size) {
  NEXT(ftruncate);
  return fails("reserve", file) ? refuse() : next(file, size);
}

int fsync(int file) {
  NEXT(fsync);
  return fails("sync", file) ? refuse() : next(file);
}

int fdatasync(int file) {
  NEXT(fdatasync);
  return fails("sync", file) ? refuse() : next(file);
}

int rename(const char* from, const char* to) {
  NEXT(rename);
  return fails("rename", -1) ? refuse() : next(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  NEXT(renameat2);
  return fails("rename", -1) ? refuse() : next(from_folder, from, to_folder, to, flags);
}

// The file is closed all the same, as on Linux.
int close(int file) {
  NEXT(close);
  const int fault = fails("close", file);
  const int result = next(file);
  return fault ? refuse() : result;
}
