// SPDX-License-Identifier: Apache-2.0
// Who may write a study: one process at a time.
#pragma once

#include <filesystem>

namespace vinci {

// A lock on a file, which ends with the process that holds it, however it ends.
class WriterLock {
 public:
  // Makes the file. Throws Failure if another process holds the lock; its message says which.
  explicit WriterLock(const std::filesystem::path& file);
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock();

  // Whether somebody holds it.
  static bool is_held(const std::filesystem::path& file);

 private:
  int descriptor_ = -1;
};

}  // namespace vinci
