// SPDX-License-Identifier: Apache-2.0
#include "vinci/proofs/friction_bound.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>

namespace vinci {
namespace {

// Share of the largest eigenvalue of C that is rounding.
constexpr double unseen_compliance = 1e-13;
// Share of the speeds up to which a slip, or what a force moves, is rounding of the answer. By (2)
// another motion would differ from it by as little.
constexpr double largest_rounding = 1e-8;

bool is_symmetric(const SparseRows& matrix) {
  constexpr double rounding = 1e-12;
  for (int row = 0; row < matrix.rows; ++row)
    for (int k = matrix.starts[row]; k < matrix.starts[row + 1]; ++k) {
      const int column = matrix.indices[k];
      if (column == row) continue;
      double mirrored = 0.0;
      for (int l = matrix.starts[column]; l < matrix.starts[column + 1]; ++l)
        if (matrix.indices[l] == row) mirrored = matrix.values[l];
      if (std::abs(mirrored - matrix.values[k]) >
          rounding * (std::abs(mirrored) + std::abs(matrix.values[k])))
        return false;
    }
  return true;
}

}  // namespace

// Row σ of a pyramid has μ at the normal and −1 at the directions in C. One without a normal has a
// known limit, and its part of C is skew: monotone.
bool FrictionBound::add_pyramid(const ComplementarityProblem& problem, int sigma) {
  Contact contact;
  contact.sigma = sigma;
  contact.normal = -1;
  contact.first = sigma;
  role_[static_cast<std::size_t>(sigma)] = 2;
  for (int k = problem.C.starts[sigma]; k < problem.C.starts[sigma + 1]; ++k) {
    const int row = problem.C.indices[k];
    if (problem.C.values[k] < 0.0) {
      if (problem.C.values[k] != -1.0) return false;
      contact.first = std::min(contact.first, row);
      ++contact.count;
    } else if (problem.C.values[k] > 0.0) {
      contact.normal = row;
      contact.friction = problem.C.values[k];
    }
  }
  if (contact.normal < 0 || contact.count == 0) return true;
  // Moments: the bound knows one set per normal.
  if (!contacts_.empty() && contacts_.back().normal == contact.normal) return false;
  contacts_.push_back(contact);
  return true;
}

bool FrictionBound::find_contacts(const ComplementarityProblem& problem) {
  contacts_.clear();
  role_.assign(static_cast<std::size_t>(problem.rows()), 0);
  for (const Block& block : problem.blocks) {
    if (block.law == Law::moments) return false;
    const bool bare = problem.J.starts[block.offset] == problem.J.starts[block.offset + block.size];
    if (block.law == Law::coulomb && block.friction > 0.0)
      contacts_.push_back({.normal = block.offset,
                           .first = block.offset + 1,
                           .count = block.size - 1,
                           .friction = block.friction});
    else if (block.law == Law::nonnegative && bare && problem.unknowns() > 0 &&
             !add_pyramid(problem, block.offset))
      return false;
  }
  return true;
}

// Whether C without the rows and columns of pyramids is positive semidefinite.
bool FrictionBound::is_compliant(const ComplementarityProblem& problem) {
  const SparseRows& C = problem.C;
  diagonal_ = true;
  if (C.empty()) return true;
  for (int row = 0; row < C.rows; ++row)
    for (int k = C.starts[row]; k < C.starts[row + 1]; ++k) {
      const int column = C.indices[k];
      if (role_[static_cast<std::size_t>(row)] == 2 || role_[static_cast<std::size_t>(column)] == 2)
        continue;
      if (column != row && C.values[k] != 0.0) diagonal_ = false;
      if (column == row && C.values[k] < 0.0) return false;
    }
  if (diagonal_) return true;
  if (problem.rows() > largest) return false;
  compliance_ = MatrixX(C.view());
  for (int row = 0; row < C.rows; ++row)
    if (role_[static_cast<std::size_t>(row)] == 2) {
      compliance_.row(row).setZero();
      compliance_.col(row).setZero();
    }
  const MatrixX sum = compliance_ + compliance_.transpose();
  const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(sum, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues().minCoeff() >= -unseen_compliance * eigen.eigenvalues().maxCoeff();
}

// Per row its w and how much an impulse moves it by itself, up to the couplings in M; returns the
// largest speed. Rows at rest have none of their own: what would be without contact counts, too.
double FrictionBound::measure_rows(const ComplementarityProblem& problem,
                                   const Solution& solution) {
  const int n = problem.unknowns(), m = problem.rows();
  inverse_.resize(n);
  sum_.resize(n);
  for (int i = 0; i < n; ++i) {
    inverse_[i] = 1.0 / problem.M.diagonal(i);
    sum_[i] = problem.p[i] * inverse_[i];
  }
  w_.resize(m);
  mobility_.resize(m);
  double speed = 0.0;
  const SparseRows& J = problem.J;
  for (int row = 0; row < m; ++row) {
    double moved = problem.b[row], free = moved, mobility = 0.0;
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k) {
      const double value = J.values[k];
      const int i = J.indices[k];
      moved += value * solution.u[i];
      free += value * sum_[i];
      mobility += value * value * inverse_[i];
    }
    if (!problem.C.empty()) {
      for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k)
        moved += problem.C.values[k] * solution.lambda[problem.C.indices[k]];
      mobility += std::max(0.0, problem.C.diagonal(row));
    }
    w_[row] = moved;
    mobility_[row] = mobility;
    if (role_[static_cast<std::size_t>(row)] != 2)
      speed = std::max({speed, std::abs(moved), std::abs(problem.b[row]), std::abs(free)});
  }
  return speed;
}

// B: the contacts whose term may be negative. Forces are compared by the velocities that they make,
// so that a light body beside a heavy one is not overlooked.
void FrictionBound::find_doubtful(const ComplementarityProblem& problem, const Solution& solution,
                                  double zero) {
  const VectorX& lambda = solution.lambda;
  const double speed = measure_rows(problem, solution);
  const double still = zero * speed;
  doubtful_.clear();
  sticking_.clear();
  per_load_.setZero(problem.rows());
  bool rubs = false;
  for (Contact& contact : contacts_) {
    double slip = 0.0, rubbing = 0.0;
    for (int j = contact.first; j < contact.first + contact.count; ++j) {
      // w of a direction of a pyramid is d·w_t + σ.
      const double along = contact.sigma >= 0 ? lambda[contact.sigma] - w_[j] : w_[j];
      slip = contact.sigma >= 0 ? std::max(slip, along) : std::sqrt(slip * slip + along * along);
      rubbing = std::max(rubbing, std::abs(lambda[j]) * mobility_[j]);
    }
    const bool unloaded = std::abs(lambda[contact.normal]) * mobility_[contact.normal] <= still;
    if (unloaded && w_[contact.normal] >= contact.friction * slip - still) continue;
    const bool slides = slip > still;
    if (unloaded && !slides && rubbing <= still) continue;
    contact.fixed = unloaded && !(slides && contact.sigma < 0);  // its friction is not known
    find_need(lambda, contact, slides);
    if (slides) {
      doubtful_.push_back(contact);
      continue;
    }
    rubs = rubs || rubbing > still;
    sticking_.push_back(contact);
  }
  if (rubs && !is_idle(problem, lambda, still))
    doubtful_.insert(doubtful_.end(), sticking_.begin(), sticking_.end());
  else
    sticking_.clear();
}

// r, and the forces that go with a load.
void FrictionBound::find_need(const VectorX& lambda, Contact& contact, bool slides) {
  const double load = lambda[contact.normal];
  contact.needed = contact.friction;
  if (contact.fixed) return;
  double slip = 0.0, needed = 0.0;
  for (int j = contact.first; j < contact.first + contact.count; ++j) slip += w_[j] * w_[j];
  slip = std::sqrt(slip);
  for (int j = contact.first; j < contact.first + contact.count; ++j) {
    const bool round = contact.sigma < 0;
    per_load_[j] = slides && round ? -contact.friction * w_[j] / slip : lambda[j] / load;
    needed += round ? per_load_[j] * per_load_[j] : std::abs(per_load_[j]);
  }
  if (!slides) contact.needed = contact.sigma < 0 ? std::sqrt(needed) : needed;
  contact.needed = std::min(contact.needed, contact.friction);
}

// Whether the friction of the contacts that stick holds nothing, but only itself: then the same
// motion has forces without it.
bool FrictionBound::is_idle(const ComplementarityProblem& problem, const VectorX& lambda,
                            double still) {
  sum_.setZero(problem.unknowns());
  lever_.setZero(problem.unknowns());
  for (const Contact& contact : sticking_)
    for (int j = contact.first; j < contact.first + contact.count; ++j) {
      for (int k = problem.C.starts[j]; k < problem.C.starts[j + 1]; ++k)
        if (problem.C.indices[k] != contact.sigma) return false;
      for (int k = problem.J.starts[j]; k < problem.J.starts[j + 1]; ++k) {
        const int unknown = problem.J.indices[k];
        sum_[unknown] += problem.J.values[k] * lambda[j];
        lever_[unknown] = std::max(lever_[unknown], std::abs(problem.J.values[k]));
      }
    }
  for (int i = 0; i < problem.unknowns(); ++i)
    if (std::abs(sum_[i]) * lever_[i] * inverse_[i] > still) return false;
  return true;
}

// What Σ_j w_j² has to be multiplied by to bound max_j w_j²: 1; of K directions at equal angles,
// 2/K in space and 1/2 in the plane.
double FrictionBound::direction_share(const ComplementarityProblem& problem,
                                      const Contact& contact) const {
  if (contact.sigma < 0) return 1.0;
  const int n = problem.unknowns(), count = contact.count;
  MatrixX rows = MatrixX::Zero(count, n);
  for (int j = 0; j < count; ++j)
    for (int k = problem.J.starts[contact.first + j]; k < problem.J.starts[contact.first + j + 1];
         ++k)
      rows(j, problem.J.indices[k]) = problem.J.values[k];
  const double rounding = 1e-9 * rows.cwiseAbs().maxCoeff();
  if (count == 2) return (rows.row(0) + rows.row(1)).isZero(rounding) ? 0.5 : 1.0;
  const double turn = 2.0 * std::cos(2.0 * std::numbers::pi / count);
  for (int j = 0; j < count; ++j) {
    const auto next = rows.row((j + 2) % count), last = rows.row(j);
    if (!(next - turn * rows.row((j + 1) % count) + last).isZero(rounding)) return 1.0;
  }
  return 2.0 / count;
}

bool FrictionBound::is_small(const ComplementarityProblem& problem, const Solution& solution) {
  if (is_same(problem)) {
    for (std::size_t i = 0; i < doubtful_.size(); ++i) {
      doubtful_[i].mobility = known_.contacts[i].mobility;
      doubtful_[i].slip = known_.contacts[i].slip;
    }
  } else if (!find_matrix(problem)) {
    return false;
  }
  // Where loads are open, those of the solver seldom share friction as they can be passed on.
  const bool open = rank_ < static_cast<int>(doubtful_.size()) && !sticking_.empty();
  if (!open && passes_on(problem) && is_below()) return true;
  return spread_friction(problem, solution.lambda) && passes_on(problem) && is_below();
}

// W and S.
bool FrictionBound::find_matrix(const ComplementarityProblem& problem) {
  for (const Contact& contact : doubtful_) role_[static_cast<std::size_t>(contact.normal)] = 1;
  const bool definite = rows_.factor(problem.M);
  if (!definite || !rows_.is_symmetric() || !fill(problem)) {
    known_.usable = false;
    return false;
  }
  if (!has_known_matrix()) {
    known_.usable = false;
    if (!eliminate_rest()) return false;
    rank_ = rank();
    if (rank_ < 0 || !find_open()) return false;
    known_.W = whole_;
    known_.largest = 0.0;
    for (const double entry : whole_) known_.largest = std::max(known_.largest, std::abs(entry));
    known_.ratio = 0.0;
  }
  keep(problem);
  return true;
}

bool FrictionBound::proves(const ComplementarityProblem& problem, const Solution& solution,
                           const Accuracy& accuracy) {
  ratio_ = 0.0;
  if (!find_contacts(problem) || !is_compliant(problem)) return false;
  find_doubtful(problem, solution, std::min(10.0 * accuracy.zero(), largest_rounding));
  if (problem.unknowns() == 0) return doubtful_.empty() && is_symmetric(problem.C);
  // The bound of contacts in B begins with the factor, or has it.
  if (doubtful_.empty()) return rows_.factor(problem.M);
  ratio_ = infinity;
  return problem.rows() <= largest && is_small(problem, solution);
}

}  // namespace vinci
