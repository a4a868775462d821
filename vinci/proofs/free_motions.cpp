// SPDX-License-Identifier: Apache-2.0
// A basis of the cone of motions that cost nothing: what its inequalities leave free both ways, and
// beyond that vectors of the cone, each found where those before do not reach.
#include <Eigen/LU>
#include <Eigen/QR>

#include "vinci/pivoting/linear_program.h"
#include "vinci/proofs/uniqueness.h"

namespace vinci {
namespace {

// Of a coordinate in units: less is rounding of the linear program.
constexpr double visible = 1e-7;

MatrixX kernel_of(const MatrixX& rows, Eigen::Index columns) {
  if (rows.rows() == 0 || columns == 0) return MatrixX::Identity(columns, columns);
  Eigen::FullPivLU<MatrixX> factor;
  factor.setThreshold(LinearProgram::tolerance);
  factor.compute(rows);
  if (factor.rank() == columns) return MatrixX(columns, 0);
  return factor.kernel();
}

// Orthonormal, of what the columns do not span.
MatrixX complement(const MatrixX& columns) {
  const Eigen::Index k = columns.rows();
  if (columns.cols() == 0) return MatrixX::Identity(k, k);
  const Eigen::HouseholderQR<MatrixX> qr(columns);
  return (qr.householderQ() * MatrixX::Identity(k, k)).rightCols(k - columns.cols());
}

// A point of rows x >= 0 that is not in the span; false if there is none.
bool leave(const MatrixX& rows, const MatrixX& span, VectorX& x) {
  const Eigen::Index k = rows.cols();
  const MatrixX rest = complement(span);
  for (Eigen::Index c = 0; c < rest.cols(); ++c)
    for (const double sign : {1.0, -1.0}) {
      LinearProgram program;
      program.reset(static_cast<int>(k));
      for (Eigen::Index i = 0; i < rows.rows(); ++i)
        program.add_at_least(rows.row(i).transpose(), 0.0);
      for (Eigen::Index i = 0; i < k; ++i)
        for (const double side : {1.0, -1.0})
          program.add_at_least(side * VectorX::Unit(k, i), -1.0);
      const VectorX goal = sign * rest.col(c);
      if (program.maximise(goal, x) == LinearProgram::Status::optimal && goal.dot(x) > visible)
        return true;
    }
  return false;
}

void append(MatrixX& matrix, const VectorX& column) {
  matrix.conservativeResize(column.size(), matrix.cols() + 1);
  matrix.col(matrix.cols() - 1) = column;
}

}  // namespace

FreeMotions UniquenessTest::motions(const ComplementarityProblem& problem,
                                    const std::vector<FrictionSet>& sets, const SparseRows& inertia,
                                    const Solution& solution, const Accuracy& accuracy,
                                    Holding holding) {
  zero_ = accuracy.zero();
  holding_ = holding;
  unknowns_ = problem.unknowns();
  FreeMotions found{MatrixX(unknowns_, 0), MatrixX(unknowns_, 0)};
  if (unknowns_ == 0) return found;
  load(problem, sets, inertia, solution);
  const MatrixX free = kernel_of(matrix_, unknowns_);
  MatrixX rows(inequalities_, free.cols());
  for (int i = 0; i < inequalities_; ++i)
    rows.row(i) = least_[static_cast<std::size_t>(i)].transpose() * free;
  MatrixX span = kernel_of(rows, free.cols());
  found.both_ways = unit_.asDiagonal() * (free * span);
  const MatrixX lines = span;
  VectorX x;
  while (span.cols() < free.cols() && leave(rows, span, x)) {
    // Without what it has of motions that are free both ways.
    if (lines.cols() > 0) x -= lines * lines.householderQr().solve(x);
    append(span, x);
    append(found.one_way, unit_.asDiagonal() * (free * x));
  }
  return found;
}

}  // namespace vinci
