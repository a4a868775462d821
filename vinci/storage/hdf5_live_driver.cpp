// SPDX-License-Identifier: Apache-2.0
// The driver's functions, in the order of H5FD_class_t. HDF5 calls them; failures are negative.
//
// HDF5 1.10 cannot go on after a write that failed: it keeps objects half closed and trips over
// them when the process ends. So it is told that all is well, and live_failure() tells us. The file
// stays as it is from then on, as if the writer had been killed: HDF5 writes what depends on a
// block after it, so all that is there is whole. Later blocks are kept in memory, where HDF5 finds
// them again.
#include "vinci/storage/hdf5_live_driver.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vinci/base/clock.h"
#include "vinci/storage/hdf5_superblock.h"
#include "vinci/storage/write_all.h"

namespace vinci {
namespace {

constexpr double lock_patience = 2.0;  // s

// HDF5 fills the public part and hands the object back to us.
struct LiveFile : H5FD_t {
  int descriptor = -1;
  haddr_t end = 0;       // of what HDF5 uses
  bool written = false;  // HDF5 knows the file: until then, its end is a guess
  int failure = 0;       // errno of the first call that failed; nothing is written after it
  dev_t device = 0;
  ino_t node = 0;
  std::vector<char> before;  // what a write replaces
  struct Block {
    haddr_t address = 0;
    std::vector<char> bytes;
  };
  std::vector<Block> unwritten;  // since the failure, in order
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

// The first failure of a file is the one to tell.
void failed(LiveFile& file) {
  if (file.failure == 0) file.failure = errno != 0 ? errno : EIO;
  live_failure() = file.failure;
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
  if (file->failure != 0) failed(*file);
  // First the end, then the cut: at no instant does the superblock promise bytes that are not
  // there.
  if (file->failure == 0 && file->written && size_of(file->descriptor) > file->end &&
      (!rewrite_superblock(file->descriptor, file->end) ||
       ftruncate(file->descriptor, static_cast<off_t>(file->end)) != 0))
    failed(*file);
  if (close(file->descriptor) != 0) failed(*file);
  return 0;
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

// What HDF5 believes to have written.
void add_unwritten(const LiveFile& file, haddr_t address, std::span<char> to) {
  for (const LiveFile::Block& block : file.unwritten) {
    const haddr_t first = std::max(address, block.address);
    const haddr_t last = std::min(address + to.size(), block.address + block.bytes.size());
    if (first < last)
      std::memcpy(to.data() + (first - address), block.bytes.data() + (first - block.address),
                  last - first);
  }
}

herr_t read_bytes(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                  void* buffer) {
  LiveFile& file = of(base);
  const std::span to(static_cast<char*>(buffer), size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t count =
        pread(file.descriptor, to.data() + done, size - done, static_cast<off_t>(address + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      failed(file);
      return -1;
    }
    if (count == 0) {  // in use, but not written yet: zeros
      std::memset(to.data() + done, 0, size - done);
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  add_unwritten(file, address, to);
  return 0;
}

// Writes, or puts back what was there: half a block would be damage to whoever reads the file.
bool replace_bytes(LiveFile& file, haddr_t address, std::span<const char> bytes) {
  file.before.resize(bytes.size());
  const ssize_t known =
      pread(file.descriptor, file.before.data(), file.before.size(), static_cast<off_t>(address));
  errno = 0;
  const std::size_t done = write_all(file.descriptor, address, bytes);
  if (done == bytes.size()) return true;
  failed(file);
  const std::size_t back = std::min(done, static_cast<std::size_t>(std::max<ssize_t>(known, 0)));
  write_all(file.descriptor, address, std::span(file.before).first(back));
  return false;
}

bool write_block(LiveFile& file, haddr_t address, std::span<const char> bytes) {
  std::array<char, superblock_size> head;
  if (address == 0 && bytes.size() >= head.size()) {
    std::copy_n(bytes.begin(), head.size(), head.begin());
    seal_superblock(head, std::max<std::uint64_t>(size_of(file.descriptor), head.size()));
    if (!replace_bytes(file, 0, head)) return false;
    address += head.size(), bytes = bytes.subspan(head.size());
  }
  return replace_bytes(file, address, bytes);
}

herr_t write_bytes(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                   const void* buffer) {
  LiveFile& file = of(base);
  file.written = true;
  const std::span<const char> bytes(static_cast<const char*>(buffer), size);
  if (file.failure != 0) failed(file);
  if (file.failure != 0 || !write_block(file, address, bytes))
    file.unwritten.push_back({address, {bytes.begin(), bytes.end()}});
  return 0;
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

H5FD_class_t driver_class() {
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
  return driver;
}

}  // namespace

Hdf5Handle::Id live_driver() {
  static const hid_t id = [] {
    const H5FD_class_t driver = driver_class();
    return H5FDregister(&driver);
  }();
  return id;
}

int& live_failure() {
  thread_local int failure = 0;
  return failure;
}

}  // namespace vinci
