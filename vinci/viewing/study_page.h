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
  std::function<bool()> go_on;  // asked now and then; if it says no, nothing is written
};

// All cases that are done; gives the size of the file. The file is complete or not there. Throws
// Error: a ledger that cannot be read, a file that exists or cannot be written, stopped.
std::uint64_t write_study_page(const std::filesystem::path& out, StudyWatch& watch,
                               const StudyPageOptions& options);

}  // namespace vinci
