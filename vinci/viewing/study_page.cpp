// SPDX-License-Identifier: Apache-2.0
#include "vinci/viewing/study_page.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/viewing/encoding.h"
#include "vinci/viewing/output_file.h"
#include "vinci/viewing/viewer_page.h"

namespace vinci {
namespace {

constexpr std::string_view study_marker = "<!--vinci:study-->";
constexpr double stop_seconds = 0.25;  // between two questions whether to stop

struct Halves {
  std::string_view before, after;
};

// The page around the place where a study goes.
Halves page_halves() {
  const std::string_view page = required_study_page();
  const auto place = page.find(study_marker);
  if (place == std::string_view::npos) throw Error("the page has no place for a study");
  return {page.substr(0, place), page.substr(place + study_marker.size())};
}

void check_stop(const StudyPageOptions& options) {
  if (options.go_on && !options.go_on()) throw Error("stopped; no page was written");
}

struct Blocks {
  std::vector<std::string> texts;
  std::uint64_t kept = 0;
};

// The cases, or as many of them as there is room for.
Blocks blocks_of(const StudyWatch& watch, const StudyPageOptions& options) {
  double share = 1.0;
  while (true) {
    const std::vector<std::uint64_t> rows = watch.drawn(share);
    if (rows.empty() && watch.rows() > 0)
      throw Error(fmt::format("no case has room in {} bytes; accepted: a larger --max-size",
                              options.max_bytes));
    Blocks blocks;
    std::uint64_t bytes = 0;
    while (blocks.kept < rows.size() && bytes <= options.max_bytes) {
      check_stop(options);
      const auto part = std::span(rows).subspan(
          blocks.kept, std::min<std::size_t>(StudyWatch::block_rows, rows.size() - blocks.kept));
      blocks.texts.push_back(base64(gzip(watch.block(part, blocks.kept))));
      bytes += blocks.texts.back().size();
      blocks.kept += part.size();
    }
    if (bytes <= options.max_bytes) return blocks;
    const double room = static_cast<double>(options.max_bytes) / static_cast<double>(bytes);
    share *= std::min(
        0.95, 0.95 * room * static_cast<double>(blocks.kept) / static_cast<double>(rows.size()));
  }
}

}  // namespace

std::string study_page_for_server() {
  const auto [before, after] = page_halves();
  return std::string(before) + std::string(after);
}

StudyPageResult write_study_page(const std::filesystem::path& out, StudyWatch& watch,
                                 const StudyPageOptions& options) {
  const auto [before, after] = page_halves();
  OutputFile file(out, options.overwrite);
  do {
    check_stop(options);
    watch.refresh(stop_seconds);
  } while (watch.is_behind());
  const Blocks blocks = blocks_of(watch, options);
  file.write(before);
  file.write(R"(<script type="application/json" id="vinci-study">)");
  file.write(script_json(watch.description(blocks.kept)));
  file.write("</script>\n<script type=\"application/json\" id=\"vinci-study-report\">");
  file.write(script_json(watch.report()));
  file.write("</script>\n");
  for (const std::string& block : blocks.texts) {
    file.write(R"(<script type="text/plain" class="vinci-study-block">)");
    file.write(block);
    file.write("</script>\n");
  }
  file.write(after);
  file.complete();
  return {file.bytes(), watch.rows(), blocks.kept};
}

}  // namespace vinci
