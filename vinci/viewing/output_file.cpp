// SPDX-License-Identifier: Apache-2.0
#include "vinci/viewing/output_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) {
  throw Error("exists already; give --overwrite to replace it", path.string());
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path, bool overwrite)
    : path_(std::move(path)), overwrite_(overwrite) {
  std::error_code code;
  const auto status = std::filesystem::status(path_, code);
  if (std::filesystem::is_directory(status)) throw Error("is a folder", path_.string());
  if (std::filesystem::exists(status) && !overwrite_) refuse(path_);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error("is not a file that can be replaced", path_.string());
  temporary_ = path_;
  temporary_.replace_filename(fmt::format(".{}.partial-{}", path_.filename().string(), getpid()));
  file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) fail("cannot be written");
}

OutputFile::~OutputFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(temporary_.c_str());
}

void OutputFile::fail(const char* what) const {
  throw Failure(fmt::format("{}: {}", what, std::strerror(errno)), path_.string());
}

void OutputFile::write(std::string_view bytes) {
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t done = ::write(file_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void OutputFile::restart() {
  if (lseek(file_, 0, SEEK_SET) != 0 || ftruncate(file_, 0) != 0) fail("cannot be written");
  bytes_ = 0;
}

void OutputFile::complete() {
  // Where a name may not be replaced, a link under it fails if somebody has taken it meanwhile.
  if (!overwrite_ && link(temporary_.c_str(), path_.c_str()) == 0) {
    unlink(temporary_.c_str());
  } else {
    if (!overwrite_ && errno == EEXIST) refuse(path_);
    if (rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be written");
  }
  const int closed = close(std::exchange(file_, -1));
  if (closed != 0) fail("was not written completely");
}

}  // namespace vinci
