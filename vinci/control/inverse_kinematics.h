// SPDX-License-Identifier: Apache-2.0
// Joint coordinates that bring a tip to a pose: damped least squares [Levenberg 1944, Marquardt
// 1963] with the coordinates kept within their limits by an active set, from several starts. What
// is left over where the target is out of reach, and how near a singular configuration the answer
// is, are told.
#pragma once

#include "vinci/control/robot.h"

namespace vinci {

struct InverseKinematicsOptions {
  double position_tolerance = 1e-10;  // m
  double rotation_tolerance = 1e-10;  // rad
  // m: errors of rotation times this length count beside those of position; 0: the distance from
  // the tip to the first joint before it, or 1 m where that is nothing.
  double length = 0.0;
  bool position_only = false;
  int iterations = 200;  // per start
  int starts = 200;      // at most: the given one, then others spread over the limits
  // Redundant joints: coordinates that are kept near, as far as the tip allows. Empty: the middle
  // of limits that are finite, elsewhere the start.
  bool posture = false;
  VectorX preferred = {};
  // Rates that may be used to lead the tip; the other joints stay. Empty: all.
  std::vector<int> rates = {};
};

struct InverseKinematicsResult {
  bool reached = false;         // within both tolerances
  VectorX positions;            // of all joints; the nearest that was found
  double position_error = 0.0;  // m, remaining
  double rotation_error = 0.0;  // rad, remaining
  // Of the Jacobian at the answer, rows of rotation times `length`: 0 where the tip cannot move in
  // some direction, or not without limit.
  double smallest_singular_value = 0.0;
  bool singular = false;  // it is below 1e-6 of the largest
  int iterations = 0, starts = 0;
};

// From these coordinates on. The robot is left at the answer. Throws Error for numbers that are not
// finite, and for lists of another length than the coordinates of the joints.
InverseKinematicsResult inverse_kinematics(Robot& robot, const Tip& tip, const Pose& target,
                                           const VectorX& start,
                                           const InverseKinematicsOptions& options = {});

}  // namespace vinci
