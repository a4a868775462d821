// SPDX-License-Identifier: Apache-2.0
// Restitution of several contacts in one step: Newton's law then may ask for more energy than there
// was, and leaves out in which order bodies met.
#pragma once

#include <span>
#include <vector>

#include "vinci/stepping/stepper.h"

namespace vinci {

// The contacts of a step that ask for restitution.
struct Rebounds {
  const Contact* first = nullptr;
  bool joint = false;   // of several pairs of bodies
  double energy = 0.0;  // J, that their landings took and that they may give back
};

// Whether another contact is between other bodies, and one that moves is in both.
bool meets_elsewhere(const Model& model, const Contact& contact, const EntityKey& other);

// Whether a contact that was hit has a body that another contact with restitution acts on as well.
bool has_joint_impacts(const Model& model, const std::vector<ReboundMemory>& landings,
                       const std::vector<SolvedContact>& contacts);

// The bodies' kinetic energy at the poses, with these velocities, J.
double kinetic_energy(const Model& model, std::span<const Pose> poses, const VectorX& velocities);

}  // namespace vinci
