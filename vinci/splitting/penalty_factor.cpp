// SPDX-License-Identifier: Apache-2.0
// The matrix W + D in its three forms.
#include "vinci/splitting/penalty_factor.h"

#include <algorithm>
#include <cmath>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

namespace vinci {

namespace {

// Up to this size a dense factorisation is faster than a sparse one, and its blocks fit the stack.
constexpr int largest_dense = 100;
// A part of the largest entry up to which a matrix counts as symmetric.
constexpr double symmetric_to = 1e-14;

}  // namespace

struct PenaltyFactor::Sparse {
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  std::vector<int> rows, columns;  // of the entries, as assembled: the pattern
  std::vector<int> new_rows, new_columns;
  std::vector<int> order;      // unknown → row of the matrix
  std::vector<int> positions;  // entry → value of the matrix
  Matrix matrix;
  // The order is ours: so nothing is copied.
  Eigen::SimplicialLDLT<Matrix, Eigen::Upper, Eigen::NaturalOrdering<int>> cholesky;
  Eigen::SparseLU<Matrix, Eigen::NaturalOrdering<int>> lu;
  bool cholesky_analysed = false, lu_analysed = false;
  VectorX right, left;
};

PenaltyFactor::PenaltyFactor() : sparse_(std::make_unique<Sparse>()) {}
PenaltyFactor::~PenaltyFactor() = default;

void PenaltyFactor::prepare(const ComplementarityProblem& problem, const DelassusOperator& op) {
  problem_ = &problem;
  op_ = &op;
  moving_ = 0;
  form_ = !op.velocity_form() ? Form::condensed
          : problem.C.empty() ? Form::velocity
                              : Form::coupled;
  if (form_ != Form::condensed) number_components();
  size_ = moving_ + (form_ == Form::velocity ? 0 : problem.rows());
  D_.setOnes(problem.rows());
  system_.resize(size_);
}

void PenaltyFactor::number_components() {
  unknown_of_component_.assign(static_cast<std::size_t>(op_->mass().component_count()), -1);
  for (int block = 0; block < static_cast<int>(problem_->blocks.size()); ++block)
    for (const DelassusOperator::Touch& touch : op_->touches(block))
      if (unknown_of_component_[touch.component] < 0) {
        unknown_of_component_[touch.component] = moving_;
        moving_ += touch.size;
      }
}

// ---------------------------------------------------------------------------------------- assembly

template <class Add>
void PenaltyFactor::assemble_mass(const Add& add) const {
  const MassFactor& mass = op_->mass();
  for (int c = 0; c < mass.component_count(); ++c) {
    const int first = unknown_of_component_[c];
    if (first < 0) continue;
    for (const int row : mass.members(c))
      for (int k = problem_->M.starts[row]; k < problem_->M.starts[row + 1]; ++k)
        add(first + mass.position_of(row), first + mass.position_of(problem_->M.indices[k]),
            problem_->M.values[k]);
  }
}

// J_aᵀD_a⁻¹J_a.
template <class Add>
void PenaltyFactor::assemble_velocity(int block, const Add& add) const {
  const int offset = problem_->blocks[block].offset, size = problem_->blocks[block].size;
  for (const auto& upper : op_->touches(block))
    for (const auto& lower : op_->touches(block)) {
      const double *const left = op_->jacobian(upper), *const right = op_->jacobian(lower);
      const int first = unknown_of_component_[upper.component];
      const int second = unknown_of_component_[lower.component];
      for (int i = 0; i < upper.size; ++i)
        for (int j = 0; j < lower.size; ++j) {
          double sum = 0.0;
          for (int k = 0; k < size; ++k)
            sum += left[k * upper.size + i] * right[k * lower.size + j] / D_[offset + k];
          add(first + i, second + j, sum);
        }
    }
}

template <class Add>
void PenaltyFactor::assemble_coupled(const Add& add) const {
  const MassFactor& mass = op_->mass();
  const SparseRows& J = problem_->J;
  for (int row = 0; row < problem_->rows(); ++row)
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k) {
      const int unknown =
          unknown_of_component_[mass.component_of(J.indices[k])] + mass.position_of(J.indices[k]);
      add(unknown, moving_ + row, -J.values[k]);
      add(moving_ + row, unknown, J.values[k]);
    }
}

template <class Add>
void PenaltyFactor::assemble(const Add& add) const {
  if (form_ != Form::condensed) assemble_mass(add);
  if (form_ == Form::velocity) {
    for (int block = 0; block < static_cast<int>(problem_->blocks.size()); ++block)
      assemble_velocity(block, add);
    return;
  }
  if (form_ == Form::coupled) assemble_coupled(add);
  const SparseRows& rows = op_->rows();  // W, or C beside u
  for (int row = 0; row < problem_->rows(); ++row) {
    add(moving_ + row, moving_ + row, D_[row]);
    for (int k = rows.starts[row]; k < rows.starts[row + 1]; ++k)
      add(moving_ + row, moving_ + rows.indices[k], rows.values[k]);
  }
}

// ----------------------------------------------------------------------------------- factorisation

bool PenaltyFactor::factor(const VectorX& D) {
  D_ = D;
  if (size_ == 0) return true;
  return size_ <= largest_dense ? factor_dense() : factor_sparse();
}

bool PenaltyFactor::factor_dense() {
  matrix_.setZero(size_, size_);
  assemble([this](int row, int column, double value) { matrix_(row, column) += value; });
  double difference = 0.0, largest = 0.0;
  for (int j = 0; j < size_; ++j)
    for (int i = 0; i <= j; ++i) {
      difference = std::max(difference, std::abs(matrix_(i, j) - matrix_(j, i)));
      largest = std::max(largest, std::abs(matrix_(i, j)));
    }
  symmetric_ = difference <= symmetric_to * largest;
  if (symmetric_) {
    cholesky_.compute(matrix_);
    symmetric_ = cholesky_.info() == Eigen::Success;
  }
  if (!symmetric_) lu_.compute(matrix_);
  return symmetric_ || lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0.0;
}

// The order that keeps the factor sparse, and where each entry goes.
void PenaltyFactor::analyse() {
  Sparse& sparse = *sparse_;
  sparse.rows = sparse.new_rows;
  sparse.columns = sparse.new_columns;
  sparse.cholesky_analysed = sparse.lu_analysed = false;
  std::vector<Eigen::Triplet<double, int>> entries;
  for (std::size_t k = 0; k < sparse.rows.size(); ++k)
    entries.emplace_back(sparse.rows[k], sparse.columns[k], 1.0);
  sparse.matrix.resize(size_, size_);
  sparse.matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(sparse.matrix, permutation);
  sparse.order.resize(static_cast<std::size_t>(size_));
  for (int i = 0; i < size_; ++i) sparse.order[permutation.indices()[i]] = i;
  for (auto& entry : entries) entry = {sparse.order[entry.row()], sparse.order[entry.col()], 1.0};
  sparse.matrix.setFromTriplets(entries.begin(), entries.end());
  const int *const starts = sparse.matrix.outerIndexPtr(), *const inner =
                                                               sparse.matrix.innerIndexPtr();
  sparse.positions.clear();
  for (const auto& entry : entries)
    sparse.positions.push_back(
        static_cast<int>(std::lower_bound(inner + starts[entry.col()],
                                          inner + starts[entry.col() + 1], entry.row()) -
                         inner));
}

bool PenaltyFactor::factor_sparse() {
  Sparse& sparse = *sparse_;
  sparse.new_rows.clear();
  sparse.new_columns.clear();
  assemble([&sparse](int row, int column, double) {
    sparse.new_rows.push_back(row);
    sparse.new_columns.push_back(column);
  });
  if (sparse.matrix.rows() != size_ || sparse.new_rows != sparse.rows ||
      sparse.new_columns != sparse.columns)
    analyse();
  Sparse::Matrix& matrix = sparse.matrix;
  double* const values = matrix.valuePtr();
  std::fill(values, values + matrix.nonZeros(), 0.0);
  const int* position = sparse.positions.data();
  assemble([&](int, int, double value) { values[*position++] += value; });
  double difference = 0.0, largest = 0.0;
  for (int j = 0; j < size_; ++j)
    for (Sparse::Matrix::InnerIterator it(matrix, j); it; ++it) {
      largest = std::max(largest, std::abs(it.value()));
      if (it.row() < j)
        difference = std::max(difference, std::abs(it.value() - matrix.coeff(j, it.row())));
    }
  symmetric_ = form_ != Form::coupled && difference <= symmetric_to * largest;
  if (symmetric_) {
    if (!sparse.cholesky_analysed) sparse.cholesky.analyzePattern(matrix);
    sparse.cholesky_analysed = true;
    sparse.cholesky.factorize(matrix);
    symmetric_ = sparse.cholesky.info() == Eigen::Success;
    if (symmetric_) return true;
  }
  if (!sparse.lu_analysed) sparse.lu.analyzePattern(matrix);
  sparse.lu_analysed = true;
  sparse.lu.factorize(matrix);
  return sparse.lu.info() == Eigen::Success;
}

// ------------------------------------------------------------------------------------------- solve

void PenaltyFactor::solve_system() {
  if (size_ <= largest_dense) {
    if (symmetric_) {
      cholesky_.matrixL().solveInPlace(system_);
      cholesky_.matrixU().solveInPlace(system_);
      return;
    }
    sparse_->right = system_;
    for (int i = 0; i < size_; ++i) system_[lu_.permutationP().indices()[i]] = sparse_->right[i];
    lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(system_);
    lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(system_);
    return;
  }
  Sparse& sparse = *sparse_;
  sparse.right.resize(size_);
  for (int i = 0; i < size_; ++i) sparse.right[sparse.order[i]] = system_[i];
  if (symmetric_)
    sparse.left = sparse.cholesky.solve(sparse.right);
  else
    sparse.left = sparse.lu.solve(sparse.right);
  for (int i = 0; i < size_; ++i) system_[i] = sparse.left[sparse.order[i]];
}

void PenaltyFactor::solve(const VectorX& right, VectorX& x) {
  x = right;
  if (form_ != Form::velocity) {
    system_.setZero();
    system_.tail(problem_->rows()) = right;
    solve_system();
    x = system_.tail(problem_->rows());
    return;
  }
  system_.setZero();
  const int count = static_cast<int>(problem_->blocks.size());
  for (int block = 0; block < count; ++block) {
    const int offset = problem_->blocks[block].offset, size = problem_->blocks[block].size;
    for (const auto& touch : op_->touches(block)) {
      const double* jacobian = op_->jacobian(touch);
      double* const v = system_.data() + unknown_of_component_[touch.component];
      for (int i = 0; i < size; ++i, jacobian += touch.size) {
        const double force = right[offset + i] / D_[offset + i];
        for (int k = 0; k < touch.size; ++k) v[k] += jacobian[k] * force;
      }
    }
  }
  solve_system();
  for (int block = 0; block < count; ++block) {
    const int offset = problem_->blocks[block].offset, size = problem_->blocks[block].size;
    for (const auto& touch : op_->touches(block)) {
      const double* jacobian = op_->jacobian(touch);
      const double* const v = system_.data() + unknown_of_component_[touch.component];
      for (int i = 0; i < size; ++i, jacobian += touch.size)
        for (int k = 0; k < touch.size; ++k) x[offset + i] -= jacobian[k] * v[k];
    }
  }
  x = x.cwiseQuotient(D_);
}

}  // namespace vinci
