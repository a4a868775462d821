// SPDX-License-Identifier: Apache-2.0
// Second-order cone: K ∋ λ ⟂ w ∈ K*, K = {|λ_t| <= μ λ_n}, K* = {μ |w_t| <= w_n}: the convex
// relaxation of Coulomb's law, in which sliding separates with w_n = μ |w_t|. The law is
// associated: its natural map is s λ − P_K(s λ − w), scale-free since K is a cone.
#pragma once

#include "vinci/complementarity/law_ball.h"

namespace vinci::law {

// In place; x = (x_n, x_t).
inline void project_cone(int size, double* x, double friction) {
  const double tangential = norm(size - 1, x + 1);
  if (x[0] >= 0.0 && tangential <= friction * x[0]) return;  // the sign decides where μ = 0
  if (friction * tangential <= -x[0]) {
    for (int i = 0; i < size; ++i) x[i] = 0.0;
    return;
  }
  // (cos, sin) of the half angle: onto the ray of the boundary nearest to x; no μ² can overflow.
  const double cosine = 1.0 / std::hypot(1.0, friction), sine = friction * cosine;
  const double along = x[0] * cosine + tangential * sine;
  x[0] = along * cosine;
  for (int i = 1; i < size; ++i) x[i] *= along * sine / tangential;
}

}  // namespace vinci::law
