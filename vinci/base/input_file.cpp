// SPDX-License-Identifier: Apache-2.0
// Files that a user names.
#include "vinci/base/input_file.h"

#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {

std::string input_problem(const std::filesystem::path& file, std::uintmax_t most_bytes) {
  namespace fs = std::filesystem;
  if (file.empty()) return "this names no file";
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) return "there is no such file";
  if (fs::is_directory(status)) return "this is a directory, not a file";
  if (!fs::is_regular_file(status)) return "this is no regular file";
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return "the file cannot be read";
  if (size > most_bytes)
    return fmt::format("the file has {} bytes; at most {} MiB are accepted", size,
                       most_bytes >> 20);
  return "";
}

std::string read_input(const std::filesystem::path& file, std::uintmax_t most_bytes) {
  if (const std::string problem = input_problem(file, most_bytes); !problem.empty())
    throw Error(problem, file.string());
  std::error_code error;
  std::string text(std::filesystem::file_size(file, error), '\0');
  std::ifstream stream(file, std::ios::binary);
  // No more than its size: some files of the system have none, and never end.
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (error || !stream) throw Error("the file cannot be read", file.string());
  return text;
}

}  // namespace vinci
