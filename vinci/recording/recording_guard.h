// SPDX-License-Identifier: Apache-2.0
// The right to write a recording, and the room for it, beside HDF5's own handle.
//
// - One writer: a lock of the open file description, gone with the process however it ends.
// - Space is reserved before HDF5 uses it, so a full disk is noticed between two flushes and never
//   inside one, and the superblock names an end that covers everything HDF5 may write until the
//   next reservation (see hdf5_live_driver.h).
#pragma once

#include <cstdint>
#include <filesystem>

namespace vinci {

class RecordingGuard {
 public:
  // Takes the writer's lock. Throws Error if the file is missing, not writable, or has a writer.
  explicit RecordingGuard(const std::filesystem::path& path);
  RecordingGuard(const RecordingGuard&) = delete;
  RecordingGuard& operator=(const RecordingGuard&) = delete;
  ~RecordingGuard();

  // Makes the file one that HDF5 opens, whatever its last writer left. Throws Error if it is not an
  // HDF5 file of the recorder's kind, or cut short.
  void repair();
  // Room for `more` bytes behind `used`, and a superblock that says so. Throws Failure when the
  // disk is full.
  void reserve(std::uint64_t used, std::uint64_t more);
  // Gives the lock up. Throws Failure if the system says now that something was not written.
  void close();
  static bool has_writer(int descriptor);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t reserved_ = 0;  // bytes
};

}  // namespace vinci
