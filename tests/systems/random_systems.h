// SPDX-License-Identifier: Apache-2.0
// Seeded linear systems, and pairings of sets of complex numbers.
#pragma once

#include <random>
#include <vector>

#include <Eigen/QR>

#include "vinci/systems/linear_system.h"

namespace vinci {

inline MatrixX random_matrix(std::mt19937_64& random, int rows, int columns) {
  std::normal_distribution<double> normal;
  return MatrixX::NullaryExpr(rows, columns, [&] { return normal(random); });
}

inline MatrixX random_rotation(std::mt19937_64& random, int size) {
  return MatrixX(Eigen::HouseholderQR<MatrixX>(random_matrix(random, size, size)).householderQ());
}

inline LinearSystem random_system(std::mt19937_64& random, int states, int inputs, int outputs) {
  return {random_matrix(random, states, states), random_matrix(random, states, inputs),
          random_matrix(random, outputs, states), random_matrix(random, outputs, inputs)};
}

// The largest distance of a value from the one it is paired with, nearest pairs first; infinite
// where their numbers differ.
inline double set_distance(const ComplexVector& a, const ComplexVector& b) {
  if (a.size() != b.size()) return infinity;
  std::vector<bool> used(static_cast<std::size_t>(b.size()), false);
  double largest = 0.0;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    double least = infinity;
    std::size_t nearest = 0;
    for (std::size_t k = 0; k < used.size(); ++k)
      if (!used[k] && std::abs(a[i] - b[static_cast<Eigen::Index>(k)]) < least) {
        least = std::abs(a[i] - b[static_cast<Eigen::Index>(k)]);
        nearest = k;
      }
    used[nearest] = true;
    largest = std::max(largest, least);
  }
  return largest;
}

}  // namespace vinci
