// SPDX-License-Identifier: Apache-2.0
#include "vinci/selection/compliant_centre.h"

#include "vinci/selection/compliant_limit.h"

namespace vinci {
namespace {

constexpr int most_steps = 60, largest = 20000;
// The polish looks for answers that are exact to rounding, one set of states after the other.
constexpr double never_polished = 0.0;

Block block_of(const ContactUnit& unit) {
  using Kind = ContactUnit::Kind;
  Block block;
  block.offset = unit.first;
  block.size = unit.count;
  switch (unit.kind) {
    case Kind::fixed:
      block.law = Law::equality;
      break;
    case Kind::scalar:
      block.law = unit.touches() ? Law::nonnegative : Law::box;
      block.lower = unit.lower;
      block.upper = unit.upper;
      break;
    case Kind::cone:
      block.law = unit.count > 1 ? Law::coulomb : Law::nonnegative;
      block.friction = unit.limit;
      break;
    case Kind::disk:
      block.law = Law::ball;
      block.upper = unit.limit;
      break;
  }
  return block;
}

}  // namespace

CompliantCentre::CompliantCentre()
    : solver_({Accuracy::usual, most_steps, largest, never_polished}) {}

// C + ε 1.
void CompliantCentre::soften(const ComplementarityProblem& problem, double compliance) {
  const SparseRows& C = problem.C;
  soft_.C.reset(problem.rows());
  for (int row = 0; row < problem.rows(); ++row) {
    bool placed = false;
    for (int k = C.starts[row]; k < C.starts[row + 1]; ++k) {
      if (!placed && C.indices[k] > row) soft_.C.push(row, compliance);
      placed = placed || C.indices[k] >= row;
      soft_.C.push(C.indices[k], C.values[k] + (C.indices[k] == row ? compliance : 0.0));
    }
    if (!placed) soft_.C.push(row, compliance);
    soft_.C.end_row();
  }
}

void CompliantCentre::find(const ComplementarityProblem& problem,
                           std::span<const ContactUnit> units, const VectorX& scales,
                           VectorX& lambda, const Terms& terms) {
  soft_.M = problem.M, soft_.J = problem.J, soft_.p = problem.p, soft_.b = problem.b;
  soft_.blocks.clear();
  for (const ContactUnit& unit : units) soft_.blocks.push_back(block_of(unit));
  soften(problem, terms.compliance * CompliantLimit::typical(scales));
  solution_.lambda.setZero(problem.rows());
  solution_.u.setZero(problem.unknowns());
  solver_.ask({terms.tolerance});
  solver_.solve_valid(soft_, solution_);
  lambda = solution_.lambda;
}

}  // namespace vinci
