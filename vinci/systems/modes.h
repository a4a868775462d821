// SPDX-License-Identifier: Apache-2.0
// What a linear system can do by itself, and what of it inputs reach and outputs show.
//
// Ranks are decided by singular values against `tolerance` times the size of the balanced matrices:
// what lies below counts as zero.
#pragma once

#include "vinci/systems/linear_system.h"

namespace vinci {

inline constexpr double rank_tolerance = 1e-10;
// Throws Error unless it is 0 or more, and below 1.
void check_tolerance(double tolerance);

// States scaled by powers of two so that rows and columns of A are of one size [Parlett 1969]:
// values and poles stay, rounding falls. The scales, x_balanced = x / scale.
LinearSystem balanced(const LinearSystem& system, VectorX* scales = nullptr);

// Scaled so that what comes into a state, inputs with it, and what goes out of it, outputs with it,
// are of one size. A state that is hardly reached and shows much counts like any other.
LinearSystem evenly_balanced(const LinearSystem& system);

// Eigenvalues of A, sorted by their real parts, then by the imaginary ones.
ComplexVector poles(const LinearSystem& system);
// All surely inside of the half plane, or circle, beyond rounding (stability.h).
bool is_stable(const LinearSystem& system);
// Of a pole s, or of s = ln(z)/T of a pole z: |s| in rad/s, and −Re s / |s|; of s = 0 and of z = 0
// (which settles in one sample) 1.
double natural_frequency(Complex pole, double sample = 0.0);
double damping_ratio(Complex pole, double sample = 0.0);

// Where the rank of [A − s I, B; C, D] falls below its normal one [Emami-Naeini 1982].
struct Zeros {
  ComplexVector values;  // sorted as poles are
  int normal_rank = 0;   // of the transfer matrix
};
// By orthogonal turns, as the system is scaled.
Zeros zeros_of(const LinearSystem& system, double tolerance);
// Of one input and one output those of channel_form.h, which answer as the system does.
Zeros invariant_zeros(const LinearSystem& system, double tolerance = rank_tolerance);

// The part that inputs reach and outputs show, by orthogonal staircases [Van Dooren 1981]. It
// answers as the system does: else less is taken out, or nothing. The names of states are lost.
struct MinimalPart {
  LinearSystem system;
  ComplexVector unreached;  // poles that no input moves
  ComplexVector unseen;     // of the rest: poles that no output shows
};
MinimalPart minimal_part(const LinearSystem& system, double tolerance = rank_tolerance);

// Per pole, in the order of poles(): the distance of [A − s I, B] and of [A − s I; C] from losing
// rank (their smallest singular value over that size). 0: no input moves it, no output shows it.
struct ModeDistances {
  ComplexVector poles;
  VectorX reached, seen;
};
ModeDistances mode_distances(const LinearSystem& system);

// Sorted by real part, then by imaginary part; complex pairs stay together.
void sort_values(ComplexVector& values);

}  // namespace vinci
