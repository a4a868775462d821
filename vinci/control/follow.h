// SPDX-License-Identifier: Apache-2.0
// Joints that lead a tip along a path: inverse kinematics at samples, each from the last one, and a
// quintic spline through the answers.
#pragma once

#include "vinci/control/inverse_kinematics.h"
#include "vinci/control/trajectory.h"

namespace vinci {

struct FollowOptions {
  double position_tolerance = 1e-6;  // m: of the tip, between samples as well
  double rotation_tolerance = 1e-6;  // rad
  int most_samples = 4096;
  InverseKinematicsOptions kinematics = {};
};

struct FollowResult {
  bool followed = false;
  std::string why;                                    // not: where and how far the tip is off
  double position_error = 0.0, rotation_error = 0.0;  // largest, between samples
  double smallest_singular_value = 0.0;               // along the path
  // Over the rates that lead the tip (InverseKinematicsOptions::rates, or all); null if not
  // followed.
  std::shared_ptr<const Spline> joints;
};

// From coordinates whose tip is at the path's start (they are corrected if it is not). Samples are
// doubled until the tip is within the tolerances half-way between them. The path's own limits hold
// for the tip; Spline::peaks tells what joints need. Throws Error for robots with balls, whose
// coordinates no spline has.
FollowResult follow(Robot& robot, const Tip& tip, const PosePath& path, const VectorX& start,
                    const FollowOptions& options = {});

}  // namespace vinci
