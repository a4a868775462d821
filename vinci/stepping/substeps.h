// SPDX-License-Identifier: Apache-2.0
// One report and one list of contacts out of those of the substeps of a step.
#pragma once

#include <vector>

#include "vinci/stepping/stepper.h"

namespace vinci {

// Impulses add up by key and patch point; geometry and velocities are those of the last substep
// that has the contact; the solve is the worst of them with all iterations.
class SubstepSum {
 public:
  explicit SubstepSum(std::vector<SolvedContact>& workspace) : solved_(workspace) {
    solved_.clear();
  }
  void add(const StepReport& report, const std::vector<SolvedContact>& solved);
  void add(Stage stage, double seconds) { further_[static_cast<int>(stage)] += seconds; }
  bool ended() const { return report_.ending != Ending::none || report_.diverged_body >= 0; }
  // The report of the step; `solved` becomes the contacts of all substeps, sorted by key.
  StepReport finish(std::vector<SolvedContact>& solved);

 private:
  StepReport report_;
  int count_ = 0;
  StageSeconds further_{};  // between the substeps
  std::vector<SolvedContact>& solved_;
};

}  // namespace vinci
