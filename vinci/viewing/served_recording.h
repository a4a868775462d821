// SPDX-License-Identifier: Apache-2.0
// A recording that is looked at for long: opened once, brought up to date, opened anew when its
// file was replaced, waited for when it is not there yet.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <sys/stat.h>

#include "vinci/recording/recording.h"

namespace vinci {

class ServedRecording {
 public:
  // `wait`: the file as it is now, if there is one, is not the one to show.
  ServedRecording(std::filesystem::path path, bool wait);

  std::string name() const { return path_.filename().string(); }
  void refresh();
  bool changed() const;  // its file, since the last refresh
  const Recording* get() const { return recording_ ? &*recording_ : nullptr; }
  const std::string& error() const { return error_; }  // if there is none
  bool waiting() const { return !recording_ && old_.has_value(); }

 private:
  // What tells one file, and one state of it, from another.
  struct Identity {
    dev_t device = 0;
    ino_t number = 0;
    off_t size = 0;
    timespec changed{};
    bool same_file(const Identity& other) const {
      return device == other.device && number == other.number;
    }
    bool operator==(const Identity& other) const {
      return same_file(other) && size == other.size && changed.tv_sec == other.changed.tv_sec &&
             changed.tv_nsec == other.changed.tv_nsec;
    }
  };
  void update();
  static Identity identity_of(const std::filesystem::path& path);  // all zero: no such file

  std::filesystem::path path_;
  std::optional<Identity> old_;  // while waiting
  Identity seen_;                // when it was last looked at
  std::optional<Recording> recording_;
  std::string error_;
};

}  // namespace vinci
