// SPDX-License-Identifier: Apache-2.0
// Saves chosen steps' problems while a run goes on: --dump-problems.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "vinci/recording/run_loop.h"

namespace vinci {

class ProblemDump : public StepWatcher {
 public:
  // "every 100", "worst", "step 12,40", or "" for none. Throws Error naming the flag.
  ProblemDump(const std::string& rule, std::filesystem::path folder, std::string name);
  void after_step(const Simulation& simulation) override;  // Error when a file cannot be written
  void finish();                                           // writes the worst problem
  const std::vector<std::string>& files() const { return files_; }

 private:
  void save(std::int64_t step, const ComplementarityProblem& problem, const Solution& solution);

  std::filesystem::path folder_;
  std::string name_;
  std::int64_t every_ = 0;
  std::vector<std::int64_t> steps_;  // sorted
  bool worst_ = false;
  double worst_residual_ = -1.0;
  std::int64_t worst_step_ = -1;
  ComplementarityProblem worst_problem_;
  Solution worst_solution_;
  std::vector<std::string> files_;
};

}  // namespace vinci
