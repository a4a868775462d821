// SPDX-License-Identifier: Apache-2.0
// One report and one list of contacts out of those of the substeps and impacts of a step.
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
  void add_impact(const StepReport& report, const std::vector<SolvedContact>& solved);
  // Impulses of joints add up likewise; none: there are no joints.
  void add_joints(const std::vector<SolvedJoint>& joints);
  void finish_joints(std::vector<SolvedJoint>& joints) { joints.swap(joints_); }
  void add(Stage stage, double seconds) { further_[static_cast<int>(stage)] += seconds; }
  // Detections and time of what was tried and not taken.
  void add_work(const StepReport& report);
  void add_detection() { ++passes_; }
  int impacts() const { return impacts_; }
  bool ended() const { return report_.ending != Ending::none || report_.diverged_body >= 0; }
  // The report of the step; `solved` becomes the contacts of all substeps, sorted by key.
  StepReport finish(std::vector<SolvedContact>& solved);

 private:
  void merge(const StepReport& report, const std::vector<SolvedContact>& solved);

  StepReport report_;
  int parts_ = 0;
  int count_ = 0, impacts_ = 0;
  int passes_ = 0;          // between the substeps
  StageSeconds further_{};  // between the substeps
  std::vector<SolvedContact>& solved_;
  std::vector<SolvedJoint> joints_;
};

}  // namespace vinci
