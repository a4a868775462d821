// SPDX-License-Identifier: Apache-2.0
#include "vinci/systems/stability.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "vinci/systems/modes.h"

namespace vinci {

PoleBounds pole_bounds(const LinearSystem& system) {
  PoleBounds found;
  found.poles = poles(system);
  const int n = system.state_count();
  found.bounds = VectorX::Zero(n);
  if (n == 0) return found;
  const MatrixX a = balanced(system).a;
  const Eigen::EigenSolver<MatrixX> solver(a);
  const ComplexVector values = solver.eigenvalues();
  const ComplexMatrix right = solver.eigenvectors();
  const ComplexMatrix left = right.partialPivLu().inverse();
  const MatrixX moved = left.cwiseAbs() * a.cwiseAbs() * right.cwiseAbs();
  const double unit = 4.0 * n * machine_epsilon, size = a.norm();
  for (int i = 0; i < n; ++i) {
    // The eigenvectors of this pole: those of the nearest value, which sorting moved.
    int own = 0;
    for (int k = 1; k < n; ++k)
      if (std::abs(values[k] - found.poles[i]) < std::abs(values[own] - found.poles[i])) own = k;
    double bound = moved(own, own);
    bound = std::isfinite(bound) ? unit * bound : infinity;
    for (int together = 2; together <= n; ++together) {
      const double reach = 4.0 * size * std::pow(unit, 1.0 / together);
      int near = 0;
      for (const Complex& other : found.poles) near += std::abs(other - found.poles[i]) <= reach;
      if (near > together) continue;
      if (near == together) bound = std::min(bound, reach);
      break;
    }
    found.bounds[i] = bound;
  }
  return found;
}

Stability stability(const LinearSystem& system) {
  const PoleBounds found = pole_bounds(system);
  Stability answer = Stability::stable;
  for (Eigen::Index i = 0; i < found.poles.size(); ++i) {
    const Complex pole = found.poles[i];
    const double beyond = system.is_sampled() ? std::abs(pole) - 1.0 : pole.real();
    if (beyond > found.bounds[i]) return Stability::unstable;
    if (!(beyond < -found.bounds[i])) answer = Stability::marginal;
  }
  return answer;
}

const char* to_string(Stability stability) {
  return stability == Stability::stable     ? "stable"
         : stability == Stability::marginal ? "marginal"
                                            : "unstable";
}

}  // namespace vinci
