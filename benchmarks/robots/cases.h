// SPDX-License-Identifier: Apache-2.0
// The mechanisms of the benchmark.
#pragma once

#include "robots/engine.h"

namespace vinci {

RobotCase six_joint_arm();
RobotCase seven_joint_arm();
RobotCase chain(int links);
// Six fingers of two joints press five balls each on a box that they hold against its weight.
RobotCase hand();

// Where the free robot is after its duration: classical Runge–Kutta steps on our articulated
// bodies, of two lengths, extrapolated. `error`: how far the two are apart.
struct FineMotion {
  RobotState end;
  double error = 0.0;
};
FineMotion fine_motion(const RobotCase& robot, double step);

double energy_of(const Model& model, const RobotState& state);  // J
// The deepest overlap by our detector, m.
double overlap_of(const RobotCase& robot, const RobotState& state);
void start_accelerations_of(const Model& model, VectorX& accelerations);

}  // namespace vinci
