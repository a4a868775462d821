// SPDX-License-Identifier: Apache-2.0
// Equations and inequalities of the directions in which a solution may be left.
#include "vinci/proofs/local_equations.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace vinci {
namespace {

// Directions that the equations see by less than this are free: as in the tests of uniqueness.
constexpr double unseen = 1e-9;

double or_one(double x) {
  return x > 0.0 && std::isfinite(x) ? x : 1.0;
}

// The row of a pyramid's σ: its λ is a speed and its w a force.
bool is_slip(const ComplementarityProblem& problem, int row) {
  return problem.J.starts[row] == problem.J.starts[row + 1] &&
         problem.C.starts[row] < problem.C.starts[row + 1];
}

// First row of the friction of a block, and how many there are.
int friction_start(const Block& block) {
  return block.law == Law::coulomb ? block.offset + 1 : block.offset;
}
int friction_count(const Block& block) {
  return block.law == Law::coulomb ? block.size - 1 : block.size;
}
double limit_of(const Block& block, const VectorX& lambda) {
  return block.law == Law::coulomb ? block.friction * std::max(0.0, lambda[block.offset])
                                   : block.upper;
}

}  // namespace

bool LocalEquations::takes(const ComplementarityProblem& problem) {
  return problem.unknowns() + problem.rows() <= largest &&
         std::none_of(problem.blocks.begin(), problem.blocks.end(),
                      [](const Block& block) { return block.law == Law::moments; });
}

void LocalEquations::find_w(const ComplementarityProblem& problem, const Solution& solution) {
  w_ = problem.b;
  problem.J.multiply_add(solution.u.data(), w_.data());
  problem.C.multiply_add(solution.lambda.data(), w_.data());
}

void LocalEquations::measure(const ComplementarityProblem& problem, const SparseRows& inertia,
                             const Solution& solution, const Accuracy& accuracy) {
  const int n = problem.unknowns(), m = problem.rows();
  unknowns_ = n;
  size_ = n + m;
  zero_ = accuracy.zero();
  find_w(problem, solution);
  force_ = n > 0 ? problem.p.cwiseAbs().maxCoeff() : 0.0;
  speed_ = 0.0;
  for (int row = 0; row < m; ++row) {
    if (is_slip(problem, row)) continue;
    force_ = std::max(force_, std::abs(solution.lambda[row]));
    speed_ = std::max({speed_, std::abs(w_[row]), std::abs(problem.b[row])});
  }
  force_ = or_one(force_);
  speed_ = or_one(speed_);
  double heaviest = 0.0;
  for (int i = 0; i < n; ++i) heaviest = std::max(heaviest, inertia.diagonal(i));
  unit_.resize(size_);
  row_unit_.resize(m);
  for (int i = 0; i < n; ++i) unit_[i] = speed_ * std::sqrt(heaviest / or_one(inertia.diagonal(i)));
  for (int row = 0; row < m; ++row) {
    unit_[n + row] = is_slip(problem, row) ? speed_ : force_;
    row_unit_[row] = is_slip(problem, row) ? force_ : speed_;
  }
}

void LocalEquations::add(const VectorX& step, double factor, Solution& solution) const {
  for (int i = 0; i < unknowns_; ++i) solution.u[i] += factor * unit_[i] * step[i];
  for (int i = unknowns_; i < size_; ++i)
    solution.lambda[i - unknowns_] += factor * unit_[i] * step[i];
}

VectorX LocalEquations::motion_row(const ComplementarityProblem& problem, int row) const {
  VectorX entries = VectorX::Zero(size_);
  for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
    entries[problem.J.indices[k]] = problem.J.values[k] * unit_[problem.J.indices[k]];
  for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k) {
    const int column = unknowns_ + problem.C.indices[k];
    entries[column] = problem.C.values[k] * unit_[column];
  }
  return entries / row_unit_[row];
}

VectorX LocalEquations::force_row(int row) const {
  VectorX entries = VectorX::Zero(size_);
  entries[unknowns_ + row] = 1.0;
  return entries;
}

// Scaled to a largest entry of 1, so that a rank has a meaning.
void LocalEquations::add_equation(const VectorX& row, double value) {
  const double largest_entry = or_one(row.cwiseAbs().maxCoeff());
  equations_.row(written_) = row.transpose() / largest_entry;
  values_[written_++] = value / largest_entry;
}

void LocalEquations::add_inequality(VectorX row) {
  row /= or_one(row.cwiseAbs().maxCoeff());
  inequalities_.push_back(std::move(row));
}

void LocalEquations::write_balance(const ComplementarityProblem& problem,
                                   const Solution& solution) {
  VectorX miss = -problem.p;
  problem.M.multiply_add(solution.u.data(), miss.data());
  const VectorX against = -solution.lambda;
  problem.J.multiply_transposed_add(against.data(), miss.data());
  MatrixX rows = MatrixX::Zero(unknowns_, size_);
  for (int i = 0; i < unknowns_; ++i)
    for (int k = problem.M.starts[i]; k < problem.M.starts[i + 1]; ++k)
      rows(i, problem.M.indices[k]) = problem.M.values[k];
  for (int row = 0; row < problem.rows(); ++row)
    for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
      rows(problem.J.indices[k], unknowns_ + row) = -problem.J.values[k];
  for (int i = 0; i < unknowns_; ++i)
    add_equation(rows.row(i).transpose().cwiseProduct(unit_), miss[i]);
}

int LocalEquations::write_normal(const ComplementarityProblem& problem, const VectorX& lambda,
                                 int row, At corners) {
  const double force = lambda[row] / unit_[unknowns_ + row], speed = w_[row] / row_unit_[row];
  if (corners == At::both && std::max(force, speed) <= zero_) {
    add_inequality(force_row(row));
    add_inequality(motion_row(problem, row));
    return -1;
  }
  if (force > speed) {
    add_equation(motion_row(problem, row), speed);
    return 1;
  }
  add_equation(force_row(row), force);
  return 0;
}

// λ_t + L w_t/|w_t| = 0 and its derivative along λ_t, λ_n and w_t.
void LocalEquations::write_sliding(const ComplementarityProblem& problem, const VectorX& lambda,
                                   const Block& block) {
  const int first = friction_start(block), count = friction_count(block);
  const VectorX along = w_.segment(first, count).normalized();
  const double speed = w_.segment(first, count).norm(), limit = limit_of(block, lambda);
  for (int i = 0; i < count; ++i) {
    VectorX row = force_row(first + i);
    if (block.law == Law::coulomb && lambda[block.offset] > 0.0)
      row += block.friction * along[i] * force_row(block.offset);
    for (int j = 0; j < count; ++j) {
      const double turn = limit / speed * ((i == j ? 1.0 : 0.0) - along[i] * along[j]);
      row += turn * speed_ / force_ * motion_row(problem, first + j);
    }
    add_equation(row, (lambda[first + i] + limit * along[i]) / force_);
  }
}

// Forces of a contact that may close: |dλ_t| <= μ dλ_n along each axis.
void LocalEquations::write_closing(const Block& block) {
  for (int i = block.offset + 1; i < block.offset + block.size; ++i)
    for (const double sign : {1.0, -1.0})
      add_inequality(block.friction * force_row(block.offset) + sign * force_row(i));
}

// λ in [lower, upper].
void LocalEquations::write_box(const ComplementarityProblem& problem, const VectorX& lambda,
                               const Block& block, At corners) {
  const int row = block.offset;
  const double unit = unit_[unknowns_ + row], speed = w_[row] / row_unit_[row];
  for (const double side : {1.0, -1.0}) {
    const double bound = side > 0.0 ? block.lower : block.upper;
    if (!std::isfinite(bound)) continue;
    const double inside = side * (lambda[row] - bound) / unit, away = side * speed;
    if (corners == At::both && block.lower < block.upper && std::max(inside, away) <= zero_) {
      add_inequality(side * force_row(row));
      add_inequality(side * motion_row(problem, row));
      return;
    }
    if (inside <= away || block.lower == block.upper)
      return add_equation(force_row(row), side * inside);
  }
  add_equation(motion_row(problem, row), speed);
}

// The component of δλ_t, or of δw_t, along a direction.
VectorX LocalEquations::turned(const ComplementarityProblem& problem, const VectorX& along,
                               int first, bool of_motion) const {
  VectorX row = VectorX::Zero(size_);
  for (Eigen::Index i = 0; i < along.size(); ++i) {
    const int at = first + static_cast<int>(i);
    row += along[i] * (of_motion ? motion_row(problem, at) : force_row(at));
  }
  return row;
}

// The relaxed cone: λ in |λ_t| <= μ λ_n, w in μ |w_t| <= w_n.
void LocalEquations::write_cone(const ComplementarityProblem& problem, const VectorX& lambda,
                                const Block& block, At corners) {
  const int n = block.offset, first = n + 1, count = block.size - 1;
  const double mu = block.friction, load = lambda[n] / force_;
  const auto w = w_.segment(first, count);
  const auto force = lambda.segment(first, count);
  const double gap = (w_[n] - mu * w.norm()) / speed_, slip = w.norm() / speed_;
  const bool corner = corners == At::both;
  if (corner && std::max(load, gap) <= zero_) {
    add_inequality(force_row(n));
    return write_closing(block);
  }
  if (load <= gap) {
    for (int i = n; i <= n + count; ++i) add_equation(force_row(i), lambda[i] / force_);
    return;
  }
  const double left = mu * load - force.norm() / force_;
  const bool inside = corner ? left > zero_ * mu * load : left >= slip;
  if (mu == 0.0) {
    add_equation(motion_row(problem, n), w_[n] / speed_);
    for (int i = first; i < first + count; ++i) add_equation(force_row(i), lambda[i] / force_);
    return;
  }
  if (inside || (slip == 0.0 && !corner)) {
    for (int i = n; i <= n + count; ++i) add_equation(motion_row(problem, i), w_[i] / speed_);
    return;
  }
  const bool slides = slip > (corner ? zero_ : 0.0);
  const VectorX along = slides ? VectorX(w.normalized()) : VectorX(-force.normalized());
  add_equation(motion_row(problem, n) - mu * turned(problem, along, first, true), gap);
  const VectorX grows = turned(problem, along, first, false) + mu * force_row(n);
  if (slides) {
    add_equation(grows, along.dot(force) / force_ + mu * load);
  } else {
    add_inequality(grows);
    add_inequality(turned(problem, along, first, true));
  }
  if (count < 2) return;
  const Vector2 across(-along[1], along[0]);
  const VectorX turns = turned(problem, across, first, true);
  if (slides)
    add_equation(turned(problem, across, first, false) + mu * load / slip * turns,
                 across.dot(force) / force_);
  else
    add_equation(turns, 0.0);
}

void LocalEquations::write_friction(const ComplementarityProblem& problem, const VectorX& lambda,
                                    const Block& block, int pressed, At corners) {
  const int first = friction_start(block), count = friction_count(block);
  if (pressed < 0) return write_closing(block);
  const auto w = w_.segment(first, count);
  const auto force = lambda.segment(first, count);
  const double limit = limit_of(block, lambda), ratio = speed_ / force_;
  if (pressed == 0 || limit == 0.0) {
    for (int i = 0; i < count; ++i) add_equation(force_row(first + i), force[i] / force_);
    return;
  }
  const bool inside = force.norm() < (1.0 - zero_) * limit;
  const bool rests = w.norm() <= zero_ * speed_;
  if (corners == At::both && !inside && rests) {
    const VectorX along = -force.normalized();
    if (count == 2)
      add_equation(
          along.x() * motion_row(problem, first + 1) - along.y() * motion_row(problem, first), 0.0);
    VectorX goes = along[0] * motion_row(problem, first), grows = along[0] * force_row(first);
    for (int i = 1; i < count; ++i) {
      goes += along[i] * motion_row(problem, first + i);
      grows += along[i] * force_row(first + i);
    }
    add_inequality(goes);
    if (block.law == Law::coulomb) grows += block.friction * force_row(block.offset);
    add_inequality(grows);
    return;
  }
  const bool sticks = corners == At::both ? inside : (ratio * force - w).norm() <= ratio * limit;
  if (!sticks && w.norm() > 0.0) return write_sliding(problem, lambda, block);
  for (int i = 0; i < count; ++i) add_equation(motion_row(problem, first + i), w[i] / speed_);
}

void LocalEquations::begin(const ComplementarityProblem& problem) {
  const int most = problem.unknowns() + problem.rows();
  equations_.setZero(most, size_);
  values_.setZero(most);
  written_ = 0;
  inequalities_.clear();
}

void LocalEquations::write_all(const ComplementarityProblem& problem, const Solution& solution,
                               At corners) {
  find_w(problem, solution);
  begin(problem);
  write_balance(problem, solution);
  const VectorX& lambda = solution.lambda;
  for (const Block& block : problem.blocks) {
    if (block.law == Law::equality) {
      for (int row = block.offset; row < block.offset + block.size; ++row)
        add_equation(motion_row(problem, row), w_[row] / row_unit_[row]);
      continue;
    }
    if (block.law == Law::box) {
      write_box(problem, lambda, block, corners);
      continue;
    }
    if (block.law == Law::second_order) {
      write_cone(problem, lambda, block, corners);
      continue;
    }
    int pressed = 1;
    if (block.law != Law::ball) pressed = write_normal(problem, lambda, block.offset, corners);
    if (block.law == Law::ball || block.size > 1)
      write_friction(problem, lambda, block, pressed, corners);
  }
}

void LocalEquations::write(const ComplementarityProblem& problem, const Solution& solution) {
  write_all(problem, solution, At::both);
}

MatrixX LocalEquations::directions() const {
  if (written_ == 0) return MatrixX::Identity(size_, size_);
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factor;
  factor.setThreshold(unseen);
  factor.compute(equations_.topRows(written_));
  return factor.colsPermutation() * factor.matrixZ().transpose().rightCols(size_ - factor.rank());
}

bool LocalEquations::improve(const ComplementarityProblem& problem, Solution& solution) {
  write_all(problem, solution, At::equation);
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factor;
  factor.setThreshold(unseen);
  factor.compute(equations_.topRows(written_));
  const VectorX step = factor.solve(values_.head(written_));
  if (!step.allFinite()) return false;
  add(step, -1.0, solution);
  return true;
}

}  // namespace vinci
