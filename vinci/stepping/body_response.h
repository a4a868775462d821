// SPDX-License-Identifier: Apache-2.0
// How fast bodies get by impulses on some of them, where joints hand these on to others.
#pragma once

#include <vector>

#include "vinci/formulation/joined_motion.h"

namespace vinci {

class BodyResponse {
 public:
  // M of the problem, and the equality rows of joints; the tree is that of the poses, and is kept
  // by reference.
  void begin(const Tree& tree, const ComplementarityProblem& problem, const JointBlocks& joints);
  // At the end of an arm from the centre of mass, N s; and a moment, N m s.
  void push(int body, const Vector3& arm, const Vector3& impulse, const Vector3& moment);
  // Packed velocities that the impulses since the last answer lead to.
  const VectorX& answer();

 private:
  const Tree* tree_ = nullptr;
  JoinedMotion motion_;
  bool regular_ = false;
  VectorX impulses_, unknowns_, velocities_, rates_;
  std::vector<BodyColumn> columns_;
};

}  // namespace vinci
