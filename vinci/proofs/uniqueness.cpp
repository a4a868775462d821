// SPDX-License-Identifier: Apache-2.0
// The cone of motions that cost nothing: equations, inequalities, and whether more than 0 is in it.
#include "vinci/proofs/uniqueness.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "vinci/pivoting/linear_program.h"

namespace vinci {
namespace {

// A pivot this small, in rows scaled to a largest entry of 1: the row depends on the others. As in
// the linear program over the same rows.
constexpr double dependent = LinearProgram::tolerance;

}  // namespace

VectorX& UniquenessTest::next(bool equality) {
  auto& rows = equality ? equal_ : least_;
  int& used = equality ? equalities_ : inequalities_;
  if (used == static_cast<int>(rows.size())) rows.emplace_back();
  VectorX& row = rows[static_cast<std::size_t>(used++)];
  row.setZero(unknowns_);
  return row;
}

// factor · J_row, alone.
void UniquenessTest::add_row(const ComplementarityProblem& problem, int row, double factor,
                             bool equality) {
  VectorX& entries = next(equality);
  for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
    entries[problem.J.indices[k]] = factor * problem.J.values[k];
}

// The resistance of directions is the largest of linear pieces: 0, and −J_j u of every direction.
// Those that carry force must stay the largest together, and the other largest ones not grow past.
void UniquenessTest::add_directions(const ComplementarityProblem& problem, const FrictionSet& set,
                                    const VectorX& lambda) {
  const double bound = set.bound(lambda);
  double rest = bound;
  for (int j = set.first; j < set.first + set.count; ++j) rest -= lambda[j];
  const auto share = [&](int piece) { return piece == 0 ? rest : lambda[set.first + piece - 1]; };
  const auto largest = [&](int piece) {
    return (piece == 0 ? lambda[set.sigma] : w_[set.first + piece - 1]) <= zero_ * speed_;
  };
  int base = 0;
  for (int piece = 1; piece <= set.count; ++piece)
    if (share(piece) > share(base)) base = piece;
  for (int piece = 0; piece <= set.count; ++piece) {
    const bool carries = share(piece) > zero_ * bound;
    if (piece == base || (!carries && !largest(piece))) continue;
    // Rate of the base minus rate of the piece: 0, or at least 0.
    VectorX& entries = next(carries);
    for (const auto& [which, sign] : {std::pair{base, -1.0}, std::pair{piece, 1.0}}) {
      if (which == 0) continue;
      const int row = set.first + which - 1;
      for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
        entries[problem.J.indices[k]] += sign * problem.J.values[k];
    }
  }
}

void UniquenessTest::add_set(const ComplementarityProblem& problem, const FrictionSet& set,
                             const VectorX& lambda) {
  if (set.normal >= 0) {
    if (lambda[set.normal] > zero_ * force_)
      add_row(problem, set.normal, 1.0, true);
    else if (w_[set.normal] <= zero_ * speed_)
      add_row(problem, set.normal, 1.0, false);
  }
  const double bound = set.bound(lambda);
  if (set.count == 0 || bound <= zero_ * force_) return;
  if (set.directions && holding_ == Holding::exact) return add_directions(problem, set, lambda);
  const auto w = w_.segment(set.first, set.count);
  const auto force = lambda.segment(set.first, set.count);
  // Inside its limit it sticks, whatever rounding says of its velocity.
  if (holding_ == Holding::proposition_1 || force.norm() < (1.0 - zero_) * bound) {
    for (int i = 0; i < set.count; ++i) add_row(problem, set.first + i, 1.0, true);
    return;
  }
  const bool slides = w.norm() > zero_ * speed_;
  const double sign = slides ? 1.0 : -1.0;  // sliding goes against the force
  Vector3 along = Vector3::Zero();
  for (int i = 0; i < set.count; ++i) along[i] = slides ? w[i] : force[i];
  along = sign * along.normalized();
  const auto add_along = [&](const Vector3& direction, bool equality) {
    VectorX& entries = next(equality);
    for (int i = 0; i < set.count; ++i)
      for (int k = problem.J.starts[set.first + i]; k < problem.J.starts[set.first + i + 1]; ++k)
        entries[problem.J.indices[k]] += direction[i] * problem.J.values[k];
  };
  if (set.count == 2) add_along({-along.y(), along.x(), 0.0}, true);
  if (set.count == 3) {
    const Vector3 across = along.unitOrthogonal();
    add_along(across, true);
    add_along(along.cross(across), true);
  }
  if (!slides) add_along(along, false);
}

// A nonzero combination of the columns of `free` that keeps the inequalities.
bool UniquenessTest::has_direction(const MatrixX& free, VectorX& direction) const {
  const Eigen::Index k = free.cols();
  MatrixX rows(inequalities_, k);
  for (int i = 0; i < inequalities_; ++i)
    rows.row(i) = least_[static_cast<std::size_t>(i)].transpose() * free;
  Eigen::FullPivLU<MatrixX> factor;
  factor.setThreshold(dependent);
  factor.compute(rows);
  if (factor.rank() < k) {
    direction = free * factor.kernel().col(0);
    return true;
  }
  LinearProgram program;
  program.reset(static_cast<int>(k));
  const VectorX sum = rows.colwise().sum().transpose();
  for (int i = 0; i < inequalities_; ++i) program.add_at_least(rows.row(i).transpose(), 0.0);
  program.add_at_least(-sum, -1.0);
  VectorX x;
  if (program.maximise(sum, x) != LinearProgram::Status::optimal || sum.dot(x) < 0.5) return false;
  direction = free * x;
  return true;
}

// By elimination with the largest pivot of all.
int UniquenessTest::rank() {
  const Eigen::Index rows = matrix_.rows(), columns = matrix_.cols();
  Eigen::Index done = 0;
  for (; done < std::min(rows, columns); ++done) {
    Eigen::Index i = 0, j = 0;
    const double pivot =
        matrix_.bottomRightCorner(rows - done, columns - done).cwiseAbs().maxCoeff(&i, &j);
    if (pivot <= dependent) break;
    matrix_.row(done).swap(matrix_.row(done + i));
    matrix_.col(done).swap(matrix_.col(done + j));
    for (Eigen::Index r = done + 1; r < rows; ++r)
      matrix_.row(r) -= matrix_(r, done) / matrix_(done, done) * matrix_.row(done);
  }
  return static_cast<int>(done);
}

// The rows of the cone, each with a largest entry of 1 in units of equal energies.
void UniquenessTest::load(const ComplementarityProblem& problem,
                          const std::vector<FrictionSet>& sets, const SparseRows& inertia,
                          const Solution& solution) {
  w_ = problem.b;
  problem.J.multiply_add(solution.u.data(), w_.data());
  problem.C.multiply_add(solution.lambda.data(), w_.data());
  force_ = problem.p.cwiseAbs().maxCoeff();
  speed_ = 0.0;
  for (int row = 0; row < problem.rows(); ++row) {
    if (problem.J.starts[row] == problem.J.starts[row + 1]) continue;
    force_ = std::max(force_, std::abs(solution.lambda[row]));
    speed_ = std::max({speed_, std::abs(w_[row]), std::abs(problem.b[row])});
  }
  if (force_ == 0.0) force_ = 1.0;
  if (speed_ == 0.0) speed_ = 1.0;
  equalities_ = inequalities_ = 0;
  for (const FrictionSet& set : sets) add_set(problem, set, solution.lambda);
  unit_.resize(unknowns_);
  for (int i = 0; i < unknowns_; ++i) {
    for (int k = inertia.starts[i]; k < inertia.starts[i + 1]; ++k)
      if (inertia.indices[k] == i) unit_[i] = 1.0 / std::sqrt(inertia.values[k]);
    if (problem.M.starts[i] == problem.M.starts[i + 1]) continue;
    VectorX& entries = next(true);
    for (int k = problem.M.starts[i]; k < problem.M.starts[i + 1]; ++k)
      entries[problem.M.indices[k]] = problem.M.values[k];
  }
  const auto normalise = [&](VectorX& row) {
    row = row.cwiseProduct(unit_);
    const double largest = row.cwiseAbs().maxCoeff();
    if (largest > 0.0) row /= largest;
  };
  for (int i = 0; i < equalities_; ++i) normalise(equal_[static_cast<std::size_t>(i)]);
  for (int i = 0; i < inequalities_; ++i) normalise(least_[static_cast<std::size_t>(i)]);
  matrix_.setZero(std::max(equalities_, 1), unknowns_);
  for (int i = 0; i < equalities_; ++i)
    matrix_.row(i) = equal_[static_cast<std::size_t>(i)].transpose();
}

FreeDirections UniquenessTest::operator()(const ComplementarityProblem& problem,
                                          const std::vector<FrictionSet>& sets,
                                          const SparseRows& inertia, const Solution& solution,
                                          const Accuracy& accuracy) {
  zero_ = accuracy.zero();
  holding_ = Holding::exact;
  unknowns_ = problem.unknowns();
  if (unknowns_ == 0) return {};
  load(problem, sets, inertia, solution);
  if (rank() == unknowns_) return {};
  load(problem, sets, inertia, solution);
  Eigen::FullPivLU<MatrixX> factor;
  factor.setThreshold(dependent);
  factor.compute(matrix_);
  if (factor.rank() == unknowns_) return {};
  const MatrixX free = factor.kernel();
  VectorX direction = free.col(0);
  if (inequalities_ > 0 && !has_direction(free, direction)) return {};
  FreeDirections found{static_cast<int>(free.cols()), 0};
  direction.cwiseAbs().maxCoeff(&found.unknown);
  return found;
}

}  // namespace vinci
