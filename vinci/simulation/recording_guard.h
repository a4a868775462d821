// SPDX-License-Identifier: Apache-2.0
// Keeps the file of a running recording openable at every instant, beside HDF5's own handle.
//
// - One writer: a lock of the open file description, gone with the process however it ends. A
//   shared flock keeps other programs from opening the file for writing; readers are welcome.
// - Space is reserved before HDF5 uses it, so a full disk is noticed between two flushes and never
//   inside one, and the superblock can name an end that covers everything HDF5 may write until the
//   next reservation: a file whose writer is killed is an ordinary HDF5 file as it lies.
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
  // Call once HDF5 has the file open.
  void share();
  // Room for `more` bytes behind `used`, and a superblock that says so. Throws Error when the disk
  // is full.
  void reserve(std::uint64_t used, std::uint64_t more);
  // Call after HDF5 has closed the file: gives back what was reserved and not used.
  void trim();

  static bool has_writer(int descriptor);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t reserved_ = 0;  // bytes
};

}  // namespace vinci
