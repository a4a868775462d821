// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/atomic_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

constexpr std::size_t written_at_once = 1 << 16;

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)), partial_(path_.string() + ".partial-" + std::to_string(getpid())) {
  descriptor_ = open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  std::remove(partial_.c_str());
}

void AtomicFile::fail(int reason) const {
  throw Failure(std::string("cannot be written: ") + std::strerror(reason), path_.string());
}

void AtomicFile::write(std::string_view bytes) {
  waiting_.append(bytes);
  if (waiting_.size() >= written_at_once) flush();
}

void AtomicFile::flush() {
  for (std::size_t done = 0; done < waiting_.size();) {
    const ssize_t count = ::write(descriptor_, waiting_.data() + done, waiting_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail(count < 0 ? errno : EIO);
    done += static_cast<std::size_t>(count);
  }
  waiting_.clear();
}

void AtomicFile::publish() {
  flush();
  if (fsync(descriptor_) != 0) fail(errno);
  const int closed = close(descriptor_);
  descriptor_ = -1;
  const int reason = closed != 0 || std::rename(partial_.c_str(), path_.c_str()) != 0 ? errno : 0;
  if (reason == 0) return;
  std::remove(partial_.c_str());
  fail(reason);
}

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw Failure("cannot be read", path.string());
  return bytes;
}

}  // namespace vinci
