// SPDX-License-Identifier: Apache-2.0
// One HTML file that holds the viewer and the recordings it shows: opens without a server, without
// a network, and can be mailed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vinci {

struct PageOptions {
  std::uint64_t max_bytes = 50'000'000;  // of the recordings' data in the page
  std::int64_t stride = 0;  // keep every so many frames, whatever the size; 0: as the size demands
  bool overwrite = false;
  std::string comparison;           // of the runs, comparison_json(); empty: none
  bool over = false;                // the runs over each other at first, the first one solid
  std::int64_t through = 0;         // a frame of the first run that is kept however it is thinned
  std::vector<std::string> grasps;  // answers about that frame, grasp_answer_json()
  std::function<bool()> go_on;      // asked now and then; if it says no, nothing is written
};

struct PageRun {
  std::string name;
  std::int64_t recorded = 0, kept = 0;  // frames
  std::int64_t stride = 1;
};
struct PageResult {
  std::uint64_t bytes = 0;  // of the file
  std::vector<PageRun> runs;
};

// The file is complete or not there. Throws Error: a recording that cannot be read, a file that
// exists or cannot be written, a size that cannot be kept, stopped.
PageResult write_page(const std::filesystem::path& out,
                      std::span<const std::filesystem::path> recordings,
                      const PageOptions& options);

}  // namespace vinci
