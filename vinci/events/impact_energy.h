// SPDX-License-Identifier: Apache-2.0
// Impacts that give energy: a contact with little damping lets go above the place where it took
// hold, and what presses has worked on the way.
#pragma once

#include <string>
#include <vector>

#include "vinci/model/model.h"

namespace vinci {

struct ImpactGain {
  std::string what;    // "constraint 'floor'", "materials 'rubber' and 'steel'"
  double gain = 0.0;   // J per kg of inertia along h, the most that was found
  double speed = 0.0;  // of touching where it was found: the rate of h
};

// Of contacts among the constraints, and of pairs of materials on shapes of the model, under its
// gravity. `time_scale` is that of the stepper, with which materials rebound that have a
// restitution alone.
std::vector<ImpactGain> impact_gains(const Model& model, double time_scale);
std::string text_of(const ImpactGain& gain);  // one sentence

}  // namespace vinci
