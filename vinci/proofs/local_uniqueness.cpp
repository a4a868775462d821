// SPDX-License-Identifier: Apache-2.0
#include "vinci/proofs/local_uniqueness.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/SVD>

namespace vinci {
namespace {

// Choices of pieces at borders that are tried.
constexpr int most_choices = 64;
// Of equations scaled to a largest entry of 1: pivots, and singular values, that are rounding.
constexpr double open_rank_tolerance = 1e-9;
constexpr double still = 1e-7;

}  // namespace

bool LocalUniqueness::is_zero_force(int row, double lambda) const {
  return std::abs(judge_.scales()[row] * lambda) <= level_;
}

bool LocalUniqueness::is_zero_speed(int row) const {
  return std::abs(judge_.weights()[row] * judge_.w()[row]) <= level_;
}

bool LocalUniqueness::find_scalar(const Block& block, const Solution& solution) {
  const int row = block.offset;
  const double lambda = solution.lambda[row];
  std::vector<Piece>& pieces = pieces_.emplace_back();
  const Piece held = {{{row, true, 1.0}}}, fixed = {{{row, false, 1.0}}};
  const double lower = block.law == Law::box ? block.lower : 0.0;
  const double upper = block.law == Law::box ? block.upper : infinity;
  const bool at_bound = (std::isfinite(lower) && is_zero_force(row, lambda - lower)) ||
                        (std::isfinite(upper) && is_zero_force(row, lambda - upper));
  const bool rests = is_zero_speed(row);
  if (!at_bound || rests) pieces.push_back(held);
  if (at_bound) pieces.push_back(fixed);
  return true;
}

// Normal row first; of both cones.
bool LocalUniqueness::find_contact(const Block& block, const Solution& solution) {
  std::vector<Piece>& pieces = pieces_.emplace_back();
  const int n = block.offset, count = block.size - 1;
  const double mu = block.friction, load = solution.lambda[n];
  const bool round = block.law == Law::second_order;
  const auto force = solution.lambda.segment(n + 1, count);
  const auto slip = judge_.w().segment(n + 1, count);
  Piece open, stick;
  for (int i = n; i < n + block.size; ++i) {
    open.push_back({{i, false, 1.0}});
    stick.push_back({{i, true, 1.0}});
  }
  const auto weight = [&](double speed) { return judge_.weights()[n] * speed; };
  const bool slips = weight(slip.norm()) > level_;
  const bool loaded = !is_zero_force(n, load);
  const bool closed = round ? weight(judge_.w()[n] - mu * slip.norm()) <= level_ : is_zero_speed(n);
  const bool limiting = judge_.scales()[n] * (mu * load - force.norm()) <=
                        std::max(level_, zero_ * judge_.scales()[n] * mu * load);
  // Sliding along d, at a speed, or about to.
  const auto slide = [&](const VectorX& d, double speed) {
    Piece piece;
    Equation normal = {{n, true, 1.0}};
    if (round)
      for (int i = 0; i < count; ++i) normal.push_back({n + 1 + i, true, -mu * d[i]});
    piece.push_back(normal);
    Equation along = {{n, false, mu}};  // d·δλ_t + μ δλ_n = 0
    for (int i = 0; i < count; ++i) along.push_back({n + 1 + i, false, d[i]});
    piece.push_back(along);
    if (count < 2) return piece;
    Equation across;  // t·δλ_t + μ λ_n t·δw_t/|w_t| = 0, or t·δw_t = 0
    const double t[2] = {-d[1], d[0]};
    for (int i = 0; i < 2; ++i) {
      if (speed > 0.0) across.push_back({n + 1 + i, false, t[i]});
      across.push_back(
          {n + 1 + i, true, speed > 0.0 ? mu * std::max(0.0, load) / speed * t[i] : t[i]});
    }
    piece.push_back(across);
    return piece;
  };
  if (!loaded) pieces.push_back(open);
  if (!closed && !loaded) return true;
  if (mu == 0.0) {
    Piece smooth = open;
    smooth[0] = stick[0];
    pieces.push_back(smooth);
    return true;
  }
  if (slips) {
    pieces.push_back(slide(VectorX(slip.normalized()), slip.norm()));
    return true;
  }
  pieces.push_back(stick);
  if (!loaded && count == 1) {
    pieces.push_back(slide(VectorX::Constant(1, 1.0), 0.0));
    pieces.push_back(slide(VectorX::Constant(1, -1.0), 0.0));
  }
  if (!loaded) return count == 1;  // in space it may slide in any direction
  if (limiting) pieces.push_back(slide(VectorX(-force.normalized()), 0.0));
  return true;
}

bool LocalUniqueness::find_ball(const Block& block, const Solution& solution) {
  std::vector<Piece>& pieces = pieces_.emplace_back();
  const int first = block.offset, count = block.size;
  const auto force = solution.lambda.segment(first, count);
  const auto slip = judge_.w().segment(first, count);
  Piece stick, fixed;
  for (int i = first; i < first + count; ++i) {
    stick.push_back({{i, true, 1.0}});
    fixed.push_back({{i, false, 1.0}});
  }
  const double speed = slip.norm();
  const bool slips = judge_.weights()[first] * speed > level_;
  const bool limiting = judge_.scales()[first] * (block.upper - force.norm()) <= level_;
  if (block.upper == 0.0 || (count == 1 && slips)) {
    pieces.push_back(fixed);
    return true;
  }
  if (!slips) pieces.push_back(stick);
  if (!slips && !limiting) return true;
  if (count == 1) {
    pieces.push_back(fixed);
    return true;
  }
  const VectorX d = slips ? VectorX(slip / speed) : VectorX(-force.normalized());
  const double t[2] = {-d[1], d[0]};
  Equation along, across;
  for (int i = 0; i < 2; ++i) {
    along.push_back({first + i, false, d[i]});
    if (slips) across.push_back({first + i, false, t[i]});
    across.push_back({first + i, true, slips ? block.upper / speed * t[i] : t[i]});
  }
  pieces.push_back({along, across});
  return true;
}

bool LocalUniqueness::find_pieces(const ComplementarityProblem& problem, const Solution& solution) {
  pieces_.clear();
  bool all = true;
  for (const Block& block : problem.blocks) {
    switch (block.law) {
      case Law::equality: {
        Piece held;
        for (int i = block.offset; i < block.offset + block.size; ++i)
          held.push_back({{i, true, 1.0}});
        pieces_.push_back({held});
        break;
      }
      case Law::nonnegative:
      case Law::box:
        all = find_scalar(block, solution) && all;
        break;
      case Law::ball:
        all = find_ball(block, solution) && all;
        break;
      case Law::coulomb:
      case Law::second_order:
        all = find_contact(block, solution) && all;
        break;
      case Law::moments:
        return false;
    }
  }
  return all;
}

// The null space of one choice of pieces, in units in which the equations are of order one.
void LocalUniqueness::solve(const ComplementarityProblem& problem, const std::vector<int>& choice,
                            OpenDirections& found) {
  const int n = problem.unknowns(), m = problem.rows();
  MatrixX equations = MatrixX::Zero(n + m, n + m);
  const auto add_row = [&](const SparseRows& matrix, int row, double factor, int shift, auto into) {
    for (int k = matrix.starts[row]; k < matrix.starts[row + 1]; ++k)
      into[shift + matrix.indices[k]] += factor * matrix.values[k];
  };
  for (int i = 0; i < n; ++i) add_row(problem.M, i, 1.0, 0, equations.row(i));
  for (int j = 0; j < m; ++j)
    for (int k = problem.J.starts[j]; k < problem.J.starts[j + 1]; ++k)
      equations(problem.J.indices[k], n + j) -= problem.J.values[k];
  int row = n;
  for (std::size_t b = 0; b < pieces_.size(); ++b)
    for (const Equation& equation : pieces_[b][static_cast<std::size_t>(choice[b])]) {
      for (const Term& term : equation) {
        if (!term.of_w) {
          equations(row, n + term.row) += term.factor;
          continue;
        }
        add_row(problem.J, term.row, term.factor, 0, equations.row(row));
        add_row(problem.C, term.row, term.factor, n, equations.row(row));
      }
      ++row;
    }
  VectorX unit(n + m);
  unit << motion_unit_, force_unit_;
  equations *= unit.asDiagonal();
  for (int i = 0; i < n + m; ++i) {
    const double largest = equations.row(i).cwiseAbs().maxCoeff();
    if (largest > 0.0) equations.row(i) /= largest;
  }
  Eigen::FullPivLU<MatrixX> factor;
  factor.setThreshold(open_rank_tolerance);
  factor.compute(equations);
  if (factor.rank() == n + m) return;
  MatrixX kernel = factor.kernel();
  for (Eigen::Index k = 0; k < kernel.cols(); ++k) kernel.col(k).normalize();
  int motions = 0;
  if (n > 0) {
    const Eigen::JacobiSVD<MatrixX> parts(kernel.topRows(n), Eigen::ComputeFullV);
    for (Eigen::Index k = 0; k < parts.singularValues().size(); ++k) {
      if (parts.singularValues()[k] <= still) continue;
      ++motions;
      const VectorX x = unit.asDiagonal() * (kernel * parts.matrixV().col(k));
      found.moving.push_back({x.head(n), x.tail(m)});
    }
  }
  found.motions = std::max(found.motions, motions);
  found.loads = std::max(found.loads, static_cast<int>(kernel.cols()) - motions);
}

OpenDirections LocalUniqueness::operator()(const ComplementarityProblem& problem,
                                           const Solution& solution, const Accuracy& accuracy) {
  OpenDirections found;
  const int n = problem.unknowns(), m = problem.rows();
  if (n + m > largest || m == 0) return found;
  zero_ = accuracy.zero();
  judge_.prepare(problem);
  judge_.measure(problem, solution);
  double most = judge_.free_norm();
  for (int j = 0; j < m; ++j)
    most = std::max({most, std::abs(judge_.scales()[j] * solution.lambda[j]),
                     std::abs(judge_.weights()[j] * judge_.w()[j])});
  level_ = zero_ * most;
  found.decided = find_pieces(problem, solution);
  if (pieces_.size() != problem.blocks.size()) return found;
  motion_unit_ = VectorX::Ones(n);
  VectorX lever = VectorX::Zero(n);
  for (int j = 0; j < m; ++j)
    for (int k = problem.J.starts[j]; k < problem.J.starts[j + 1]; ++k)
      lever[problem.J.indices[k]] =
          std::max(lever[problem.J.indices[k]], std::abs(problem.J.values[k]));
  for (int i = 0; i < n; ++i)
    if (lever[i] > 0.0) motion_unit_[i] = 1.0 / lever[i];
  force_unit_.resize(m);
  for (int j = 0; j < m; ++j)
    force_unit_[j] = judge_.scales()[j] > 0.0 ? 1.0 / judge_.scales()[j] : 1.0;
  std::vector<int> choice(pieces_.size(), 0);
  for (int tried = 0;; ++tried) {
    if (tried == most_choices) {
      found.decided = false;
      return found;
    }
    solve(problem, choice, found);
    std::size_t b = 0;
    while (b < pieces_.size() && ++choice[b] == static_cast<int>(pieces_[b].size()))
      choice[b++] = 0;
    if (b == pieces_.size()) return found;
  }
}

}  // namespace vinci
