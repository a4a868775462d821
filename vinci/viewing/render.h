// SPDX-License-Identifier: Apache-2.0
// Pictures and videos of recordings, drawn by the viewer's page in a browser without a window.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vinci {

struct RenderOptions {
  int width = 1280, height = 720;  // pixels
  double rate = 30.0;              // pictures per second of the video
  double speed = 1.0;              // simulated seconds per second of the video
  std::optional<double> from, to;  // s, simulated; else all of the recordings
  std::optional<double> at;        // s, simulated, of a single picture; else the end
  std::string theme = "light";     // or "dark"
  std::string layout;  // "single", "side-by-side", "ghost"; empty: by the number of runs
  bool contacts = true, cones = false;          // drawn
  bool joints = true;                           // drawn
  std::optional<std::string> follow;            // a body
  std::optional<std::string> grasp;             // a body of the first run, drawn with what holds it
  std::optional<std::array<double, 6>> camera;  // m: position, and the point it looks at
  bool overwrite = false;
  std::function<bool()> go_on;  // asked often; if it says no, all is stopped and nothing is written
  std::function<void(std::int64_t done, std::int64_t total)> progress;  // pictures
};

struct RenderResult {
  std::int64_t pictures = 0;
  std::uint64_t bytes = 0;  // of the file
};

// By the ending of `out`: a picture (.png) or a video (.mp4, .webm, .gif). Needs Chromium, for
// videos also ffmpeg. The file is complete or not there. Throws Error.
RenderResult render(const std::vector<std::filesystem::path>& recordings,
                    const std::filesystem::path& out, const RenderOptions& options);

}  // namespace vinci
