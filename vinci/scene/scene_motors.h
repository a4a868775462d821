// SPDX-License-Identifier: Apache-2.0
// The same scene with other motors.
#pragma once

#include <map>
#include <string>

#include "vinci/scene/scene.h"

namespace vinci {

// A velocity servo along a joint of one freedom, in its own units.
struct VelocityServo {
  double velocity = 0.0;  // rad/s or m/s
  double damping = 0.0;   // N m s/rad or N s/m
  double limit = 0.0;     // N m or N
};

// The named joints get these servos in place of the motors that they have. Throws Error naming a
// joint that is not there, SceneError if the scene is impossible with them.
Scene with_servos(const Scene& scene, const std::map<std::string, VelocityServo>& servos);

}  // namespace vinci
