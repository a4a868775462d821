// SPDX-License-Identifier: Apache-2.0
// Assembly of the Newton matrix.
#include "vinci/newton/newton_matrix.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

namespace vinci {

struct NewtonMatrix::Sparse {
  using Matrix = Eigen::SparseMatrix<double>;
  Matrix matrix;
  Eigen::SimplicialLDLT<Matrix> symmetric;  // of the lower triangle
  Eigen::SparseLU<Matrix> general;
};

NewtonMatrix::NewtonMatrix() : sparse_(std::make_unique<Sparse>()) {}
NewtonMatrix::~NewtonMatrix() = default;

int NewtonMatrix::position(int row, int column) const {
  const int* const begin =
      sparse_->matrix.innerIndexPtr() + sparse_->matrix.outerIndexPtr()[column];
  const int* const end =
      sparse_->matrix.innerIndexPtr() + sparse_->matrix.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - sparse_->matrix.innerIndexPtr());
}

bool NewtonMatrix::same_pattern(const ComplementarityProblem& problem) const {
  return mass_starts_ == problem.M.starts && mass_indices_ == problem.M.indices &&
         row_starts_ == problem.J.starts && row_indices_ == problem.J.indices &&
         column_starts_.size() == problem.blocks.size() + 1;
}

void NewtonMatrix::make_pattern(const ComplementarityProblem& problem) {
  mass_starts_ = problem.M.starts, mass_indices_ = problem.M.indices;
  row_starts_ = problem.J.starts, row_indices_ = problem.J.indices;
  columns_.clear();
  column_starts_.assign(1, 0);
  std::vector<Eigen::Triplet<double>> entries;
  for (const Block& block : problem.blocks) {
    const auto first = problem.J.indices.begin() + problem.J.starts[block.offset];
    const auto last = problem.J.indices.begin() + problem.J.starts[block.offset + block.size];
    columns_.insert(columns_.end(), first, last);
    const auto begin = columns_.begin() + column_starts_.back();
    std::sort(begin, columns_.end());
    columns_.erase(std::unique(begin, columns_.end()), columns_.end());
    for (int j = column_starts_.back(); j < static_cast<int>(columns_.size()); ++j)
      for (int i = column_starts_.back(); i < static_cast<int>(columns_.size()); ++i)
        entries.emplace_back(columns_[i], columns_[j], 0.0);
    column_starts_.push_back(static_cast<int>(columns_.size()));
  }
  for (int row = 0; row < problem.M.rows; ++row)
    for (int k = problem.M.starts[row]; k < problem.M.starts[row + 1]; ++k)
      entries.emplace_back(row, problem.M.indices[k], 0.0);
  sparse_->matrix.resize(problem.M.rows, problem.M.cols);
  sparse_->matrix.setFromTriplets(entries.begin(), entries.end());

  mass_positions_.clear();
  for (int row = 0; row < problem.M.rows; ++row)
    for (int k = problem.M.starts[row]; k < problem.M.starts[row + 1]; ++k)
      mass_positions_.push_back(position(row, problem.M.indices[k]));
  positions_.clear();
  position_starts_.assign(1, 0);
  for (std::size_t block = 0; block + 1 < column_starts_.size(); ++block) {
    for (int j = column_starts_[block]; j < column_starts_[block + 1]; ++j)
      for (int i = column_starts_[block]; i < column_starts_[block + 1]; ++i)
        positions_.push_back(position(columns_[i], columns_[j]));
    position_starts_.push_back(static_cast<int>(positions_.size()));
  }
  sparse_->symmetric.analyzePattern(sparse_->matrix);
  general_analysed_ = false;
}

bool NewtonMatrix::assemble(const ComplementarityProblem& problem, const VectorX& scales,
                            double penalty, Projection projection, const VectorX& y) {
  blocks_.clear();
  for (const Block& block : problem.blocks) {
    const std::size_t first = blocks_.size();
    blocks_.resize(first + static_cast<std::size_t>(block.size * block.size));
    double* const D = blocks_.data() + first;
    projection_derivative(block, projection, y.data() + block.offset, D,
                          contact_length(block, scales));
    for (int j = 0; j < block.size; ++j) {
      const double rho = row_penalty(block, scales, j, penalty);
      for (int i = 0; i < block.size; ++i) D[i * block.size + j] *= rho;
    }
  }
  return assemble(problem, blocks_, projection == Projection::cone);
}

bool NewtonMatrix::assemble(const ComplementarityProblem& problem, const std::vector<double>& D,
                            bool symmetric) {
  is_symmetric_ = symmetric;
  if (!same_pattern(problem)) make_pattern(problem);
  double* const values = sparse_->matrix.valuePtr();
  std::fill(values, values + sparse_->matrix.nonZeros(), 0.0);
  for (std::size_t k = 0; k < mass_positions_.size(); ++k)
    values[mass_positions_[k]] += problem.M.values[k];
  const double* block_of_D = D.data();
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    const Block& block = problem.blocks[b];
    add_block(problem, static_cast<int>(b), block_of_D);
    block_of_D += block.size * block.size;
  }
  return factor();
}

// Adds J_aᵀ D_a J_a.
void NewtonMatrix::add_block(const ComplementarityProblem& problem, int number, const double* D) {
  const Block& block = problem.blocks[number];
  const int first = column_starts_[number], count = column_starts_[number + 1] - first;
  const int size = block.size;
  if (std::all_of(D, D + size * size, [](double x) { return x == 0.0; })) return;
  rows_.assign(static_cast<std::size_t>(size * count), 0.0);  // J_a, column by column
  weighted_.assign(static_cast<std::size_t>(size * count), 0.0);
  for (int i = 0; i < size; ++i) {
    int column = 0;
    for (int k = problem.J.starts[block.offset + i]; k < problem.J.starts[block.offset + i + 1];
         ++k) {
      while (columns_[first + column] < problem.J.indices[k]) ++column;
      rows_[column * size + i] = problem.J.values[k];
    }
  }
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < size; ++k)
        weighted_[j * size + i] += D[i * size + k] * rows_[j * size + k];
  double* const values = sparse_->matrix.valuePtr();
  const int* where = positions_.data() + position_starts_[number];
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < count; ++i) {
      double sum = 0.0;
      for (int k = 0; k < size; ++k) sum += rows_[i * size + k] * weighted_[j * size + k];
      values[*where++] += sum;
    }
}

bool NewtonMatrix::factor() {
  if (is_symmetric_) {
    sparse_->symmetric.factorize(sparse_->matrix);
    return sparse_->symmetric.info() == Eigen::Success;
  }
  if (!general_analysed_) sparse_->general.analyzePattern(sparse_->matrix);
  general_analysed_ = true;
  sparse_->general.factorize(sparse_->matrix);
  return sparse_->general.info() == Eigen::Success;
}

void NewtonMatrix::solve(VectorX& x) const {
  if (is_symmetric_)
    x = sparse_->symmetric.solve(x);
  else
    x = sparse_->general.solve(x);
}

}  // namespace vinci
