// SPDX-License-Identifier: Apache-2.0
// Pictures become a file: one PNG as it is, or a video made by ffmpeg while they come.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "vinci/viewing/child_process.h"
#include "vinci/viewing/output_file.h"

namespace vinci {

struct VideoFormat {
  int width = 0, height = 0;  // pixels
  double rate = 30.0;         // pictures per second
  std::int64_t pictures = 1;
};

class VideoEncoder {
 public:
  // "png", "mp4", "webm" or "gif", by the file's ending; throws Error if it is another one.
  static std::string kind_of(const std::filesystem::path& file);

  // Throws Error: ffmpeg is not installed, or the format does not suit the kind. `folder` takes
  // what ffmpeg says.
  VideoEncoder(const std::string& kind, const VideoFormat& format, OutputFile& file,
               const std::filesystem::path& folder);
  // Throws Error with ffmpeg's last words.
  void add(std::string_view png, const std::function<bool()>& go_on);
  void finish(const std::function<bool()>& go_on);

 private:
  [[noreturn]] void fail(const std::string& what) const;

  OutputFile& file_;
  std::filesystem::path log_;
  std::optional<ChildProcess> ffmpeg_;  // not for a PNG
};

// The last lines of a text file, for an error; empty if there are none.
std::string last_lines(const std::filesystem::path& file);

}  // namespace vinci
