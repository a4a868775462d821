// SPDX-License-Identifier: Apache-2.0
#include "vinci/viewing/study_page.h"

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

}  // namespace

std::string study_page_for_server() {
  const auto [before, after] = page_halves();
  return std::string(before) + std::string(after);
}

std::uint64_t write_study_page(const std::filesystem::path& out, StudyWatch& watch,
                               const StudyPageOptions& options) {
  const auto [before, after] = page_halves();
  OutputFile file(out, options.overwrite);
  do {
    check_stop(options);
    watch.refresh(stop_seconds);
  } while (watch.is_behind());
  file.write(before);
  file.write(R"(<script type="application/json" id="vinci-study">)");
  file.write(script_json(watch.description()));
  file.write("</script>\n<script type=\"application/json\" id=\"vinci-study-report\">");
  file.write(script_json(watch.report()));
  file.write("</script>\n");
  for (std::uint64_t first = 0; first < watch.rows(); first += StudyWatch::block_rows) {
    check_stop(options);
    file.write(R"(<script type="text/plain" class="vinci-study-block">)");
    file.write(base64(gzip(watch.block(first, StudyWatch::block_rows))));
    file.write("</script>\n");
  }
  file.write(after);
  file.complete();
  return file.bytes();
}

}  // namespace vinci
