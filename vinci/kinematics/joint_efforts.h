// SPDX-License-Identifier: Apache-2.0
// Efforts along the freedoms of joints as forces on bodies.
#pragma once

#include <vector>

#include "vinci/kinematics/recursive.h"
#include "vinci/model/model.h"

namespace vinci {

// Adds to packed forces what efforts do (N or N m per joint rate, positive where they drive b
// against a towards larger coordinates): on b, and the opposite on a. Their power is Σ effort ·
// rate, whatever the bodies do besides, so that rates of joints and bodies change as by the efforts
// themselves.
void add_joint_efforts(const Model& model, const std::vector<Pose>& poses,
                       Eigen::Ref<const VectorX> efforts, Eigen::Ref<VectorX> forces);

// Of forces along the unknowns, what acts on a body: on its own free entries, about its centre of
// mass, or, of a body that hangs on a joint, along the freedoms of the joint. `tree` null: nothing
// hangs.
Twist unknown_load(const Model& model, const Tree* tree, int body, const VectorX& forces);

}  // namespace vinci
