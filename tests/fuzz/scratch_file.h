// SPDX-License-Identifier: Apache-2.0
// A file in memory for readers that take a path.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace vinci {

class ScratchFile {
 public:
  explicit ScratchFile(const std::string& ending)
      : path_("/dev/shm/vinci-fuzz-" + std::to_string(getpid()) + ending) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

  void write(std::span<const char> bytes) const {
    const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
    close(file);
  }

 private:
  std::string path_;
};

}  // namespace vinci
