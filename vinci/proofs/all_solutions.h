// SPDX-License-Identifier: Apache-2.0
// All solutions of a small problem. The law of each block is a union of pieces (law_pieces.h); a
// choice of one piece per block leaves linear equations and inequalities. The tree of choices is
// searched block by block, and a branch is cut where the linear program of the pieces chosen so
// far, with the convex hulls of the other laws, has no point. A choice whose equations are singular
// but consistent holds a whole polyhedron of solutions, reported once, with its dimension.
//
// Sliding in space is bent: each sector of directions that the linear program leaves is searched by
// Newton's method from its middle, which proves nothing; `complete` is false then.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "vinci/base/clock.h"
#include "vinci/complementarity/problem.h"
#include "vinci/complementarity/residual.h"
#include "vinci/proofs/law_pieces.h"

namespace vinci {

struct FoundSolution {
  Solution solution;             // of a continuum: a point inside it
  Residual residual;             // by the judge
  std::vector<BlockMode> modes;  // per block
  int dimension = 0;             // 0: isolated; otherwise of the set of (u, λ) that it stands for
};

struct AllSolutions {
  std::vector<FoundSolution> solutions;  // in the order of the search, which is fixed
  bool complete = false;                 // every solution is among them, to rounding
  std::string note;                      // why it is not complete, "" if it is
  long pieces = 0;                       // choices of one piece per block that were looked into
  long cut = 0;                          // branches without a point
  double seconds = 0.0;
};

struct AllSolutionsLimits {
  int rows = 24;  // of the problem; more are refused
  int solutions = 10000;
  long choices = std::numeric_limits<long>::max();  // of pieces for the first blocks, looked into
  double seconds = 60.0;
  double tolerance = 1e-8;               // relative residual that the judge may measure
  Interruption* interruption = nullptr;  // asked beside the time; null: nobody
};

// Throws Error where the problem is not valid, too large, or has a law without pieces.
AllSolutions all_solutions(const ComplementarityProblem& problem,
                           const AllSolutionsLimits& limits = {});

// "open, stick, slide": the modes in the order of the blocks.
std::string to_string(const std::vector<BlockMode>& modes);

}  // namespace vinci
