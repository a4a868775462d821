// SPDX-License-Identifier: Apache-2.0
// Problems without inertia whose answers are written down by hand: 0 = D u − Jᵀλ − f, w = J u + b.
#pragma once

#include <utility>
#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci::test {

// D = 0 and C = 0.
inline ComplementarityProblem statics(const MatrixX& J, const VectorX& f, const VectorX& b,
                                      std::vector<Block> blocks) {
  ComplementarityProblem problem;
  problem.M.reset(static_cast<int>(f.size()));
  for (int i = 0; i < f.size(); ++i) problem.M.end_row();
  problem.J = SparseRows::from_dense(J);
  problem.C.reset(static_cast<int>(b.size()));
  for (int i = 0; i < b.size(); ++i) problem.C.end_row();
  problem.p = f;
  problem.b = b;
  problem.blocks = std::move(blocks);
  return problem;
}

inline Block touching(int offset) {
  return {.law = Law::nonnegative, .offset = offset};
}
// A normal and a tangent, or two.
inline Block rubbing(int offset, int size, double friction) {
  return {.law = Law::coulomb, .offset = offset, .size = size, .friction = friction};
}
// Friction of a known limit, N.
inline Block lying(int offset, int size, double limit) {
  return {.law = Law::ball, .offset = offset, .size = size, .upper = limit};
}

inline VectorX numbers(std::initializer_list<double> values) {
  return Eigen::Map<const VectorX>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace vinci::test
