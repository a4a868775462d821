// SPDX-License-Identifier: Apache-2.0
// Families of random problems, each with what theory says of its members.
#pragma once

#include <span>
#include <string>

#include "tests/random/draw.h"
#include "vinci/complementarity/problem.h"

namespace vinci::test {

enum class Theory {
  open,        // nothing is known of its solutions
  solvable,    // there is one, and methods that are sure to find it
  impossible,  // there is none
};

struct RandomProblem {
  ComplementarityProblem problem;
  Theory theory = Theory::open;
  bool unique = false;  // λ, and well conditioned
  VectorX known;        // a solution; empty if none is known
};

// A defect that is known: the problem of this number, of seed 1, which auto does not solve, or does
// not prove impossible, where theory says that it can be. The reason is that of the best answer;
// the other methods were tried as well.
struct KnownFailure {
  long number;
  const char* reason;
};
inline constexpr const char* sweeps_stall = "the sweeps make no further progress";
inline constexpr const char* small_ends = "the sweeps of small problems end";
inline constexpr const char* sweeps_end = "the sweeps run out";
inline constexpr const char* newton_stalls = "Newton's steps make no further progress";
inline constexpr const char* minimum = "the path ends at a minimum of its merit function";
inline constexpr const char* cycles = "the sets of principal pivoting come back";

struct Family {
  const char* name;
  const char* text;                             // what is random in it, why the theory holds
  RandomProblem (*make)(Draw& draw, int size);  // of about `size` rows
  double weight = 1.0;  // of the family in the number of problems: less for the costly ones
  std::span<const KnownFailure> failures = {};
};

std::span<const Family> scalar_families();   // LCP, mixed LCP, relay
std::span<const Family> contact_families();  // contact, cones, joints, mixtures

// What both make use of.
MatrixX random_semidefinite(Draw& draw, int size, int rank);
MatrixX random_skew(Draw& draw, int size);
std::vector<Block> scalar_blocks(int size, Law law);
// w = W λ + q, no u.
ComplementarityProblem local_problem(const MatrixX& W, const VectorX& q, std::vector<Block> blocks);

}  // namespace vinci::test
