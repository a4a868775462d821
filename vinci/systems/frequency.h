// SPDX-License-Identifier: Apache-2.0
// Responses to sines, and how far a loop is from the border of stability.
#pragma once

#include <vector>

#include "vinci/systems/stability.h"

namespace vinci {

// Values at s = iω, or z = exp(iω T), per frequency (rad/s); infinite at poles. Throws Error for
// frequencies that are not finite.
std::vector<ComplexMatrix> frequency_response(const LinearSystem& system,
                                              const VectorX& frequencies);
// Singular values of these, largest first, one row per frequency.
MatrixX singular_values(const std::vector<ComplexMatrix>& response);
// Evenly spread in the logarithm about the sizes of poles and zeros, up to the Nyquist frequency of
// a sampled system.
VectorX frequencies_of_interest(const LinearSystem& system, int count);

// Where the loop L of one input and one output, closed by u = −y, meets the border of stability.
// Every crossing, found as zeros of a system of twice the size; of sampled loops with poles at 1
// and at −1 as changes of sign on a fine grid.
struct Crossing {
  double frequency = 0.0;  // rad/s
  double margin = 0.0;     // of the gain: a factor; of the phase: rad
};
struct Margins {
  // L(iω) < 0: stability changes at L times this factor; ω may be infinite, or half the sampling
  // frequency.
  std::vector<Crossing> gain;
  std::vector<Crossing> phase;  // |L(iω)| = 1: L may lag by this angle in (−π, π] until −1 is met
  // The closed loop; without a solution (L = −1 at infinity) unstable.
  Stability stability = Stability::unstable;
  bool is_stable() const { return stability == Stability::stable; }
  // The nearest crossings: least |log factor|, least |angle|; infinite where there is none.
  double gain_margin = infinity, phase_margin = infinity;
  double delay_margin = infinity;  // s: the least delay that takes a lagging phase to −1
  double modulus_margin = 0.0;     // the least |1 + L(iω)|
};
// Throws Error for several inputs or outputs.
Margins margins(const LinearSystem& loop);

}  // namespace vinci
