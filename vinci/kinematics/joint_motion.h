// SPDX-License-Identifier: Apache-2.0
// How a joint lets its bodies move: from coordinates to poses and back, and the axes of its rates.
//
// P is the origin of frame B. The velocity of b against a is that of P as a point of b less that of
// P as a point of a, and the difference of the angular velocities; all in world axes.
#pragma once

#include <array>

#include "vinci/model/joint.h"

namespace vinci {

inline constexpr int most_freedoms = 3;
using JointAxes = std::array<Twist, most_freedoms>;

// Frame B against frame A; q has position_count(kind) numbers, those of a ball are w, x, y, z.
Pose joint_pose(const Joint& joint, const double* q);

// Velocity of b against a per rate: the velocity is Σ u_k axes[k]. Returns how many there are. The
// bodies are where the joint lets them be.
int joint_axes(const Joint& joint, const Pose& body_a, const Pose& body_b, JointAxes& axes);
// Whether an axis is fixed to b as a screw axis in space, or else to a: S' = V × S with the twist V
// of that body.
bool is_carried_by_b(JointKind kind, int freedom);

// The coordinates of two poses. q holds those before, next to which turns are counted and the sign
// of a quaternion is chosen. Where poses are off the joint, what the coordinates leave over is what
// the rows of joint_rows.h measure.
void read_coordinates(const Joint& joint, const Pose& body_a, const Pose& body_b, double* q);

// Coordinates after moving with the rates u for h seconds: q ← q + h u, of a ball q ← q exp(h u).
void advance(const Joint& joint, const double* u, double h, double* q);

// Rates at which coordinates (which may be off the joint) change: the coordinate's derivative is
// linear · (velocity) + angular · (angular velocity) of b against a, exactly that of
// read_coordinates; of a ball the angular velocity along an axis of B.
Twist rate_row(const Joint& joint, const Pose& body_a, const Pose& body_b, int freedom);

// The angle that differs from `angle` by whole turns and is nearest to `before`.
double unwrapped(double angle, double before);

}  // namespace vinci
