// SPDX-License-Identifier: Apache-2.0
// What a joint forbids, as rows over the velocity of b against a: for joints that close loops, and
// for maximal coordinates.
//
// A row says linear · (v_b(P) − v_a(P)) + angular · (ω_b − ω_a) = 0, with P the origin of frame B
// as a point of either body. `error` is a length or (nearly) an angle whose derivative the row is,
// exactly and wherever the bodies are: the bodies are together where all errors vanish.
//
//   place      e · (P − P_A), e an axis fixed in A
//   parallel   x_A · z_B and y_A · z_B: sines; also zero where z_B = −z_A
//   rotation   2 v along A's axes, (w, v) the quaternion of B against A with w >= 0: 2 sin(θ/2)
//   screw      z_A · (P − P_A) − p θ, θ the turns about z next to those of before
//   universal  z_A · x_B
#pragma once

#include <array>

#include "vinci/model/joint.h"
#include "vinci/model/model.h"

namespace vinci {

struct JointRow {
  Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
  double error = 0.0;  // m or rad
};

inline constexpr int most_joint_rows = 6;
struct JointRows {
  int count = 0;
  std::array<JointRow, most_joint_rows> rows;
};

// How many rows: what the world leaves less the freedoms. In the plane kinds without a meaning
// there (joint.h) have none.
int joint_row_count(JointKind kind, World world);

// `angle` is that of a screw before, next to which its turns are counted.
void joint_rows(const Joint& joint, World world, const Pose& body_a, const Pose& body_b,
                double angle, JointRows& rows);

}  // namespace vinci
