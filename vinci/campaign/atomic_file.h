// SPDX-License-Identifier: Apache-2.0
// A file that is written piece by piece and appears complete under its name, or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace vinci {

class AtomicFile {
 public:
  // Throws Failure, as all of it does.
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // without publish() nothing is left
  void write(std::string_view bytes);
  // In place of the file that is there.
  void publish();

 private:
  void flush();
  [[noreturn]] void fail(int reason) const;

  std::filesystem::path path_;
  std::string partial_, waiting_;
  int descriptor_ = -1;
};

// All bytes of a file. Throws Failure.
std::string file_bytes(const std::filesystem::path& path);

}  // namespace vinci
