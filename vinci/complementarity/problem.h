// SPDX-License-Identifier: Apache-2.0
// The one problem form:
//
//   0 = M u − Jᵀ λ − p
//   w = J u + C λ + b          each block (λᵢ, wᵢ) obeys its law
//
// An LCP has no u (n = 0): C is its matrix, b its vector. A contact block lists the normal row
// first. Plain data; a stepper refills it every step without allocating.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/linear/sparse_rows.h"

namespace vinci {

enum class Law : std::uint8_t {
  equality,     // w = 0, λ free; any size
  nonnegative,  // 0 <= λ ⟂ w >= 0; size 1
  box,          // lower <= λ <= upper; w = 0 inside, w >= 0 at lower, w <= 0 at upper; size 1
  ball,         // |λ| <= radius, w = 0 inside, λ = −radius w/|w| otherwise; size 1 or 2
  coulomb,  // exact: 0 <= λ_n ⟂ w_n >= 0, |λ_t| <= μ λ_n, λ_t = −μ λ_n w_t/|w_t| where w_t ≠ 0;
            // size 2 or 3
  second_order,  // convex relaxation: K ∋ λ ⟂ w ∈ K*, K = {|λ_t| <= μ λ_n}; size 2 or 3
  moments,  // coulomb of up to three tangents, and |λ_r| <= μ_r λ_n, λ_r = −μ_r λ_n w_r/|w_r|
            // where w_r ≠ 0 (rolling), and the same of λ_s (torsion); rows (n, t, r, s)
};
std::string to_string(Law law);

struct Block {
  Law law = Law::nonnegative;
  int offset = 0, size = 1;
  double friction = 0.0;                                   // μ: coulomb, second_order, moments
  double lower = 0.0;                                      // box
  double upper = std::numeric_limits<double>::infinity();  // box; ball: radius
  double rolling = 0.0;                                    // μ_r, a length: moments
  double torsion = 0.0;                                    // μ_τ, a length: moments
  std::uint8_t tangents = 0;  // moments: rows of λ_t, 1 to 3; 0: as many as of λ_r
  std::uint8_t spins = 0;     // moments: rows of λ_s, 0 or 1; the others are λ_r, up to 2
};
inline constexpr int largest_contact = 6;  // rows of the largest block that is not an equality

struct ComplementarityProblem {
  SparseRows M;               // n × n, square; n may be 0
  SparseRows J;               // m × n
  SparseRows C;               // m × m
  VectorX p;                  // n
  VectorX b;                  // m
  std::vector<Block> blocks;  // cover the m rows in order

  int unknowns() const { return static_cast<int>(p.size()); }
  int rows() const { return static_cast<int>(b.size()); }
  // "" if sizes, indices and laws fit together and every number is finite (bounds may be infinite);
  // otherwise what is wrong, in words.
  std::string why_invalid() const;
};

struct Solution {
  VectorX u;       // n
  VectorX lambda;  // m
};

}  // namespace vinci
