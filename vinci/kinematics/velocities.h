// SPDX-License-Identifier: Apache-2.0
// From the unknowns of a step to velocities of bodies and rates of joints, and back.
#pragma once

#include "vinci/kinematics/body_columns.h"
#include "vinci/model/state.h"

namespace vinci {

// Velocities of all bodies, packed, and rates of all joints.
struct Velocities {
  VectorX packed;
  VectorX rates;
};

// The unknowns that these mean.
void gather_unknowns(const Model& model, const Velocities& velocities, VectorX& u);
void gather_unknowns(const Model& model, const State& state, VectorX& u);

// Velocities by these unknowns at the poses; prescribed entries stay as they are.
void spread_unknowns(const Model& model, std::span<const Pose> poses, const VectorX& u,
                     Velocities& velocities);

// Velocities of the bodies that hang on joints, from those of their roots and the rates.
void carry_velocities(const Model& model, std::span<const Pose> poses, const VectorX& rates,
                      VectorX& packed);
// Rates of the joints on which nothing hangs, from the velocities of bodies.
void read_rates(const Model& model, std::span<const Pose> poses, const VectorX& packed,
                VectorX& rates);

}  // namespace vinci
