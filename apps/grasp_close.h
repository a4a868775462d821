// SPDX-License-Identifier: Apache-2.0
// `vinci grasp SCENE --close ROBOT`: fingers close on a body before its grasp is looked at.
#pragma once

#include "apps/command.h"
#include "vinci/grasp/closing_run.h"
#include "vinci/grasp/recorded_grasp.h"

namespace vinci {

struct CloseFlags {
  std::string robot, speed, effort, output;
  std::vector<std::string> joints;
  bool statically = false, dynamic = false, overwrite = false, quiet = false;
  ChoiceFlags choices;

  bool given() const { return !robot.empty() || !joints.empty(); }
};
void add_close_flags(CLI::App& subcommand, CloseFlags& flags);
// Throws Error if flags are given that belong to closing.
void refuse_close_flags(const CloseFlags& flags);

// How fingers closed, and the grasp that they came to.
struct ClosedGrasp {
  NamedGrasp named;
  std::shared_ptr<const Model> model;
  std::vector<ClosedJoint> joints;
  bool dynamic = false, at_rest = true;
  double speed = 0.0, time = 0.0;           // s at the end
  std::int64_t steps = 0, uncertified = 0;  // dynamically
  double worst_residual = 0.0;              // of them
  std::string output;                       // the recording, or ""
};
// `by`: bodies whose contacts count; those of the robot if empty, or all if none is named.
ClosedGrasp close_on(const std::string& scene, const std::string& object,
                     const std::vector<std::string>& by, const CloseFlags& flags);

Json closing_json(const ClosedGrasp& closed);
void print_closing(const ClosedGrasp& closed);

}  // namespace vinci
