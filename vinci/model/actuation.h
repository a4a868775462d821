// SPDX-License-Identifier: Apache-2.0
// Prescribed motion and applied forces, from the expressions of the scene.
#pragma once

#include "vinci/model/model.h"
#include "vinci/model/state.h"

namespace vinci {

// Position of a prescribed coordinate at time t, with exact first and second derivative.
Jet prescribed_coordinate(const Body& body, int coordinate, double time);

// Replaces the prescribed coordinates of the pose by their values at time t; free ones stay. In
// space the rotation is prescribed as a whole, R = Rz(yaw) Ry(pitch) Rx(roll).
void place_prescribed(const Body& body, double time, Pose& pose);

// Writes the exact prescribed velocities at time t into the packed vector; free entries stay.
// `poses` are those at time t.
void prescribe_velocities(const Model& model, double time, const std::vector<Pose>& poses,
                          VectorX& velocities);

// Applied generalised force on every packed entry at the state's time: gravity and the drives'
// forces (not the velocity product). Prescribed entries get their share too; the stepper ignores
// them.
void applied_forces(const Model& model, const State& state, VectorX& forces);

}  // namespace vinci
