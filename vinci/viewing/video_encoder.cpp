// SPDX-License-Identifier: Apache-2.0
#include "vinci/viewing/video_encoder.h"

#include <algorithm>
#include <deque>
#include <fstream>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

constexpr double picture_patience = 60.0;  // s that ffmpeg may take for a picture
constexpr double end_patience = 600.0;     // s for the rest: it may hold many pictures back
constexpr double gif_memory = 1e9;    // bytes that pictures may take until their colours are known
constexpr double fastest_gif = 50.0;  // pictures per second that players show

using Words = std::vector<std::string>;

// One palette for all pictures gives the smallest file, but they all wait in memory for it.
std::string gif_filter(const VideoFormat& format) {
  const double bytes = 4.0 * format.width * format.height * static_cast<double>(format.pictures);
  const bool one = bytes <= gif_memory;
  return fmt::format(
      "split[a][b];[a]palettegen=stats_mode={}[p];[b][p]paletteuse=dither=bayer:"
      "bayer_scale=4:diff_mode=rectangle{}",
      one ? "diff" : "single", one ? "" : ":new=1");
}

Words coding(const std::string& kind, const VideoFormat& format) {
  const Words colours = {"-vf",
                         "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                         "-colorspace",
                         "bt709",
                         "-color_primaries",
                         "bt709",
                         "-color_trc",
                         "bt709"};
  Words words;
  if (kind == "gif") return {"-filter_complex", gif_filter(format), "-loop", "0", "-f", "gif"};
  if (kind == "mp4")
    words = {"-c:v", "libx264", "-crf", "18", "-movflags", "+faststart", "-f", "mp4"};
  else
    words = {"-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-f", "webm"};
  words.insert(words.begin(), colours.begin(), colours.end());
  return words;
}

void check_format(const std::string& kind, const VideoFormat& format) {
  if (kind == "gif" && format.rate > fastest_gif)
    throw Error(fmt::format("a GIF shows at most {:g} pictures per second", fastest_gif), "--fps");
  if ((kind == "mp4" || kind == "webm") && (format.width % 2 != 0 || format.height % 2 != 0))
    throw Error(fmt::format("{}x{}: the width and height of a .{} are even numbers", format.width,
                            format.height, kind),
                "--size");
}

}  // namespace

std::string last_lines(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::deque<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) continue;
    lines.push_back(line.substr(0, 300));
    if (lines.size() > 5) lines.pop_front();
  }
  return lines.empty() ? "" : fmt::format(":\n  {}", fmt::join(lines, "\n  "));
}

std::string VideoEncoder::kind_of(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const char* kind : {"png", "mp4", "webm", "gif"})
    if (ending == std::string(".") + kind) return kind;
  throw Error("the name of the result ends with .png, .mp4, .webm or .gif", file.string());
}

VideoEncoder::VideoEncoder(const std::string& kind, const VideoFormat& format, OutputFile& file,
                           const std::filesystem::path& folder)
    : file_(file), log_(folder / "ffmpeg.log") {
  check_format(kind, format);
  if (kind == "png") return;
  const auto program = find_program({"ffmpeg"});
  if (program.empty())
    throw Failure("videos need ffmpeg, which is not installed; on Debian: apt install ffmpeg");
  ChildOptions options;
  options.command = {program.string(), "-hide_banner", "-loglevel",
                     "error",          "-y",           "-f",
                     "image2pipe",     "-framerate",   fmt::format("{}", format.rate),
                     "-c:v",           "png",          "-i",
                     "pipe:0"};
  for (std::string& word : coding(kind, format)) options.command.push_back(std::move(word));
  options.command.push_back("file:" + file.temporary().string());
  options.log = log_;
  options.feed = true;
  ffmpeg_.emplace(options);
}

void VideoEncoder::fail(const std::string& what) const {
  throw Failure(what + last_lines(log_));
}

void VideoEncoder::add(std::string_view png, const std::function<bool()>& go_on) {
  if (!ffmpeg_)
    file_.write(png);
  else if (!ffmpeg_->write(png, picture_patience, go_on))
    fail("ffmpeg takes no more pictures");
}

void VideoEncoder::finish(const std::function<bool()>& go_on) {
  if (!ffmpeg_) return;
  ffmpeg_->close_input();
  const auto code = ffmpeg_->wait(end_patience, go_on);
  if (!code) fail("ffmpeg was stopped");
  if (*code != 0) fail(fmt::format("ffmpeg ended with code {}", *code));
}

}  // namespace vinci
