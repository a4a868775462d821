// SPDX-License-Identifier: Apache-2.0
// A server with a job, a browser that fetches it, and an encoder that takes the pictures: the page
// posts them in order. Whatever happens, browser and encoder end, and their folder goes.
#include "vinci/viewing/render.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include "vinci/base/clock.h"
#include "vinci/base/error.h"
#include "vinci/recording/recording.h"
#include "vinci/viewing/child_process.h"
#include "vinci/viewing/output_file.h"
#include "vinci/viewing/server.h"
#include "vinci/viewing/temporary_folder.h"
#include "vinci/viewing/video_encoder.h"
#include "vinci/viewing/viewer_page.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

constexpr double patience = 60.0;  // s without a picture
constexpr double most_pictures = 100'000;
constexpr int smallest = 16, largest = 8192;  // pixels

struct Span {
  double begin = 0.0, end = 0.0;  // s, simulated
};

// What the recordings hold, and that they hold the body to follow.
Span span_of(const std::vector<std::filesystem::path>& paths, const RenderOptions& options) {
  Span span{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  bool found = !options.follow;
  for (const auto& path : paths) {
    const Recording recording(path);
    span.begin = std::min(span.begin, recording.info(0).time);
    span.end = std::max(span.end, recording.info(recording.frames() - 1).time);
    const auto& names = recording.body_names();
    found = found || std::count(names.begin(), names.end(), *options.follow) > 0;
  }
  if (!found) throw Error(fmt::format("no recording has a body '{}'", *options.follow), "--follow");
  if (options.grasp) {
    const std::vector<std::string> names = Recording(paths.at(0)).body_names();
    if (std::count(names.begin(), names.end(), *options.grasp) == 0)
      throw Error(fmt::format("the first recording has no body '{}'", *options.grasp), "--grasp");
  }
  return span;
}

double time_within(double time, const Span& span, const char* flag) {
  const double slack = 1e-9 * std::max(1.0, std::abs(span.end));
  if (!(time >= span.begin - slack && time <= span.end + slack))
    throw Error(fmt::format("{:g} s is outside of what is recorded; accepted: {:g} to {:g}", time,
                            span.begin, span.end),
                flag);
  return time;
}

std::vector<double> picture_times(const RenderOptions& options, const Span& span, bool single) {
  if (options.at && !single) throw Error("is for a single picture (.png)", "--at");
  if (single && (options.from || options.to))
    throw Error("a single picture has a time: --at", "--from, --to");
  if (single) return {time_within(options.at.value_or(span.end), span, "--at")};
  const double from = time_within(options.from.value_or(span.begin), span, "--from");
  const double to = time_within(options.to.value_or(span.end), span, "--to");
  if (from > to) throw Error("the end lies before the beginning", "--from, --to");
  const double pictures = std::floor((to - from) / options.speed * options.rate + 1e-6) + 1.0;
  if (!(pictures <= most_pictures))
    throw Error(
        fmt::format("this would be {:.3g} pictures; accepted: at most {:g}. --speed, "
                    "--fps, --from and --to make it fewer",
                    pictures, most_pictures));
  std::vector<double> times(static_cast<std::size_t>(pictures));
  for (std::size_t i = 0; i < times.size(); ++i)
    times[i] = std::min(to, from + static_cast<double>(i) * options.speed / options.rate);
  return times;
}

void check(const RenderOptions& options) {
  if (std::min(options.width, options.height) < smallest ||
      std::max(options.width, options.height) > largest)
    throw Error(fmt::format("{}x{} is not accepted; accepted: {} to {} pixels each", options.width,
                            options.height, smallest, largest),
                "--size");
  if (!(options.rate > 0.0 && options.rate <= 240.0))
    throw Error("accepted: above 0, up to 240 pictures per second", "--fps");
  if (!(options.speed > 0.0 && std::isfinite(options.speed)))
    throw Error("accepted: a number above 0", "--speed");
  if (options.theme != "light" && options.theme != "dark")
    throw Error(fmt::format("'{}' is not accepted; accepted: light, dark", options.theme),
                "--theme");
  if (!options.layout.empty() && options.layout != "single" && options.layout != "side-by-side" &&
      options.layout != "ghost")
    throw Error(
        fmt::format("'{}' is not accepted; accepted: single, side-by-side, ghost", options.layout),
        "--layout");
  for (const double number : options.camera.value_or(std::array<double, 6>{}))
    if (!std::isfinite(number)) throw Error("accepted: six finite numbers", "--camera");
}

std::string job_json(const RenderOptions& options, const std::vector<double>& times,
                     std::size_t runs) {
  Json job = {{"width", options.width}, {"height", options.height},     {"times", times},
              {"theme", options.theme}, {"contacts", options.contacts}, {"cones", options.cones}};
  job["layout"] = !options.layout.empty() ? options.layout : runs > 1 ? "side-by-side" : "single";
  job["follow"] = options.follow ? Json(*options.follow) : Json();
  job["joints"] = options.joints;
  job["grasp"] = options.grasp ? Json(*options.grasp) : Json();
  job["camera"] = nullptr;
  if (options.camera) {
    const auto& c = *options.camera;
    job["camera"] = {{"position", {c[0], c[1], c[2]}}, {"target", {c[3], c[4], c[5]}}};
  }
  return job.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The width and height in the header of a PNG file; 0, 0 if it is not one.
std::pair<std::uint32_t, std::uint32_t> png_size(std::string_view png) {
  constexpr std::string_view head("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  if (png.size() < 33 || !png.starts_with(head)) return {0, 0};
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      value = value << 8 | static_cast<unsigned char>(png[i]);
    return value;
  };
  return {number(16), number(20)};
}

// Takes the pictures that the page posts, and knows how the job stands.
class Job {
 public:
  Job(const RenderOptions& options, std::vector<double> times, std::size_t runs,
      VideoEncoder& encoder)
      : options_(options), total_(static_cast<std::int64_t>(times.size())), encoder_(encoder) {
    hooks.job = job_json(options, times, runs);
    hooks.picture = [this](std::int64_t number, std::string_view png) { take(number, png); };
    hooks.done = [this] { done(); };
    hooks.failed = [this](const std::string& text) {
      fail("the page could not draw: " + text.substr(0, 2000));
    };
  }

  RenderHooks hooks;

  bool wants_more() const { return error_.empty() && !finished_; }
  double silence() const { return since_last_.seconds(); }  // s since the last picture
  void fail(const std::string& text) {
    if (error_.empty()) error_ = text;
  }
  void check() const {
    if (!error_.empty()) throw Failure(error_);
  }

 private:
  void take(std::int64_t number, std::string_view png) {
    try {
      if (number != next_ || number >= total_)
        throw Error(fmt::format("picture {} came where {} was due", number, next_));
      const auto [width, height] = png_size(png);
      if (width != static_cast<std::uint32_t>(options_.width) ||
          height != static_cast<std::uint32_t>(options_.height))
        throw Error(fmt::format("picture {} is no PNG of the size asked for", number));
      encoder_.add(png, options_.go_on);
    } catch (const Error& error) {
      fail(error.what());
      throw;
    }
    ++next_;
    since_last_.lap();
    if (options_.progress) options_.progress(next_, total_);
  }
  void done() {
    if (next_ != total_) fail(fmt::format("the page ended after {} of {} pictures", next_, total_));
    finished_ = true;
  }

  const RenderOptions& options_;
  std::int64_t total_, next_ = 0;
  VideoEncoder& encoder_;
  Stopwatch since_last_;
  std::string error_;
  bool finished_ = false;
};

ChildOptions browser_options(const std::filesystem::path& program, const TemporaryFolder& folder,
                             const std::string& address, const RenderOptions& options) {
  const std::string home = folder.path().string();
  ChildOptions child;
  child.command = {program.string(),
                   "--headless=new",
                   "--remote-debugging-pipe",
                   "--user-data-dir=" + home + "/profile",
                   fmt::format("--window-size={},{}", options.width, options.height),
                   "--force-device-scale-factor=1",
                   "--hide-scrollbars",
                   "--mute-audio",
                   "--use-angle=swiftshader",
                   "--enable-unsafe-swiftshader",
                   "--disable-background-timer-throttling",
                   "--disable-renderer-backgrounding",
                   "--disable-quic",
                   "--disable-background-networking",
                   "--disable-component-update",
                   "--disable-default-apps",
                   "--disable-extensions",
                   "--disable-sync",
                   "--disable-breakpad",
                   "--disable-dev-shm-usage",
                   "--no-first-run",
                   "--no-default-browser-check"};
  if (geteuid() == 0) child.command.push_back("--no-sandbox");  // Chromium's rule for root
  child.command.push_back("file://" + folder.leading_page(address).string());
  child.environment = {"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home,
                       "TMPDIR=" + home};
  child.log = folder.path() / "browser.log";
  child.lifeline = true;
  return child;
}

std::filesystem::path required_browser() {
  const auto program =
      find_program({"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"});
  if (program.empty())
    throw Failure(
        "pictures are drawn by Chromium, which is not installed; on Debian: apt install chromium");
  return program;
}

void draw(Job& job, const std::vector<std::filesystem::path>& recordings,
          const TemporaryFolder& folder, const RenderOptions& options) {
  ServerOptions serving;
  serving.render = &job.hooks;
  ViewServer server(recordings, serving);
  // The fragment lets the page know that there is a job for it.
  ChildOptions child =
      browser_options(required_browser(), folder, server.address() + "#render", options);
  ChildProcess browser(child);
  server.serve([&] {
    if (options.go_on && !options.go_on())
      job.fail("stopped; nothing was written");
    else if (const auto code = browser.exit_code())
      job.fail(fmt::format("Chromium ended with code {}{}", *code, last_lines(child.log)));
    else if (job.silence() > patience)
      job.fail(fmt::format("no picture for {:g} s; Chromium's last words{}", patience,
                           last_lines(child.log)));
    return job.wants_more();
  });
}

}  // namespace

RenderResult render(const std::vector<std::filesystem::path>& recordings,
                    const std::filesystem::path& out, const RenderOptions& options) {
  required_viewer_page();
  const std::string kind = VideoEncoder::kind_of(out);
  check(options);
  const auto times = picture_times(options, span_of(recordings, options), kind == "png");
  required_browser();
  RenderResult result;
  result.pictures = static_cast<std::int64_t>(times.size());
  OutputFile file(out, options.overwrite);
  const TemporaryFolder folder;
  VideoEncoder encoder(kind, {options.width, options.height, options.rate, result.pictures}, file,
                       folder.path());
  Job job(options, times, recordings.size(), encoder);
  draw(job, recordings, folder, options);
  job.check();
  encoder.finish(options.go_on);
  std::error_code code;
  result.bytes = std::filesystem::file_size(file.temporary(), code);
  file.complete();
  return result;
}

}  // namespace vinci
