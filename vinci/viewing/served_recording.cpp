// SPDX-License-Identifier: Apache-2.0
#include "vinci/viewing/served_recording.h"

#include "vinci/base/error.h"

namespace vinci {
namespace {

constexpr int attempts = 5;

}  // namespace

ServedRecording::ServedRecording(std::filesystem::path path, bool wait) : path_(std::move(path)) {
  if (wait) old_ = identity_of(path_);
}

ServedRecording::Identity ServedRecording::identity_of(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

bool ServedRecording::changed() const {
  return !(identity_of(path_) == seen_);
}

void ServedRecording::refresh() {
  const Identity now = identity_of(path_);
  if (old_ && now == *old_) {
    error_ = "has not begun yet";
    return;
  }
  if (recording_ && now == Identity{}) return;  // removed; what is open can still be read
  if (recording_ && now == seen_ && !recording_->has_writer()) return;
  // A file that is being written may be caught at a bad moment; one that stays the same is damaged.
  for (int attempt = 0; attempt < attempts && (attempt == 0 || (!recording_ && changed()));
       ++attempt)
    update();
}

void ServedRecording::update() {
  const Identity now = identity_of(path_);
  try {
    if (recording_ && now.same_file(seen_) && recording_->has_writer())
      recording_->refresh();
    else
      recording_.emplace(path_);
    old_.reset();
    error_.clear();
  } catch (const Error& error) {
    recording_.reset();
    error_ = error.message();
  }
  seen_ = now;
}

}  // namespace vinci
