// SPDX-License-Identifier: Apache-2.0
#include "vinci/storage/publish.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "vinci/base/error.h"
#include "vinci/storage/write_all.h"

namespace vinci {
namespace {

// errno, or 0.
int written(std::span<const char> bytes, const std::string& name) {
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int reason = write_all(file, 0, bytes) < bytes.size() ? errno : 0;
  if (close(file) != 0 && reason == 0) reason = errno;
  return reason;
}

int renamed(const std::string& from, const std::filesystem::path& to, bool replace) {
  if (!replace) {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    // Some file systems cannot rename without replacing.
    if (errno != EINVAL) return errno;
    if (std::filesystem::exists(to)) return EEXIST;
  }
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

void publish(std::span<const char> bytes, const std::filesystem::path& path, bool replace) {
  const std::string partial = path.string() + ".partial-" + std::to_string(getpid());
  int reason = written(bytes, partial);
  if (reason == 0) reason = renamed(partial, path, replace);
  if (reason == 0) return;
  std::remove(partial.c_str());
  if (reason == EEXIST) throw Error("cannot be created: it exists already", path.string());
  throw Failure(std::string("cannot be created: ") + std::strerror(reason), path.string());
}

}  // namespace vinci
