// SPDX-License-Identifier: Apache-2.0
// The driver's functions, in the order of H5FD_class_t. HDF5 calls them; failures are negative.
#include "vinci/storage/hdf5_live_driver.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vinci/base/clock.h"
#include "vinci/storage/hdf5_superblock.h"

namespace vinci {
namespace {

constexpr double lock_patience = 2.0;  // s

// HDF5 fills the public part and hands the object back to us.
struct LiveFile : H5FD_t {
  int descriptor = -1;
  haddr_t end = 0;       // of what HDF5 uses
  bool written = false;  // HDF5 knows the file: until then, its end is a guess
  dev_t device = 0;
  ino_t node = 0;
};

LiveFile& of(H5FD_t* file) {
  return *static_cast<LiveFile*>(file);
}
const LiveFile& of(const H5FD_t* file) {
  return *static_cast<const LiveFile*>(file);
}

std::uint64_t size_of(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  if ((flags & (H5F_ACC_CREAT | H5F_ACC_TRUNC)) != 0 || (flags & H5F_ACC_RDWR) == 0) return nullptr;
  auto file = std::make_unique<LiveFile>();
  file->descriptor = open(name, O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (file->descriptor < 0) return nullptr;
  if (fstat(file->descriptor, &status) != 0) {
    close(file->descriptor);
    return nullptr;
  }
  file->device = status.st_dev;
  file->node = status.st_ino;
  return file.release();
}

herr_t close_file(H5FD_t* base) {
  const std::unique_ptr<LiveFile> file(&of(base));
  // First the end, then the cut: at no instant does the superblock promise bytes that are not
  // there.
  bool good = true;
  if (file->written && size_of(file->descriptor) > file->end)
    good = rewrite_superblock(file->descriptor, file->end) &&
           ftruncate(file->descriptor, static_cast<off_t>(file->end)) == 0;
  return close(file->descriptor) == 0 && good ? 0 : -1;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const auto left = std::pair(of(a).device, of(a).node),
             right = std::pair(of(b).device, of(b).node);
  return left < right ? -1 : left > right ? 1 : 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_end_in_use(const H5FD_t* file, H5FD_mem_t) {
  return of(file).end;
}

herr_t set_end_in_use(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).end = end;
  return 0;
}

haddr_t get_end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return size_of(of(file).descriptor);
}

herr_t get_handle(H5FD_t* file, hid_t, void** handle) {
  *handle = &of(file).descriptor;
  return 0;
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                  void* buffer) {
  auto* to = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t count = pread(of(file).descriptor, to, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) {  // in use, but not written yet: zeros
      std::memset(to, 0, size);
      return 0;
    }
    to += count, address += static_cast<haddr_t>(count), size -= static_cast<std::size_t>(count);
  }
  return 0;
}

bool write_all(int descriptor, haddr_t address, const char* from, std::size_t size) {
  while (size > 0) {
    const ssize_t count = pwrite(descriptor, from, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    from += count, address += static_cast<haddr_t>(count), size -= static_cast<std::size_t>(count);
  }
  return true;
}

herr_t write_bytes(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                   const void* buffer) {
  const int descriptor = of(base).descriptor;
  of(base).written = true;
  const auto* from = static_cast<const char*>(buffer);
  std::array<char, superblock_size> head;
  if (address == 0 && size >= head.size()) {
    std::copy_n(from, head.size(), head.begin());
    seal_superblock(head, std::max<std::uint64_t>(size_of(descriptor), head.size()));
    if (!write_all(descriptor, 0, head.data(), head.size())) return -1;
    address += head.size(), from += head.size(), size -= head.size();
  }
  return write_all(descriptor, address, from, size) ? 0 : -1;
}

// The file keeps its reserved space until it is closed.
herr_t keep_size(H5FD_t*, hid_t, hbool_t) {
  return 0;
}

// Readers hold a lock for the moment in which they open a file: a run outwaits them.
bool lock_file(int descriptor, int kind) {
  const Deadline deadline(lock_patience);
  while (flock(descriptor, kind | LOCK_NB) != 0) {
    if (errno == ENOSYS || errno == EOPNOTSUPP) return true;
    if ((errno != EWOULDBLOCK && errno != EINTR) || deadline.passed()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

herr_t lock(H5FD_t* file, hbool_t for_writing) {
  return lock_file(of(file).descriptor, for_writing ? LOCK_EX : LOCK_SH) ? 0 : -1;
}

// HDF5 gives its lock up once readers may come; a shared one still keeps other writers out.
herr_t unlock(H5FD_t* file) {
  return lock_file(of(file).descriptor, LOCK_SH) ? 0 : -1;
}

}  // namespace

Hdf5Handle register_live_driver() {
  H5FD_class_t driver{};
  driver.name = "vinci-live";
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare;
  driver.query = query;
  driver.get_eoa = get_end_in_use;
  driver.set_eoa = set_end_in_use;
  driver.get_eof = get_end_of_file;
  driver.get_handle = get_handle;
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.truncate = keep_size;
  driver.lock = lock;
  driver.unlock = unlock;
  const H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(lists), std::end(lists), driver.fl_map);
  return {H5FDregister(&driver), H5FDunregister};
}

}  // namespace vinci
