// SPDX-License-Identifier: Apache-2.0
#include "vinci/proofs/infeasibility_search.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vinci/complementarity/certificate.h"

namespace vinci {

namespace {

constexpr int sides = 16;  // of a cone around the round one, which is 1/cos(π/16) = 2 % wider

bool has_bound(const Block& block) {  // its λ adds a term t to the supremum
  return block.law == Law::ball ||
         (block.law == Law::box && std::isfinite(block.lower) && std::isfinite(block.upper));
}

// Whether y of the block's i-th row may differ from zero.
bool has_variable(const Block& block, int i) {
  if (block.law == Law::equality || block.law == Law::nonnegative) return true;
  if (block.law == Law::box) return !has_bound(block);
  return block.law != Law::ball && i == 0;
}

}  // namespace

void InfeasibilitySearch::number_variables(const ComplementarityProblem& problem) {
  variables_ = 0;
  variable_.assign(static_cast<std::size_t>(problem.rows()), -1);
  unit_.assign(static_cast<std::size_t>(problem.rows()), 1.0);
  for (const Block& block : problem.blocks) {
    double mean = 0.0;
    for (int i = 0; i < block.size; ++i) {
      const int row = block.offset + i;
      if (has_variable(block, i)) variable_[row] = variables_++;
      mean += std::abs(condensation_.W()(row, row)) / block.size;
    }
    for (int i = 0; i < block.size; ++i)
      if (mean > 0.0) unit_[block.offset + i] = std::sqrt(mean);
  }
}

// row_ += factor · column `row` of Wᵀ, in units: the coefficients of g.
void InfeasibilitySearch::gather(int row, double factor) {
  for (std::size_t i = 0; i < variable_.size(); ++i)
    if (variable_[i] >= 0)
      row_[variable_[i]] +=
          factor * condensation_.W()(static_cast<Eigen::Index>(i), row) / (unit_[i] * unit_[row]);
}

// |y| <= 1, y >= 0 where w has a sign.
void InfeasibilitySearch::add_signs(const Block& block) {
  for (int i = 0; i < block.size; ++i) {
    const int k = variable_[block.offset + i];
    if (k < 0) continue;
    double lower = 0.0, upper = 1.0;
    const bool free = block.law == Law::equality ||
                      (block.law == Law::box && std::isinf(block.lower) && std::isinf(block.upper));
    if (free) lower = -1.0;
    if (!free && block.law == Law::box && std::isinf(block.lower)) lower = -1.0, upper = 0.0;
    row_.setZero();
    row_[k] = 1.0;
    program_.add_at_least(row_, lower);
    row_[k] = -1.0;
    program_.add_at_least(row_, -upper);
  }
}

// normal g_0 + tangent_1 g_1 + tangent_2 g_2 <= bound · t, t the last variable so far.
void InfeasibilitySearch::add_side(const Block& block, double normal, double tangent_1,
                                   double tangent_2, double bound) {
  row_.setZero();
  gather(block.offset, -normal);
  if (tangent_1 != 0.0) gather(block.offset + 1, -tangent_1);
  if (tangent_2 != 0.0) gather(block.offset + 2, -tangent_2);
  if (bound != 0.0) row_[variables_] += bound;
  program_.add_at_least(row_, 0.0);
}

// The supremum of gᵀλ over the block's set.
void InfeasibilitySearch::add_forces(const Block& block) {
  const double unit = unit_[block.offset];
  if (block.law == Law::equality ||
      (block.law == Law::box && std::isinf(block.lower) && std::isinf(block.upper))) {
    for (int i = 0; i < block.size; ++i) {
      row_.setZero();
      gather(block.offset + i, 1.0);
      program_.add_equality(row_, 0.0);
    }
  } else if (block.law == Law::nonnegative) {
    add_side(block, 1.0, 0.0, 0.0, 0.0);
  } else if (block.law == Law::box && !has_bound(block)) {
    // The finite bound carries the supremum, the infinite one forbids a sign of g.
    const bool below = std::isfinite(block.lower);
    add_side(block, below ? 1.0 : -1.0, 0.0, 0.0, 0.0);
    row_.setZero();
    gather(block.offset, (below ? block.lower : block.upper) * unit);
    objective_ -= row_;
  } else if (block.law == Law::box || (block.law == Law::ball && block.size == 1)) {
    const bool box = block.law == Law::box;
    add_side(block, (box ? block.lower : -block.upper) * unit, 0.0, 0.0, 1.0);
    add_side(block, block.upper * unit, 0.0, 0.0, 1.0);
  } else {
    const bool ball = block.law == Law::ball, planar = block.size == 2 && !ball;
    const double around = planar ? 1.0 : 1.0 / std::cos(std::numbers::pi / sides);
    for (int k = 0; k < (planar ? 2 : sides); ++k) {
      const double angle = 2.0 * std::numbers::pi * k / (planar ? 2 : sides);
      const double x = around * std::cos(angle), y = planar ? 0.0 : around * std::sin(angle);
      if (ball)
        add_side(block, block.upper * unit * x, block.upper * unit * y, 0.0, 1.0);
      else
        add_side(block, 1.0, block.friction * x, block.friction * y, 0.0);
    }
  }
  if (has_bound(block)) objective_[variables_++] = -1.0;
}

bool InfeasibilitySearch::prove(const ComplementarityProblem& problem) {
  for (const Block& block : problem.blocks)
    if (block.law == Law::moments || (block.law == Law::ball && std::isinf(block.upper)))
      return false;
  if (problem.rows() > largest || !condensation_.condense(problem)) return false;
  number_variables(problem);
  const int count = variables_;
  const auto bounded = std::count_if(problem.blocks.begin(), problem.blocks.end(), has_bound);
  program_.reset(count + static_cast<int>(bounded));
  row_.setZero(count + bounded);
  objective_.setZero(count + bounded);
  double largest_entry = 0.0;
  for (int i = 0; i < problem.rows(); ++i)
    largest_entry = std::max(largest_entry, std::abs(condensation_.q()[i]) / unit_[i]);
  if (!(largest_entry > 0.0)) return false;
  for (const Block& block : problem.blocks) {
    add_signs(block);
    add_forces(block);
  }
  for (int i = 0; i < problem.rows(); ++i)
    if (variable_[i] >= 0) objective_[variable_[i]] -= condensation_.q()[i] / unit_[i];
  if (program_.maximise(objective_ / largest_entry, point_) != LinearProgram::Status::optimal ||
      !(objective_.dot(point_) > 0.0))
    return false;
  certificate_.setZero(problem.rows());
  for (int i = 0; i < problem.rows(); ++i)
    if (variable_[i] >= 0) certificate_[i] = point_[variable_[i]] / unit_[i];
  return infeasibility(problem, certificate_).proves_no_solution;
}

}  // namespace vinci
