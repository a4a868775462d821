// SPDX-License-Identifier: Apache-2.0
// Prescribed motion and applied forces, from the expressions of the scene or from code (motion.h).
//
// The coordinates x, y, z of a body are those of its frame's origin O, roll, pitch and yaw those of
// R = Rz(yaw) Ry(pitch) Rx(roll); a planar body has x, y and yaw. Packed velocities belong to the
// centre of mass, c in the body frame, so a prescribed translation contributes v_O + ω × R c. In
// space the three angles are prescribed together or not at all; a body with a prescribed
// translation and free rotation has c = 0. The scene compiler sees to both.
#pragma once

#include "vinci/model/model.h"
#include "vinci/model/state.h"

namespace vinci {

// Applied forces over a step, packed: f − c v per entry, v the velocity at the end of the step.
struct LinearForces {
  VectorX at_rest;  // f
  VectorX drag;     // c >= 0; empty: none

  void add_to(VectorX& forces, const VectorX& velocities) const {
    forces += at_rest;
    if (drag.size() > 0) forces -= drag.cwiseProduct(velocities);
  }
};

// Position of a prescribed coordinate at time t, with exact first and second derivative.
Jet prescribed_coordinate(const Body& body, int coordinate, double time);

// Replaces the prescribed coordinates of the pose by their values at time t. Where the rotation is
// prescribed, a free translation keeps the centre of mass (its unknown) where it is.
void place_prescribed(const Body& body, double time, Pose& pose);

// Writes the exact prescribed velocities at time t into the packed vector; free entries stay.
// `poses` are those at time t.
void prescribe_velocities(const Model& model, double time, const std::vector<Pose>& poses,
                          VectorX& velocities);

// Applied generalised force on every packed entry at the state's time: gravity and the drives'
// forces (not the velocity product). Forces act at the centre of mass, torques about it, along
// world axes. A drive reads q, its coordinate (m, of the centre of mass; the angle in [−π, π] of a
// planar body, rad; not available, NaN, for rotations in space), and v, its packed velocity entry.
// Prescribed entries get gravity's share; the stepper ignores it.
void applied_forces(const Model& model, const State& state, VectorX& forces);

// The same with other velocities than those of the state.
void applied_forces(const Model& model, const State& state, const VectorX& velocities,
                    VectorX& forces);
// Whether a drive is a force that depends on its velocity.
bool reads_velocity(const Drive& drive);
// ∂f/∂v of every packed entry with these velocities; 0 where a derivative does not exist.
void force_slopes(const Model& model, const State& state, const VectorX& velocities,
                  VectorX& slopes);

}  // namespace vinci
