// SPDX-License-Identifier: Apache-2.0
// Locks, reservation and repair of the file of a recording (Linux).
#include "vinci/recording/recording_guard.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/storage/hdf5_superblock.h"

namespace vinci {
namespace {

// The byte that stands for the right to write; beyond any data, locks need no bytes behind them.
struct flock writer_byte() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = std::int64_t{1} << 62;
  lock.l_len = 1;
  return lock;
}

std::uint64_t size_of(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Behind the last byte ever written, as far as the file system tells; reserved space does not
// count.
std::uint64_t end_of_data(int descriptor) {
  const auto size = static_cast<off_t>(size_of(descriptor));
  off_t end = 0;
  while (end < size) {
    const off_t data = lseek(descriptor, end, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // nothing but a hole
    end = data < 0 ? size : lseek(descriptor, data, SEEK_HOLE);
    if (end < 0) end = size;
  }
  return static_cast<std::uint64_t>(end);
}

}  // namespace

RecordingGuard::RecordingGuard(const std::filesystem::path& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  if (descriptor_ < 0)
    throw Error(std::string("cannot be opened for writing: ") + std::strerror(errno),
                path.string());
  struct flock lock = writer_byte();
  if (fcntl(descriptor_, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) {
    ::close(descriptor_);
    throw Error("is being written by another run", path.string());
  }
  reserved_ = size_of(descriptor_);
}

RecordingGuard::~RecordingGuard() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RecordingGuard::close() {
  if (::close(std::exchange(descriptor_, -1)) == 0) return;
  throw Failure(std::string("cannot be closed: ") + std::strerror(errno), path_.string());
}

bool RecordingGuard::has_writer(int descriptor) {
  struct flock lock = writer_byte();
  return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void RecordingGuard::repair() {
  const auto superblock = read_superblock(descriptor_);
  if (!superblock) throw Error("is not a recording (its first bytes are not HDF5's)", path_);
  if (!superblock->open_for_writing && superblock->end > size_of(descriptor_))
    throw Error("is cut short: bytes are missing at its end", path_);
  // What a killed writer had reserved: first the end, then the cut.
  const std::uint64_t end = end_of_data(descriptor_);
  if (!superblock->open_for_writing && superblock->end <= end) return;
  if (!rewrite_superblock(descriptor_, end) || ftruncate(descriptor_, static_cast<off_t>(end)) != 0)
    throw Failure(std::string("cannot be repaired: ") + std::strerror(errno), path_);
  reserved_ = end;
}

void RecordingGuard::reserve(std::uint64_t used, std::uint64_t more) {
  constexpr std::uint64_t least = 1u << 20;
  const std::uint64_t needed = used + more;
  if (needed <= reserved_) return;
  const std::uint64_t wanted = needed + std::max(least, used / 8);
  auto enlarge = [&](std::uint64_t size) {
    const auto bytes = static_cast<off_t>(size);
    if (fallocate(descriptor_, 0, 0, bytes) == 0) return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
    return size_of(descriptor_) >= size || ftruncate(descriptor_, bytes) == 0;
  };
  const std::uint64_t got = enlarge(wanted) ? wanted : enlarge(needed) ? needed : 0;
  if (got == 0) throw Failure(std::string("cannot grow: ") + std::strerror(errno), path_.string());
  reserved_ = got;
  if (!rewrite_superblock(descriptor_, reserved_))
    throw Failure(std::string("cannot be written: ") + std::strerror(errno), path_.string());
}

}  // namespace vinci
