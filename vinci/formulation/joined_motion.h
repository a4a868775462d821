// SPDX-License-Identifier: Apache-2.0
// The motion without contact that joints allow: M u = p + Jᵀλ with the equality rows J of joints
// alone, by the Schur complement J M⁻¹ Jᵀ + C. Rows that others imply share their load.
#pragma once

#include <Eigen/Cholesky>

#include "vinci/formulation/joint_blocks.h"
#include "vinci/linear/mass_factor.h"

namespace vinci {

class JoinedMotion {
 public:
  // M and p of the problem; false: nothing is joined by rows, or M is singular, and u stays.
  bool solve(const ComplementarityProblem& problem, const JointBlocks& blocks, VectorX& u);

  // The same in two parts, for several momenta p beside rows without b; false: M is singular.
  bool prepare(const ComplementarityProblem& problem, const JointBlocks& blocks);
  void respond(const VectorX& p, VectorX& u);

 private:
  void find_inverse(const VectorX& p);

  ComplementarityProblem rows_;
  MassFactor factor_;
  MatrixX columns_, schur_;
  VectorX load_, column_, inverse_;
  Eigen::LDLT<MatrixX> ldlt_;
};

}  // namespace vinci
