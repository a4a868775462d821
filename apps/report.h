// SPDX-License-Identifier: Apache-2.0
// The result of a run, for people and for programs; read from its recording.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/command.h"

namespace vinci {

struct RunResult {
  std::string name;   // of the scene, short
  std::string title;  // of the scene
  std::filesystem::path recording;
  RunSummary summary;
  RunFacts facts;
  std::int64_t frames = 0;
  std::uint64_t bytes = 0;  // of the file
  bool interrupted = false;
  bool strict = false;                // ends at the first step that is not certified
  std::vector<std::string> problems;  // files of dumped problems
};

// The facts of a recording that is complete as far as it goes.
RunResult result_of(const Recording& recording, const std::string& name);

void print_summary(const RunResult& result);
void print_profile(const RunSummary& summary);
void print_table(const std::vector<RunResult>& results);
Json to_json(const RunResult& result);

}  // namespace vinci
