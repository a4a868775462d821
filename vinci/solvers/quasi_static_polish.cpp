// SPDX-License-Identifier: Apache-2.0
// The equations of an active set: balance of forces, and for each row w = 0 or its force law.
#include "vinci/solvers/quasi_static_polish.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace vinci {
namespace {

// Directions that the equations see by less than this are free: rounding of equations that repeat
// each other, ε, and four digits.
constexpr double redundant = 1e-12;

double or_one(double x) {
  return x > 0.0 && std::isfinite(x) ? x : 1.0;
}

bool has_motion(const SparseRows& J, int row) {
  return J.starts[row] < J.starts[row + 1];
}

}  // namespace

// Units: forces over the largest force, velocities over the largest velocity at a row, unknowns so
// that equal numbers are equal kinetic energies.
void QuasiStaticPolish::measure(const ComplementarityProblem& problem, const SparseRows& inertia,
                                const Solution& solution) {
  const int n = problem.unknowns(), m = problem.rows();
  unknowns_ = n;
  w_ = problem.b;
  problem.J.multiply_add(solution.u.data(), w_.data());
  problem.C.multiply_add(solution.lambda.data(), w_.data());
  force_ = n > 0 ? problem.p.cwiseAbs().maxCoeff() : 0.0;
  speed_ = 0.0;
  for (int row = 0; row < m; ++row) {
    if (!has_motion(problem.J, row)) continue;
    force_ = std::max(force_, std::abs(solution.lambda[row]));
    speed_ = std::max({speed_, std::abs(w_[row]), std::abs(problem.b[row])});
  }
  force_ = or_one(force_);
  speed_ = or_one(speed_);
  unit_.resize(n + m);
  double heaviest = 0.0;
  for (int i = 0; i < n; ++i) heaviest = std::max(heaviest, inertia.diagonal(i));
  for (int i = 0; i < n; ++i) unit_[i] = speed_ * std::sqrt(heaviest / or_one(inertia.diagonal(i)));
  for (int row = 0; row < m; ++row) unit_[n + row] = has_motion(problem.J, row) ? force_ : speed_;
}

void QuasiStaticPolish::write_balance(const ComplementarityProblem& problem,
                                      const Solution& solution) {
  values_.head(unknowns_) = -problem.p;
  problem.M.multiply_add(solution.u.data(), values_.data());
  against_ = -solution.lambda;
  problem.J.multiply_transposed_add(against_.data(), values_.data());
  for (int i = 0; i < unknowns_; ++i)
    for (int k = problem.M.starts[i]; k < problem.M.starts[i + 1]; ++k)
      equations_(i, problem.M.indices[k]) = problem.M.values[k];
  for (int row = 0; row < problem.rows(); ++row)
    for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
      equations_(problem.J.indices[k], unknowns_ + row) = -problem.J.values[k];
  // Equations in units in which a unit of force at the row with the longest arm counts as one.
  for (int i = 0; i < unknowns_; ++i) {
    const double scale = unit_[i] / (speed_ * force_);
    equations_.row(i) *= scale;
    values_[i] *= scale;
  }
}

void QuasiStaticPolish::write_motion(const ComplementarityProblem& problem, int row) {
  const double scale = 1.0 / (has_motion(problem.J, row) ? speed_ : force_);
  for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
    equations_(unknowns_ + row, problem.J.indices[k]) = scale * problem.J.values[k];
  for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k)
    equations_(unknowns_ + row, unknowns_ + problem.C.indices[k]) = scale * problem.C.values[k];
  values_[unknowns_ + row] = scale * w_[row];
}

void QuasiStaticPolish::write_force(int row, double value) {
  equations_(unknowns_ + row, unknowns_ + row) = 1.0 / unit_[unknowns_ + row];
  values_[unknowns_ + row] = value / unit_[unknowns_ + row];
}

void QuasiStaticPolish::write_set(const ComplementarityProblem& problem, const FrictionSet& set,
                                  const VectorX& lambda) {
  const double ratio = speed_ / force_;
  const auto acts = [&](int row) { return ratio * lambda[row] > w_[row]; };
  bool pressed = true;
  if (set.normal >= 0) {
    pressed = acts(set.normal);
    pressed ? write_motion(problem, set.normal) : write_force(set.normal, lambda[set.normal]);
  }
  if (set.directions) {
    for (int row = set.first; row < set.first + set.count; ++row)
      acts(row) ? write_motion(problem, row) : write_force(row, lambda[row]);
    const bool slides = lambda[set.sigma] > ratio * w_[set.sigma];
    slides ? write_motion(problem, set.sigma) : write_force(set.sigma, lambda[set.sigma]);
    return;
  }
  if (set.count == 0) return;
  const auto w = w_.segment(set.first, set.count);
  const auto force = lambda.segment(set.first, set.count);
  const double bound = set.bound(lambda), speed = w.norm();
  const bool sticks = pressed && (ratio * force - w).norm() <= ratio * bound;
  for (int i = 0; i < set.count; ++i) {
    const int row = set.first + i;
    if (sticks) {
      write_motion(problem, row);
    } else if (!pressed || speed == 0.0) {
      write_force(row, lambda[row]);
    } else {
      // λ + L w/|w| = 0 and its derivative along λ, λ_n and w.
      write_force(row, lambda[row] + bound * w[i] / speed);
      const double scale = 1.0 / force_;
      const int equation = unknowns_ + row;
      if (set.normal >= 0)
        equations_(equation, unknowns_ + set.normal) += scale * set.limit * w[i] / speed;
      for (int j = 0; j < set.count; ++j) {
        const double turn = bound / speed * ((i == j ? 1.0 : 0.0) - w[i] * w[j] / (speed * speed));
        const int other = set.first + j;
        for (int k = problem.J.starts[other]; k < problem.J.starts[other + 1]; ++k)
          equations_(equation, problem.J.indices[k]) += scale * turn * problem.J.values[k];
      }
    }
  }
}

// Usually Cholesky in place, by columns; nothing is taken from the heap once sizes have settled.
bool QuasiStaticPolish::solve_least(Precision precision) {
  if (precision == Precision::high) {
    Eigen::CompleteOrthogonalDecomposition<MatrixX> factor;
    factor.setThreshold(redundant);
    factor.compute(equations_);
    step_ = factor.solve(values_);
    return step_.allFinite();
  }
  constexpr double epsilon = 1e-14;
  const Eigen::Index size = equations_.cols();
  normal_.resize(size, size);
  step_.resize(size);
  for (Eigen::Index j = 0; j < size; ++j) {
    step_[j] = equations_.col(j).dot(values_);
    for (Eigen::Index i = j; i < size; ++i)
      normal_(i, j) = equations_.col(i).dot(equations_.col(j)) + (i == j ? epsilon : 0.0);
  }
  for (Eigen::Index j = 0; j < size; ++j) {
    for (Eigen::Index k = 0; k < j; ++k)
      normal_.col(j).tail(size - j) -= normal_(j, k) * normal_.col(k).tail(size - j);
    // Rounding can eat what is left of a direction that A does not see.
    normal_.col(j).tail(size - j) /= std::sqrt(std::max(normal_(j, j), epsilon));
  }
  for (Eigen::Index j = 0; j < size; ++j) {
    step_[j] /= normal_(j, j);
    step_.tail(size - j - 1) -= step_[j] * normal_.col(j).tail(size - j - 1);
  }
  for (Eigen::Index j = size; j-- > 0;) {
    step_[j] -= normal_.col(j).tail(size - j - 1).dot(step_.tail(size - j - 1));
    step_[j] /= normal_(j, j);
  }
  return step_.allFinite();
}

bool QuasiStaticPolish::improve(const ComplementarityProblem& problem,
                                const std::vector<FrictionSet>& sets, const SparseRows& inertia,
                                Precision precision, Solution& solution) {
  const int size = problem.unknowns() + problem.rows();
  measure(problem, inertia, solution);
  equations_.setZero(size, size);
  values_.resize(size);
  write_balance(problem, solution);
  for (const FrictionSet& set : sets) write_set(problem, set, solution.lambda);
  for (int j = 0; j < size; ++j) equations_.col(j) *= unit_[j];
  if (!solve_least(precision)) return false;
  for (int j = 0; j < size; ++j) {
    double& x = j < unknowns_ ? solution.u[j] : solution.lambda[j - unknowns_];
    x -= unit_[j] * step_[j];
  }
  return true;
}

}  // namespace vinci
