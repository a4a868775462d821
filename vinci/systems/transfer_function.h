// SPDX-License-Identifier: Apache-2.0
// One input to one output as k ∏(s − zᵢ) / ∏(s − pᵢ).
#pragma once

#include "vinci/systems/modes.h"

namespace vinci {

struct TransferFunction {
  double gain = 0.0;           // k; 0: nothing comes through
  ComplexVector zeros, poles;  // of the minimal part, sorted
  double sample = 0.0;         // s, of z; 0: of s
  // Its largest relative distance from C (s I − A)⁻¹ B + D, at points near the poles and about
  // their sizes where that is known.
  double miss = 0.0;
  // Beyond this |s| rounding of A, B and C leaves open what comes through: zeros out there, and how
  // many more poles than zeros there are, are not determined. Infinite where they are.
  double known_up_to = infinity;

  // Whether the miss is more than rounding leaves.
  bool is_trusted() const;

  // Coefficients, highest power first; the denominator begins with 1.
  VectorX numerator() const;
  VectorX denominator() const;
  Complex at(Complex point) const;
};

TransferFunction transfer_function(const LinearSystem& system, int input, int output,
                                   double tolerance = rank_tolerance);
// From coefficients, highest power first, in controllable form. Throws Error for a numerator of
// higher degree than the denominator, and for denominators that are zero.
LinearSystem system_of(const VectorX& numerator, const VectorX& denominator, double sample = 0.0);

// Coefficients of ∏(s − rᵢ), highest power first; roots come in conjugate pairs.
VectorX polynomial_of(const ComplexVector& roots);

}  // namespace vinci
