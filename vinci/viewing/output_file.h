// SPDX-License-Identifier: Apache-2.0
// A file that appears under its name when it is complete, or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace vinci {

class OutputFile {
 public:
  // A temporary file beside `path`. Throws Error if there is no such folder, or if `path` exists
  // and may not be replaced.
  OutputFile(std::filesystem::path path, bool overwrite);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // removes the temporary file if it was not completed

  const std::filesystem::path& temporary() const { return temporary_; }
  void write(std::string_view bytes);
  std::uint64_t bytes() const { return bytes_; }
  void restart();   // forgets what was written
  void complete();  // gives it its name

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_, temporary_;
  bool overwrite_;
  int file_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace vinci
