// SPDX-License-Identifier: Apache-2.0
// Linear systems with constant coefficients, in continuous or in sampled time:
//   x' = A x + B u,  y = C x + D u      or      x(k+1) = A x(k) + B u(k),  y(k) = C x(k) + D u(k).
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

using Complex = std::complex<double>;
using ComplexVector = Eigen::VectorXcd;
using ComplexMatrix = Eigen::MatrixXcd;

struct LinearSystem {
  MatrixX a, b, c, d;
  double sample = 0.0;  // s between samples; 0: continuous time
  // Names for people, one per state, input and output; or none.
  std::vector<std::string> states = {}, inputs = {}, outputs = {};

  int state_count() const { return static_cast<int>(a.rows()); }
  int input_count() const { return static_cast<int>(d.cols()); }
  int output_count() const { return static_cast<int>(d.rows()); }
  bool is_sampled() const { return sample > 0.0; }
};

// Throws Error where sizes do not fit each other, a number is not finite, or the sample time is
// negative.
void check_system(const LinearSystem& system);
// y = D u, without states.
LinearSystem constant_system(const MatrixX& gain, double sample = 0.0);

// C (s I − A)⁻¹ B + D at a point s, or z, of the plane; infinite at a pole.
ComplexMatrix value_at(const LinearSystem& system, Complex point);

// The part from some inputs to some outputs, with all states.
LinearSystem channel(const LinearSystem& system, const std::vector<int>& inputs,
                     const std::vector<int>& outputs);
// second after first: y = S₂ S₁ u.
LinearSystem in_series(const LinearSystem& first, const LinearSystem& second);
// y = S₁ u + S₂ u.
LinearSystem in_parallel(const LinearSystem& first, const LinearSystem& second);
// u = w + sign · K y around the plant, from w to y. Throws Error where the loop has no solution:
// I − sign · D K is singular.
LinearSystem closed_loop(const LinearSystem& plant, const LinearSystem& feedback, double sign);

// exp of a square matrix, balanced before [Parlett 1969]: units of states do not matter.
MatrixX exponential_of(const MatrixX& matrix);
// The plant between a hold of zero order and a sampler: exact at the samples.
LinearSystem sampled_with_hold(const LinearSystem& continuous, double sample);
// A sampled system as a continuous one by w = (z − 1)/(z + 1): the unit circle z = exp(iθ) becomes
// the imaginary axis, w = i tan(θ/2), and values there are the same. Throws Error for a pole at −1.
LinearSystem bilinear(const LinearSystem& sampled);

}  // namespace vinci
