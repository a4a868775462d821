// SPDX-License-Identifier: Apache-2.0
// Restitution in a step: Newton's law may ask for more energy than there was, and several contacts
// leave out in which order bodies met.
#pragma once

#include <span>
#include <vector>

#include "vinci/stepping/stepper.h"

namespace vinci {

// The contacts of a step that ask for restitution.
struct Rebounds {
  bool any = false;     // contacts or limits of joints are to rebound
  double energy = 0.0;  // J, that their landings took and that they may give back
  double taken = 0.0;   // J, that all landings took whose rebounds are due; 0: not known
};

// Whether a contact that is struck, by its key, has a body that another contact with restitution
// acts on as well.
bool has_joint_impacts(const Model& model, std::span<const EntityKey> struck,
                       const std::vector<SolvedContact>& contacts);

// ½ ΔvᵀM Δv of a step, J, which it takes besides the work of its contacts: from the velocities
// before it, and without the turn of spins that no torque makes from those foreseen without
// contact.
struct StepVelocities {
  const VectorX &before, &foreseen, &after;  // packed
};
double energy_of_change(const Model& model, std::span<const Pose> poses,
                        const StepVelocities& step);

}  // namespace vinci
