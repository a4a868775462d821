// SPDX-License-Identifier: Apache-2.0
#include "vinci/proofs/friction_bound.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace vinci {
namespace {

// Pivots of an elimination relative to the diagonal that they were: at most the first is rounding
// of a row that depends on others, at least the second is none. Between them nothing is said.
constexpr double dependent_pivot = 1e-13, independent = 1e-8;
// Share of the speeds up to which a slip, or what a force moves, is rounding of the answer. By (2)
// another motion would differ from it by as little.
constexpr double largest_rounding = 1e-8;
// What rounding may do to the bound.
constexpr double margin = 1e-6;

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

// An upper bound, exact where the cheap one does not do.
double largest_eigenvalue(const MatrixX& matrix, double enough) {
  const double rows = matrix.cwiseAbs().rowwise().sum().maxCoeff();
  if (rows < enough) return rows;
  const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(matrix, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues().maxCoeff();
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
  if (contact.normal >= 0 && contact.count > 0) contacts_.push_back(contact);
  return true;
}

bool FrictionBound::find_contacts(const ComplementarityProblem& problem) {
  contacts_.clear();
  role_.assign(static_cast<std::size_t>(problem.rows()), 0);
  for (const Block& block : problem.blocks) {
    if (block.law == Law::rolling) return false;
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

// The symmetric part of M, component by component where it is block diagonal.
bool FrictionBound::is_definite(const SparseRows& M) {
  const int n = M.rows;
  for (int begin = 0; begin < n;) {
    int end = begin + 1;  // of a component: no entry leads beyond
    for (int row = begin; row < end; ++row)
      for (int k = M.starts[row]; k < M.starts[row + 1]; ++k) {
        if (M.values[k] == 0.0) continue;
        if (M.indices[k] < begin) return false;  // not mirrored: nothing is known of it
        end = std::max(end, M.indices[k] + 1);
      }
    const int size = end - begin;
    dense_.assign(static_cast<std::size_t>(size * size), 0.0);
    const auto at = [&](int i, int j) -> double& {
      return dense_[static_cast<std::size_t>(i * size + j)];
    };
    for (int row = begin; row < end; ++row)
      for (int k = M.starts[row]; k < M.starts[row + 1]; ++k) {
        at(row - begin, M.indices[k] - begin) += 0.5 * M.values[k];
        at(M.indices[k] - begin, row - begin) += 0.5 * M.values[k];
      }
    for (int i = 0; i < size; ++i) {
      if (!(at(i, i) > 0.0)) return false;
      for (int r = i + 1; r < size; ++r) {
        const double factor = at(r, i) / at(i, i), before = at(r, r);
        for (int c = i + 1; c < size; ++c) at(r, c) -= factor * at(i, c);
        if (!(at(r, r) > dependent_pivot * before)) return false;
      }
    }
    begin = end;
  }
  return true;
}

// Whether C without the rows and columns of pyramids is positive semidefinite.
bool FrictionBound::is_compliant(const ComplementarityProblem& problem) {
  const SparseRows& C = problem.C;
  bool diagonal = true;
  for (int row = 0; row < C.rows; ++row)
    for (int k = C.starts[row]; k < C.starts[row + 1]; ++k) {
      const int column = C.indices[k];
      if (role_[static_cast<std::size_t>(row)] == 2 || role_[static_cast<std::size_t>(column)] == 2)
        continue;
      if (column != row && C.values[k] != 0.0) diagonal = false;
      if (column == row && C.values[k] < 0.0) return false;
    }
  if (diagonal) return true;
  if (problem.rows() > largest) return false;
  matrix_ = MatrixX(C.view());
  for (int row = 0; row < C.rows; ++row)
    if (role_[static_cast<std::size_t>(row)] == 2) {
      matrix_.row(row).setZero();
      matrix_.col(row).setZero();
    }
  const MatrixX sum = matrix_ + matrix_.transpose();
  const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(sum, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues().minCoeff() >= -dependent_pivot * eigen.eigenvalues().maxCoeff();
}

// How much an impulse of a row moves it by itself, up to the couplings in M.
double FrictionBound::mobility(const ComplementarityProblem& problem, int row) const {
  double sum = std::max(0.0, problem.C.diagonal(row));
  for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
    sum += problem.J.values[k] * problem.J.values[k] * inverse_[problem.J.indices[k]];
  return sum;
}

// B: the contacts whose term may be negative. Forces are compared by the velocities that they make,
// so that a light body beside a heavy one is not overlooked.
void FrictionBound::find_doubtful(const ComplementarityProblem& problem, const Solution& solution,
                                  double zero) {
  const VectorX& lambda = solution.lambda;
  w_ = problem.b;
  problem.J.multiply_add(solution.u.data(), w_.data());
  problem.C.multiply_add(lambda.data(), w_.data());
  inverse_.resize(problem.unknowns());
  for (int i = 0; i < problem.unknowns(); ++i) inverse_[i] = 1.0 / problem.M.diagonal(i);
  sum_ = problem.p.cwiseProduct(inverse_);
  double speed = 0.0;
  for (int row = 0; row < problem.rows(); ++row) {
    if (role_[static_cast<std::size_t>(row)] == 2) continue;
    double free = problem.b[row];  // rows at rest have no speed of their own
    for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
      free += problem.J.values[k] * sum_[problem.J.indices[k]];
    speed = std::max({speed, std::abs(w_[row]), std::abs(problem.b[row]), std::abs(free)});
  }
  const double still = zero * speed;
  doubtful_.clear();
  sticking_.clear();
  for (const Contact& contact : contacts_) {
    double slip = 0.0, rubbing = 0.0;
    for (int j = contact.first; j < contact.first + contact.count; ++j) {
      // w of a direction of a pyramid is d·w_t + σ.
      const double along = contact.sigma >= 0 ? lambda[contact.sigma] - w_[j] : w_[j];
      slip = contact.sigma >= 0 ? std::max(slip, along) : std::hypot(slip, along);
      rubbing = std::max(rubbing, std::abs(lambda[j]) * mobility(problem, j));
    }
    const bool unloaded =
        std::abs(lambda[contact.normal]) * mobility(problem, contact.normal) <= still;
    const bool opens = unloaded && w_[contact.normal] >= contact.friction * slip - still;
    if (opens || (rubbing <= still && slip <= still)) continue;
    (slip <= still ? sticking_ : doubtful_).push_back(contact);
  }
  if (!sticking_.empty() && !is_idle(problem, lambda, still))
    doubtful_.insert(doubtful_.end(), sticking_.begin(), sticking_.end());
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

// Eliminates the rows of R from W, the largest pivots first; what is left in the rows of B is S.
bool FrictionBound::eliminate_rest(const ComplementarityProblem& problem) {
  const int m = problem.rows();
  const VectorX original = matrix_.diagonal();
  std::vector<int> rest;
  for (int row = 0; row < m; ++row)
    if (role_[static_cast<std::size_t>(row)] == 0) rest.push_back(row);
  while (!rest.empty()) {
    std::size_t best = 0;
    double largest_share = -1.0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const double share =
          original[rest[i]] > 0.0 ? matrix_(rest[i], rest[i]) / original[rest[i]] : 0.0;
      if (share > largest_share) largest_share = share, best = i;
    }
    if (largest_share <= dependent_pivot) return true;
    if (largest_share < independent) return false;
    const int pivot = rest[best];
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(best));
    const VectorX column = matrix_.col(pivot) / matrix_(pivot, pivot);
    for (int row = 0; row < m; ++row)
      if (column[row] != 0.0 && row != pivot) matrix_.row(row) -= column[row] * matrix_.row(pivot);
    matrix_.row(pivot).setZero();
    matrix_.col(pivot).setZero();
  }
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

bool FrictionBound::is_small(const ComplementarityProblem& problem) {
  const auto count = static_cast<Eigen::Index>(doubtful_.size());
  for (const Contact& contact : doubtful_) role_[static_cast<std::size_t>(contact.normal)] = 1;
  if (!condensation_.condense(problem)) return false;
  matrix_ = condensation_.W();
  for (int row = 0; row < problem.rows(); ++row)
    if (role_[static_cast<std::size_t>(row)] == 2) {
      matrix_.row(row).setZero();
      matrix_.col(row).setZero();
    }
  if ((matrix_ - matrix_.transpose()).cwiseAbs().maxCoeff() > 1e-9 * matrix_.cwiseAbs().maxCoeff())
    return false;
  // W_tt of B before the elimination.
  int tangents = 0;
  for (const Contact& contact : doubtful_) tangents += contact.count;
  MatrixX sliding(tangents, tangents);
  VectorX share(tangents), trace = VectorX::Zero(count);
  std::vector<int> rows, owner;
  for (Eigen::Index i = 0; i < count; ++i) {
    const Contact& contact = doubtful_[static_cast<std::size_t>(i)];
    const double part = direction_share(problem, contact);
    for (int j = contact.first; j < contact.first + contact.count; ++j) {
      share[static_cast<Eigen::Index>(rows.size())] = part;
      trace[i] += part * matrix_(j, j);
      rows.push_back(j);
      owner.push_back(static_cast<int>(i));
    }
  }
  for (int i = 0; i < tangents; ++i)
    for (int j = 0; j < tangents; ++j)
      sliding(i, j) = matrix_(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
  VectorX original(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const int row = doubtful_[static_cast<std::size_t>(i)].normal;
    original[i] = matrix_(row, row);
  }
  if (!eliminate_rest(problem)) return false;
  block_.resize(count, count);
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < count; ++j)
      block_(i, j) = matrix_(doubtful_[static_cast<std::size_t>(i)].normal,
                             doubtful_[static_cast<std::size_t>(j)].normal);
  const VectorX unit = original.cwiseMax(0.0).cwiseSqrt().cwiseInverse();
  if (!unit.allFinite()) return false;
  block_ = unit.asDiagonal() * block_ * unit.asDiagonal();
  const Eigen::LLT<MatrixX> factor(block_);
  if (factor.info() != Eigen::Success ||
      factor.matrixLLT().diagonal().minCoeff() < std::sqrt(independent))
    return false;
  const MatrixX inverse =
      unit.asDiagonal() * factor.solve(MatrixX::Identity(count, count)) * unit.asDiagonal();
  VectorX of_loads(count), of_slips(tangents);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double alpha = std::sqrt(trace[i] / inverse(i, i));
    if (!(alpha > 0.0)) return false;
    of_loads[i] = std::sqrt(doubtful_[static_cast<std::size_t>(i)].friction * alpha);
  }
  for (Eigen::Index i = 0; i < tangents; ++i) {
    const auto contact = static_cast<std::size_t>(owner[static_cast<std::size_t>(i)]);
    const double friction = doubtful_[contact].friction;
    of_slips[i] = std::sqrt(share[i]) * friction / of_loads[static_cast<Eigen::Index>(contact)];
  }
  const MatrixX loads = of_loads.asDiagonal() * inverse * of_loads.asDiagonal();
  const MatrixX slips = of_slips.asDiagonal() * sliding * of_slips.asDiagonal();
  const double a = largest_eigenvalue(loads, 0.0);
  const double b = largest_eigenvalue(slips, a > 0.0 ? 4.0 * (1.0 - margin) / a : 0.0);
  ratio_ = 0.5 * std::sqrt(a * b);
  return a * b < 4.0 * (1.0 - margin);
}

bool FrictionBound::proves(const ComplementarityProblem& problem, const Solution& solution,
                           const Accuracy& accuracy) {
  ratio_ = 0.0;
  if (!find_contacts(problem) || !is_definite(problem.M) || !is_compliant(problem)) return false;
  find_doubtful(problem, solution, std::min(10.0 * accuracy.zero(), largest_rounding));
  if (problem.unknowns() == 0) return doubtful_.empty() && is_symmetric(problem.C);
  if (doubtful_.empty()) return true;
  ratio_ = infinity;
  if (problem.rows() > largest || !is_symmetric(problem.M)) return false;
  return is_small(problem);
}

}  // namespace vinci
