// SPDX-License-Identifier: Apache-2.0
// The graph of a law as a union of pieces: which of λ and w obey which equations and inequalities.
// Scalar laws and planar friction have linear pieces, and they are all of the graph. A round cone
// is open, sticks (λ within the cone) or slides, w_t = s d, λ_t = −μ λ_n d with one direction d:
// that is bent, and enclosed here by linear conditions over sectors of d.
#pragma once

#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci {

// The state of a block, in words for those who read it.
enum class BlockMode : char {
  held,    // equality: w = 0
  open,    // λ = 0
  closed,  // a nonnegative row with w = 0
  lower,   // a box at its lower bound
  inside,  // a box with w = 0
  upper,   // a box at its upper bound
  stick,   // w = 0, λ within its cone or ball
  slide,   // λ_t opposite to w_t on the edge
};
const char* to_string(BlockMode mode);

// Σ factor · (λ or w of a row) + constant, = 0 or >= 0.
struct PieceCondition {
  struct Term {
    int row;
    bool of_w;
    double factor;
  };
  std::vector<Term> terms;
  double constant = 0.0;
  bool is_equality = false;
};

struct LawPiece {
  BlockMode mode = BlockMode::held;
  std::vector<PieceCondition> conditions;
  bool is_round = false;   // stick of a round cone or ball: |λ_t| <= μ λ_n (or r) besides
  bool is_bent = false;    // slide of a round cone or ball: the conditions only enclose it
  double direction = 0.0;  // the middle of its sector of d, rad
};

// The pieces of a block; throws Error for laws that have none of these forms.
std::vector<LawPiece> law_pieces(const Block& block);
// What holds on all of them: convex, for pruning.
std::vector<PieceCondition> law_hull(const Block& block);
// cos a λ_1 + sin a λ_2 <= μ λ_n (or r): the half-space that touches the round set at angle a.
PieceCondition tangent_plane(const Block& block, double angle);

}  // namespace vinci
