// SPDX-License-Identifier: Apache-2.0
// How a constraint h(q) that acts is driven to zero [Baumgarte 1972; Bortoff 2020, eq. (6)]:
//
//   h'' + α₁ h' + p(h) = 0,   p(h) = α₀ h + α₂ h³ + ...: odd powers, none negative
//
// Once it has settled h is zero whatever else acts: stiffness and damping say how an impact goes
// on, not how deep bodies lie in each other at rest.
#pragma once

#include <vector>

#include "vinci/base/dual.h"
#include "vinci/base/math.h"

namespace vinci {

struct Stabilisation {
  double damping = 0.0;         // α₁, 1/s
  std::vector<double> springs;  // α₀ in 1/s², α₂ in 1/(m² s²), ...: of h, h³, h⁵, ...

  template <class T>
  T pull(const T& h) const {  // p(h)
    T sum(0.0), power = h;
    for (const double coefficient : springs) {
      sum += coefficient * power;
      power *= h * h;
    }
    return sum;
  }
  // Zero where the constraint is obeyed.
  template <class T>
  T error(const Series<T>& h) const {
    return h.second + damping * h.first + pull(h.value);
  }
};

// Throws Error where a number is negative or not finite, or where nothing pulls towards zero.
void check(const Stabilisation& stabilisation);

// Critically damped: both poles at −1/time_scale (s, > 0).
Stabilisation settling_in(double time_scale);

// The linear law whose impact gives back `restitution` (0 < e <= 1) times the speed of touching,
// where no other force acts along h; 1/time_scale is its natural frequency. With D the damping
// ratio the force ends when h'' = 0, after the angle acos(2 D² − 1) of the damped oscillation, so
//   e = exp(−D acos(2 D² − 1) / √(1 − D²)),  D < 1;  e = exp(−2) at D = 1;
//   e = exp(−D acosh(2 D² − 1) / √(D² − 1)),  D > 1.
Stabilisation restituting(double restitution, double time_scale);
double restitution(double damping_ratio);  // e of D >= 0

}  // namespace vinci
