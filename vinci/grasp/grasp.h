// SPDX-License-Identifier: Apache-2.0
// Force closure of planar grasps. Fingers touch a body at points p with inward normals n; a finger
// gives every force of its friction cone, whose edges are n ± μ t. A grasp is closed if these
// forces balance every force and torque on the body: if the wrenches of the edges span the
// three-dimensional space with positive weights [Nguyen 1988].
#pragma once

#include <span>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

struct GraspContact {
  Vector2 position;       // m
  Vector2 normal;         // into the body; its length does not matter
  double friction = 0.0;  // μ
};

// Whether the grasp is closed. The boundary counts as open: a grasp that is within 1e-12
// (relative) of it is not closed. Throws Error on numbers that are not finite, normals of no
// length, negative friction, and more than 64 contacts.
bool force_closure(std::span<const GraspContact> contacts);

// The smallest friction that serves: with μ above it at all contacts the grasp is closed, below it
// is not. 0 where any friction does, or none is needed; infinity where no friction does. The
// contacts' own friction is not looked at. Throws as force_closure().
double friction_required(std::span<const GraspContact> contacts);

// The loaded contacts of a body in a planar step, its supports on the table left out.
std::vector<GraspContact> grasp_contacts(std::span<const SolvedContact> contacts, int body);

}  // namespace vinci
