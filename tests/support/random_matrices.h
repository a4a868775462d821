// SPDX-License-Identifier: Apache-2.0
// Random dense matrices of classes that theory speaks of.
#pragma once

#include <random>

#include "vinci/base/math.h"

namespace vinci {

inline MatrixX random_matrix(int rows, int cols, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return MatrixX::NullaryExpr(rows, cols, [&] { return normal(random); });
}

// A Aᵀ + skew: positive definite, not symmetric, hence a P-matrix.
inline MatrixX random_p_matrix(int n, std::mt19937_64& random) {
  const MatrixX A = random_matrix(n, n, random), S = random_matrix(n, n, random);
  return A * A.transpose() + 0.1 * MatrixX::Identity(n, n) + S - S.transpose();
}

}  // namespace vinci
