// SPDX-License-Identifier: Apache-2.0
// The numbers of joints that recordings keep of a frame, in their order: the coordinates of all
// joints, their rates, what couplings hold, then per joint what it bore in the step, as means over
// it: along its freedoms the motor's effort, friction and limits, and force and moment on the
// second body of what it keeps together, about the joint's point, along axes of the world.
#pragma once

#include <string>
#include <vector>

#include "vinci/model/model.h"

namespace vinci {

// What a joint bore in a step, on body b.
struct SolvedJoint {
  // Of what it keeps together: N s, and N m s about the joint's point, along axes of the world.
  Vector3 impulse = Vector3::Zero(), moment = Vector3::Zero();
  // Along its freedoms, N s or N m s.
  Vector3 motor = Vector3::Zero(), friction = Vector3::Zero(), limit = Vector3::Zero();
};

// "elbow.position [rad]", "elbow.rate [rad/s]", "elbow.motor [N m]", "elbow.force_x [N]"; joints of
// several freedoms count them: "wrist.position_0 [rad]".
std::vector<std::string> joint_columns(const Model& model);
// How many of them belong to the state: coordinates, rates and what couplings hold.
int joint_state_width(const Model& model);

}  // namespace vinci
