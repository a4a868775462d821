// SPDX-License-Identifier: Apache-2.0
// `vinci render`: pictures and videos of recordings.
#include "vinci/viewing/render.h"

#include <charconv>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/progress.h"
#include "apps/still.h"
#include "apps/stop_signal.h"
#include "apps/text.h"

namespace vinci {
namespace {

struct RenderFlags {
  std::vector<std::string> files;  // recordings, then the result
  std::string size = "1280x720", camera;
  RenderOptions options;
  bool no_contacts = false, no_joints = false, quiet = false;
};

void set_size(RenderOptions& options, const std::string& text) {
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, options.width);
  const bool cross = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  const auto height = cross ? std::from_chars(width.ptr + 1, end, options.height)
                            : std::from_chars_result{end, std::errc::invalid_argument};
  if (height.ec != std::errc() || height.ptr != end)
    throw Error(fmt::format("'{}' is not a size; accepted: WIDTHxHEIGHT, e.g. 1280x720", text),
                "--size");
}

void set_camera(RenderOptions& options, const std::string& text) {
  std::array<double, 6> numbers{};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [next, code] = std::from_chars(at, end, numbers[i]);
    const bool last = i + 1 == numbers.size();
    if (code != std::errc() || (last ? next != end : next == end || *next != ','))
      throw Error(fmt::format("'{}' is not a camera; accepted: its position and the point it looks "
                              "at, x,y,z,x,y,z in m",
                              text),
                  "--camera");
    at = next + 1;
  }
  options.camera = numbers;
}

int run_render(RenderFlags& flags, const Command& command) {
  if (flags.files.size() < 2)
    throw Error("give one or more recordings, then the picture or video to write", "vinci render");
  const std::string out = flags.files.back();
  const Stills shown({flags.files.begin(), flags.files.end() - 1}, {});
  RenderOptions& options = flags.options;
  set_size(options, flags.size);
  if (!flags.camera.empty()) set_camera(options, flags.camera);
  options.contacts = !flags.no_contacts;
  options.joints = !flags.no_joints;
  options.go_on = [] { return !stop_wanted(); };
  listen_for_stop();
  RenderResult result;
  try {
    std::optional<Progress> progress;
    options.progress = [&](std::int64_t done, std::int64_t total) {
      if (!progress) progress.emplace(out, 0, total, !flags.quiet && !command.json, "pictures");
      progress->update(done);
    };
    result = render(shown.recordings(), out, options);
  } catch (const Error& error) {
    if (!stop_wanted()) throw;
    say(stderr, "stopped; nothing was written\n");
    return exit_stopped();
  }
  if (command.json)
    print({{"ok", true}, {"file", out}, {"pictures", result.pictures}, {"bytes", result.bytes}});
  else if (!flags.quiet)
    say(stdout, "{}: {}, {}\n", out, plural(result.pictures, "picture"), byte_count(result.bytes));
  return exit_good;
}

void add_time_flags(CLI::App& subcommand, RenderOptions& options) {
  subcommand.add_option("--fps", options.rate, "Pictures per second of the video. [30]")
      ->type_name("NUMBER");
  subcommand.add_option("--from", options.from, "Simulated time to begin at, in s. [the start]")
      ->type_name("NUMBER");
  subcommand.add_option("--to", options.to, "Simulated time to end at, in s. [the end]")
      ->type_name("NUMBER");
  subcommand.add_option("--speed", options.speed, "Simulated seconds per second of the video. [1]")
      ->type_name("NUMBER");
  subcommand.add_option("--at", options.at, "Simulated time of a single picture, in s. [the end]")
      ->type_name("NUMBER");
}

}  // namespace

void add_render(CLI::App& app, Command& command) {
  auto flags = std::make_shared<RenderFlags>();
  RenderOptions& options = flags->options;
  CLI::App* subcommand = add_subcommand(
      app, "render", "Make a picture (.png) or a video (.mp4, .webm, .gif) of recordings.");
  subcommand
      ->add_option(
          "files", flags->files,
          "The recordings (RUN.h5), scenes or models of robots, and last the file to write.")
      ->type_name("")
      ->required();
  subcommand->add_option("--size", flags->size, "Width and height in pixels. [1280x720]")
      ->type_name("WxH");
  add_time_flags(*subcommand, options);
  subcommand->add_option("--theme", options.theme, "Accepted: light, dark. [light]")
      ->type_name("NAME");
  subcommand->add_flag("--no-contacts", flags->no_contacts, "Draw no contacts and forces.");
  subcommand->add_flag("--cones", options.cones, "Draw the friction cones.");
  subcommand->add_flag("--no-joints", flags->no_joints, "Draw no joints.");
  subcommand
      ->add_option("--grasp", options.grasp,
                   "Draw what holds this body: cones, forces, the weakest direction.")
      ->type_name("BODY");
  subcommand
      ->add_option("--layout", options.layout,
                   "Of several recordings. Accepted: single, side-by-side, ghost. [side-by-side]")
      ->type_name("NAME");
  subcommand->add_option("--follow", options.follow, "Keep this body in the middle.")
      ->type_name("BODY");
  subcommand
      ->add_option(
          "--camera", flags->camera,
          "Where the camera is and what it looks at, in m: x,y,z,x,y,z. [everything in view]")
      ->type_name("NUMBERS");
  subcommand->add_flag("--overwrite", options.overwrite, "Replace a file that exists.");
  subcommand->add_flag("--quiet", flags->quiet, "No progress bar and no summary.");
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return run_render(*flags, command); };
  });
}

}  // namespace vinci
