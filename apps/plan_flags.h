// SPDX-License-Identifier: Apache-2.0
// What `vinci plan` is asked: flags, and numbers and ranges within them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "apps/command.h"
#include "vinci/passage/passage.h"

namespace vinci {

struct PlanFlags {
  std::string scene, body, robot, tip, output;
  std::vector<std::string> goal, starts, bounds, joints, hold, carried;
  ChoiceFlags choices;
  std::string clearance = "0", self_clearance = "0", resolution = "0";
  long effort = PassageQuery{}.effort;
  unsigned long seed = 0;
  bool overwrite = false;

  // Joints are to move, not a body.
  bool moves_joints() const { return !robot.empty() || !tip.empty() || !joints.empty(); }
};

// Numbers of the flags may use the scene's parameters.
class PlanNumbers {
 public:
  explicit PlanNumbers(const Model& model);
  double operator()(const std::string& text, const std::string& flag) const;

 private:
  std::vector<std::string> names_;
  std::vector<double> values_;
};

using Assignments = std::vector<std::pair<std::string, std::string>>;
// "name=value, name=value", cut at commas outside of parentheses; `form` is told in messages.
Assignments assignments(const std::string& text, const std::string& flag, const std::string& form);
// "name, name" of all the texts.
std::vector<std::string> names_in(const std::vector<std::string>& texts, const std::string& flag);
// "name=lower..upper" of all the texts, either end may be missing; a number alone is both.
std::map<std::string, CoordinateRange> plan_ranges(const std::vector<std::string>& texts,
                                                   const PlanNumbers& numbers,
                                                   const std::string& flag);

// "path.h5" for a single start, "path-2.h5" for the second of several.
std::string recording_of(const PlanFlags& flags, std::size_t index);

// What a search answers, start by start.
struct PlanRun {
  const PlanFlags& flags;
  const Command& command;
  const Simulation& simulation;
  std::shared_ptr<const Plugins> plugins;
};
// apps/plan_robot.cpp: the same for joints.
int plan_robot(const PlanRun& run);

}  // namespace vinci
