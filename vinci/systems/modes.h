// SPDX-License-Identifier: Apache-2.0
// What a linear system can do by itself, and what of it inputs reach and outputs show.
//
// Ranks are decided by singular values against `tolerance` times the size of the balanced matrices:
// what lies below counts as zero.
#pragma once

#include "vinci/systems/linear_system.h"

namespace vinci {

inline constexpr double rank_tolerance = 1e-10;

// States scaled by powers of two so that rows and columns of A are of one size [Parlett 1969]:
// values and poles stay, rounding falls. The scales, x_balanced = x / scale.
LinearSystem balanced(const LinearSystem& system, VectorX* scales = nullptr);

// Eigenvalues of A, sorted by their real parts, then by the imaginary ones.
ComplexVector poles(const LinearSystem& system);
bool is_stable(const LinearSystem& system);  // all strictly inside of the half plane, or circle
// Of a pole s, or of s = ln(z)/T of a pole z: |s| in rad/s, and −Re s / |s|; of s = 0 and of z = 0
// (which settles in one sample) 1.
double natural_frequency(Complex pole, double sample = 0.0);
double damping_ratio(Complex pole, double sample = 0.0);

// Where the rank of [A − s I, B; C, D] falls below its normal one [Emami-Naeini 1982].
struct Zeros {
  ComplexVector values;  // sorted as poles are
  int normal_rank = 0;   // of the transfer matrix
};
Zeros invariant_zeros(const LinearSystem& system, double tolerance = rank_tolerance);

// The part that inputs reach and outputs show, by orthogonal staircases [Van Dooren 1981]. The
// names of states are lost.
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
