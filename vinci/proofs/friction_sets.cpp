// SPDX-License-Identifier: Apache-2.0
// Friction sets read off the rows of a problem.
#include "vinci/proofs/friction_sets.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_moments.h"

namespace vinci {
namespace {

// Row σ: its C has μ at the normal, if there is one, and −1 at every direction; b is the limit.
FrictionSet pyramid(const ComplementarityProblem& problem, int sigma) {
  FrictionSet set;
  set.directions = true;
  set.sigma = sigma;
  set.limit = problem.b[sigma];
  set.first = sigma;
  for (int k = problem.C.starts[sigma]; k < problem.C.starts[sigma + 1]; ++k) {
    const int row = problem.C.indices[k];
    if (problem.C.values[k] == 0.0) continue;
    if (problem.C.values[k] < 0.0) {
      set.first = std::min(set.first, row);
      ++set.count;
    } else {
      set.normal = row;
      set.limit = problem.C.values[k];
    }
  }
  return set;
}

}  // namespace

bool is_slip_row(const ComplementarityProblem& problem, const Block& block) {
  const int row = block.offset;
  if (block.law != Law::nonnegative || problem.J.starts[row] != problem.J.starts[row + 1])
    return false;
  // Without velocities a row of a contact has none in J either, but a diagonal in C.
  int directions = 0, others = 0;
  for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k) {
    const double value = problem.C.values[k];
    if (value == 0.0) continue;
    (value < 0.0 ? directions : others) += 1;
    if (others > 1 || problem.C.indices[k] == row) return false;
  }
  return directions > 0;
}

void find_friction_sets(const ComplementarityProblem& problem, std::vector<FrictionSet>& sets) {
  sets.clear();
  for (const Block& block : problem.blocks) {
    FrictionSet set;
    if (block.law == Law::ball) {
      set.limit = block.upper;
      set.first = block.offset;
      set.count = block.size;
    } else if (is_slip_row(problem, block)) {
      set = pyramid(problem, block.offset);
      sets.resize(sets.size() - static_cast<std::size_t>(set.count));  // sets of their own so far
      set.follows = set.normal >= 0 && sets.back().directions && sets.back().normal == set.normal;
      if (set.normal >= 0 && !set.follows) sets.pop_back();
    } else if (block.law == Law::box) {
      set.limit = block.upper;
      set.first = block.offset;
      set.count = 1;
    } else if (block.law == Law::equality) {
      for (int row = block.offset; row < block.offset + block.size; ++row)
        sets.push_back({.limit = infinity, .first = row, .count = 1});
      continue;
    } else if (block.law == Law::moments) {
      for (const law::Ball& ball : law::balls_of(block)) {
        set.normal = block.offset;
        set.limit = ball.limit;
        set.first = block.offset + ball.first;
        set.count = ball.count;
        set.follows = ball.first > 1;
        sets.push_back(set);
      }
      continue;
    } else {
      set.normal = block.offset;
      set.limit = block.friction;
      set.first = block.offset + 1;
      set.count = block.size - 1;
    }
    sets.push_back(set);
  }
}

double resistance(const FrictionSet& set, const VectorX& v) {
  if (!set.directions) return v.segment(set.first, set.count).norm();
  double most = 0.0;
  for (int row = set.first; row < set.first + set.count; ++row) most = std::max(most, -v[row]);
  return most;
}

}  // namespace vinci
