// SPDX-License-Identifier: Apache-2.0
#include "vinci/viewing/temporary_folder.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

constexpr std::size_t longest_parent = 40;  // bytes

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code code;
  auto parent = std::filesystem::temp_directory_path(code);
  // Browsers put sockets into it, whose paths are short: 107 bytes, of which they need half.
  if (code || parent.string().size() > longest_parent) parent = "/tmp";
  std::string pattern = (parent / "vinci-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw Failure(fmt::format("no folder can be made here: {}", std::strerror(errno)),
                  parent.string());
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  // Helpers of a browser that is being ended may still write for a moment.
  std::error_code code;
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::filesystem::remove_all(path_, code);
    if (!std::filesystem::exists(path_, code)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

std::filesystem::path TemporaryFolder::leading_page(const std::string& address) const {
  const auto path = path_ / "vinci.html";
  std::ofstream file(path);
  file << "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Vinci</title>\n"
       << "<meta http-equiv=\"refresh\" content=\"0; url=" << address << "\">\n"
       << "<a href=\"" << address << "\">Vinci</a>\n";
  if (!file.flush()) throw Failure("cannot be written", path.string());
  return path;
}

}  // namespace vinci
