// SPDX-License-Identifier: Apache-2.0
// A file that is written piece by piece and appears complete under its name, or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace vinci {

class OutputFile {
 public:
  // Throws Failure, as all of it does.
  explicit OutputFile(std::filesystem::path path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // without publish() nothing is left
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
