// SPDX-License-Identifier: Apache-2.0
// The page of a study: for a server, or one HTML file with all cases in it, which opens offline and
// cannot replay them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "vinci/viewing/study_watch.h"

namespace vinci {

// Throws Error if the library was built without it.
std::string study_page_for_server();

struct StudyPageOptions {
  bool overwrite = false;
  std::uint64_t max_bytes = 50'000'000;  // of all cases, as the page holds them
  std::function<bool()> go_on;           // asked now and then; if it says no, nothing is written
};

struct StudyPageResult {
  std::uint64_t bytes = 0;  // of the file
  std::uint64_t cases = 0, kept = 0;
};

// The cases that are done; where they are too many, a part of them, drawn at random: what the page
// says of all cases stays that of all. The file is complete or not there. Throws Error: a ledger
// that cannot be read, a file that exists or cannot be written, no room for a single case, stopped.
StudyPageResult write_study_page(const std::filesystem::path& out, StudyWatch& watch,
                                 const StudyPageOptions& options);

}  // namespace vinci
