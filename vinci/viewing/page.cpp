// SPDX-License-Identifier: Apache-2.0
// Recordings that are too large for the page are thinned: every so many frames one is kept. The
// stride follows from the size of a few samples; should that have been too hopeful, a larger one is
// tried. Each run has an equal share of the size, and leaves to the others what it does not need.
#include "vinci/viewing/page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/viewing/description.h"
#include "vinci/viewing/encoding.h"
#include "vinci/viewing/frame_block.h"
#include "vinci/viewing/output_file.h"
#include "vinci/viewing/run_events.h"
#include "vinci/viewing/viewer_page.h"

namespace vinci {
namespace {

constexpr std::string_view marker = "<!--vinci:runs-->";
constexpr std::size_t block_bytes = 2u << 20;  // before compression: what a page decodes at once
constexpr std::size_t sample_bytes = 256u << 10;
constexpr int samples = 5;

struct Run {
  Recording recording;
  std::int64_t stride = 1;
  double frame_bytes = 0.0;  // in the page, estimated
  std::int64_t through = 0;  // a frame that is kept

  std::int64_t first() const { return through % stride; }
  std::int64_t kept() const { return (recording.frames() - 1 - first()) / stride + 1; }
};

void check_stop(const PageOptions& options) {
  if (options.go_on && !options.go_on()) throw Error("stopped; no page was written");
}

std::string next_block(const Recording& recording, std::int64_t first, std::int64_t stride,
                       std::size_t bytes) {
  FrameQuery query;
  query.first = first;
  query.stride = stride;
  query.count = (recording.frames() - 1 - first) / stride + 1;
  return frame_block(recording, query, {bytes, std::numeric_limits<double>::infinity()});
}

std::string encoded(const std::string& block) {
  return base64(gzip(block));
}

double sampled_frame_bytes(const Recording& recording) {
  double bytes = 0.0, frames = 0.0;
  for (int i = 0; i < samples; ++i) {
    const std::int64_t first = (recording.frames() - 1) * i / samples;
    const std::string block = next_block(recording, first, 1, sample_bytes);
    bytes += static_cast<double>(encoded(block).size());
    frames += read_header(block).frames;
  }
  return bytes / frames;
}

// The stride of every run, so that their data fit into `budget` bytes if the samples are right.
void choose_strides(std::vector<Run>& runs, double budget) {
  std::vector<Run*> by_need;
  for (Run& run : runs) {
    run.frame_bytes = sampled_frame_bytes(run.recording);
    by_need.push_back(&run);
  }
  const auto need = [](const Run* run) {
    return run->frame_bytes * static_cast<double>(run->recording.frames());
  };
  std::stable_sort(by_need.begin(), by_need.end(),
                   [&](const Run* a, const Run* b) { return need(a) < need(b); });
  for (std::size_t i = 0; i < by_need.size(); ++i) {
    Run& run = *by_need[i];
    const double share = budget / static_cast<double>(by_need.size() - i);
    const double stride = std::ceil(need(&run) / std::max(share, 1.0));
    run.stride = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min(stride, 1e15)), 1,
                                          run.recording.frames());
    budget -= run.frame_bytes * static_cast<double>(run.kept());
  }
}

void write_descriptions(OutputFile& file, const std::vector<Run>& runs) {
  file.write("<script type=\"application/json\" id=\"vinci-runs\">[");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) file.write(",");
    file.write(script_json(run_description(runs[i].recording, runs[i].stride, runs[i].first())));
  }
  file.write("]</script>\n");
}

void write_models(OutputFile& file, const Recording& recording, std::size_t index) {
  file.write(fmt::format(
      "<script type=\"application/json\" class=\"vinci-models\" data-run=\"{}\">[", index));
  for (int version = 0; version < recording.models(); ++version) {
    if (version > 0) file.write(",");
    file.write(script_json(checked_model(recording, version)));
  }
  file.write("]</script>\n");
}

void write_events(OutputFile& file, const Recording& recording, std::size_t index) {
  if (!recording.is_event_driven()) return;
  file.write(fmt::format(
      "<script type=\"application/json\" class=\"vinci-events\" data-run=\"{}\">{}</script>\n",
      index, script_json(run_events(recording))));
}

// Returns the bytes of the run's data; gives up beyond `most`.
double write_blocks(OutputFile& file, const Run& run, std::size_t index, double most,
                    const PageOptions& options) {
  double bytes = 0.0;
  for (std::int64_t done = 0; done < run.kept() && bytes <= most;) {
    check_stop(options);
    std::string block =
        next_block(run.recording, run.first() + done * run.stride, run.stride, block_bytes);
    BlockHeader header = read_header(block);
    header.first = static_cast<std::uint32_t>(done);
    header.stride = 1;
    set_header(block, header);
    const std::string text = encoded(block);
    file.write(
        fmt::format("<script type=\"text/plain\" class=\"vinci-block\" data-run=\"{}\" "
                    "data-first=\"{}\" data-count=\"{}\">",
                    index, done, header.frames));
    file.write(text);
    file.write("</script>\n");
    bytes += static_cast<double>(text.size());
    done += header.frames;
  }
  return bytes;
}

// What is told of grasps in a frame of the first run.
void write_grasps(OutputFile& file, const Run& run, const PageOptions& options) {
  for (const std::string& grasp : options.grasps)
    file.write(
        fmt::format("<script type=\"application/json\" class=\"vinci-grasp\" "
                    "data-run=\"0\" data-frame=\"{}\">{}</script>\n",
                    (run.through - run.first()) / run.stride, script_json(grasp)));
}

// Returns the bytes of all runs' data.
double write_all(OutputFile& file, const std::vector<Run>& runs, double most,
                 const PageOptions& options) {
  const std::string_view page = required_viewer_page();
  const auto place = page.find(marker);
  if (place == std::string_view::npos) throw Error("the viewer's page has no place for recordings");
  file.write(page.substr(0, place));
  write_descriptions(file, runs);
  if (!options.comparison.empty())
    file.write("<script type=\"application/json\" id=\"vinci-comparison\">" +
               script_json(options.comparison) + "</script>\n");
  if (options.over)
    file.write("<script type=\"application/json\" id=\"vinci-over\">true</script>\n");
  write_grasps(file, runs[0], options);
  double bytes = 0.0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    write_models(file, runs[i].recording, i);
    write_events(file, runs[i].recording, i);
    bytes += write_blocks(file, runs[i], i, most - bytes, options);
  }
  file.write(page.substr(place + marker.size()));
  return bytes;
}

bool thinned_to_the_end(const std::vector<Run>& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const Run& run) { return run.kept() == 1; });
}

}  // namespace

PageResult write_page(const std::filesystem::path& out,
                      std::span<const std::filesystem::path> recordings,
                      const PageOptions& options) {
  required_viewer_page();
  std::vector<Run> runs;
  for (const auto& path : recordings) runs.push_back({Recording(path)});
  runs.at(0).through = std::clamp<std::int64_t>(options.through, 0, runs[0].recording.frames() - 1);
  OutputFile file(out, options.overwrite);
  const auto budget = static_cast<double>(options.max_bytes);
  if (options.stride > 0) {
    for (Run& run : runs) run.stride = std::min(options.stride, run.recording.frames());
    write_all(file, runs, std::numeric_limits<double>::infinity(), options);
  } else {
    choose_strides(runs, budget);
    while (write_all(file, runs, budget, options) > budget) {
      if (thinned_to_the_end(runs))
        throw Error(fmt::format("not even one frame per run fits into {:.3g} MB", budget * 1e-6),
                    out.string());
      for (Run& run : runs)
        run.stride = std::min(run.stride + (run.stride + 7) / 8, run.recording.frames());
      file.restart();
    }
  }
  file.complete();
  PageResult result{file.bytes(), {}};
  for (const Run& run : runs)
    result.runs.push_back(
        {run.recording.path().filename().string(), run.recording.frames(), run.kept(), run.stride});
  return result;
}

}  // namespace vinci
