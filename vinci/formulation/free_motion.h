// SPDX-License-Identifier: Apache-2.0
// The motion of bodies apart from contact: inertia, momentum after the step without contact
// impulses, and the advance of poses by a velocity.
//
// The velocity product −ω × Iω of a spatial body enters as the impulse of the implicit midpoint
// rule in body axes,
//   I (ω′ − ω) = −h ω_m × I ω_m,   ω_m = (ω + ω′)/2,
// which keeps kinetic energy and |Iω| to rounding (quadratic invariants); the explicit form of
// [Stewart 1996] gains energy in every step. A rotation by exp(h ω) leaves ω unchanged in body
// axes, so nothing is lost between steps.
//
// The viscous friction −c v of supports is taken at the end of the step: Σ c JᵀJ stands beside M.
#pragma once

#include <vector>

#include "vinci/complementarity/problem.h"
#include "vinci/model/actuation.h"
#include "vinci/model/state.h"

namespace vinci {

// Inertia about the centre of mass in world axes, kg m².
Matrix3 world_inertia(const Body& body, const Quaternion& rotation);

// ω′ of the midpoint rule above, body axes; ω is in rad/s.
Vector3 gyroscopic_update(const Matrix3& inertia, const Vector3& omega, double h);

// Σ c JᵀJ of the body's supports over its packed entries, N s/m; false if there is none.
bool viscous_matrix(const Body& body, const Pose& pose, Matrix6& c);
// Adds the drag on the body beside it; false if there is none.
bool add_drag_of(const LinearForces& forces, const Body& body, Matrix6& c);

// Inertia matrix M + h c and momentum p = M vˡ + h f of the free entries, and the velocity v they
// lead to (packed; prescribed entries keep what `velocities` holds).
void free_motion(const Model& model, const State& state, const LinearForces& forces, double h,
                 SparseRows& inertia, VectorX& momentum, VectorX& velocities);

// The same where there is no momentum: (M + c) u = f with the inertia read as damping, p = f.
void damped_motion(const Model& model, const std::vector<Pose>& poses, const LinearForces& forces,
                   SparseRows& inertia, VectorX& forces_out, VectorX& velocities);

// The same without inertia: M is c and the supports' viscosity alone, p = f; free velocities become
// zero.
void weightless_motion(const Model& model, const std::vector<Pose>& poses,
                       const LinearForces& forces, VectorX& velocities, SparseRows& viscosity,
                       VectorX& forces_out);

// The inertia of the free entries alone.
void inertia_matrix(const Model& model, const std::vector<Pose>& poses, SparseRows& inertia);

// Pose of a body after moving for h seconds with the twist of its centre of mass; prescribed
// coordinates are not treated here.
Pose advanced(const Body& body, const Pose& pose, const Twist& twist, double h);

}  // namespace vinci
