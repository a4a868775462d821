// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/writer_lock.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// A holder that was killed while it started a worker holds it until that one has begun.
constexpr int tries = 10;
constexpr useconds_t pause_between = 50'000;

bool taken(int descriptor) {
  for (int i = 0;; ++i) {
    struct flock lock = whole_file();
    if (fcntl(descriptor, F_OFD_SETLK, &lock) == 0) return true;
    if ((errno != EAGAIN && errno != EACCES) || i == tries) return false;
    usleep(pause_between);
  }
}

// "process 12 of host", as the holder wrote it.
std::string holder(int descriptor) {
  std::array<char, 300> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "another process";
}

std::string self() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return "process " + std::to_string(getpid()) + " of " + host.data();
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& file) {
  descriptor_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw Failure(std::string("cannot be opened: ") + std::strerror(errno), file.string());
  if (!taken(descriptor_)) {
    const int reason = errno;
    const std::string other = holder(descriptor_);
    close(descriptor_);
    if (reason == EAGAIN || reason == EACCES)
      throw Failure("the study is being run already, by " + other, file.parent_path().string());
    throw Failure(std::string("cannot be locked: ") + std::strerror(reason), file.string());
  }
  // Who it is is for people: on a full disk the lock holds all the same.
  const std::string text = self();
  if (ftruncate(descriptor_, 0) == 0 &&
      pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    errno = 0;
}

WriterLock::~WriterLock() {
  close(descriptor_);
}

bool WriterLock::is_held(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock lock = whole_file();
  const bool asked = fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
  close(descriptor);
  return asked && lock.l_type != F_UNLCK;
}

}  // namespace vinci
