// SPDX-License-Identifier: Apache-2.0
// Serves the page of a study, what is known of its cases, and cases again as recordings, each in
// the player below an address of its own (docs/viewer.md). Cases are simulated by programs that are
// started for them: one that crashes or hangs takes nobody along, and the player shows them while
// they run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vinci/viewing/server.h"
#include "vinci/viewing/study_watch.h"

namespace vinci {

// The program that simulates a case into a file, and says so as `vinci study repeat --json` does.
using ReplayCommand = std::function<std::vector<std::string>(std::uint64_t number,
                                                             const std::filesystem::path& file)>;

class StudyServer {
 public:
  // Throws Error: no page in this build, an address that is not available.
  StudyServer(StudyWatch watch, ReplayCommand replay, const ServerOptions& options);
  StudyServer(StudyServer&&) noexcept;
  ~StudyServer();

  std::string address() const;  // of the page, with its token
  // Once. Until `go_on`, asked ten times a second, says no.
  void serve(const std::function<bool()>& go_on);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vinci
