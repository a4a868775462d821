// SPDX-License-Identifier: Apache-2.0
// Assembly of the coupled Newton system into fixed positions.
#include "vinci/newton/coupled_matrix.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseLU>

namespace vinci {

struct CoupledMatrix::Sparse {
  using Matrix = Eigen::SparseMatrix<double>;
  Matrix matrix;
  Eigen::SparseLU<Matrix> lu;
};

namespace {

// Without u: up to this size, and up to the largest one where so much of the matrix is filled.
constexpr int always_dense = 45;
constexpr double worth_dense = 0.4;

}  // namespace

CoupledMatrix::CoupledMatrix() : sparse_(std::make_unique<Sparse>()) {}
CoupledMatrix::~CoupledMatrix() = default;

bool CoupledMatrix::same_pattern(const ComplementarityProblem& problem) const {
  const auto same_block = [](const Block& a, const Block& b) {
    return a.offset == b.offset && a.size == b.size;
  };
  return pattern_[0] == problem.M.starts && pattern_[1] == problem.M.indices &&
         pattern_[2] == problem.J.starts && pattern_[3] == problem.J.indices &&
         pattern_[4] == problem.C.starts && pattern_[5] == problem.C.indices &&
         std::equal(blocks_.begin(), blocks_.end(), problem.blocks.begin(), problem.blocks.end(),
                    same_block);
}

// The columns of each block: of u, then of λ, its own ones among them.
void CoupledMatrix::find_columns(const ComplementarityProblem& problem) {
  const int n = problem.unknowns();
  columns_.clear();
  column_starts_.assign(1, 0);
  own_.clear();
  value_starts_.assign(1, 0);
  for (const Block& block : problem.blocks) {
    const int first = column_starts_.back(), last_row = block.offset + block.size;
    for (int k = problem.J.starts[block.offset]; k < problem.J.starts[last_row]; ++k)
      columns_.push_back(problem.J.indices[k]);
    for (int k = problem.C.starts[block.offset]; k < problem.C.starts[last_row]; ++k)
      columns_.push_back(n + problem.C.indices[k]);
    for (int i = block.offset; i < last_row; ++i) columns_.push_back(n + i);
    std::sort(columns_.begin() + first, columns_.end());
    columns_.erase(std::unique(columns_.begin() + first, columns_.end()), columns_.end());
    const auto own = std::lower_bound(columns_.begin() + first, columns_.end(), n + block.offset);
    own_.push_back(static_cast<int>(own - columns_.begin()));
    column_starts_.push_back(static_cast<int>(columns_.size()));
    value_starts_.push_back(value_starts_.back() +
                            (columns_.size() - static_cast<std::size_t>(first)) *
                                static_cast<std::size_t>(block.size));
  }
}

// Where each entry lies in the storage, dense by columns or compressed columns.
void CoupledMatrix::place(const ComplementarityProblem& problem) {
  const int n = unknowns_;
  if (kind_ == Kind::dense) {
    dense_matrix_.setZero(size_, size_);
  } else {
    std::vector<Eigen::Triplet<double>> entries;
    for (int row = 0; row < n; ++row)
      for (int k = problem.M.starts[row]; k < problem.M.starts[row + 1]; ++k)
        entries.emplace_back(row, problem.M.indices[k], 0.0);
    for (int row = 0; row < problem.rows(); ++row)
      for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
        entries.emplace_back(problem.J.indices[k], n + row, 0.0);
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (int c = column_starts_[b]; c < column_starts_[b + 1]; ++c)
        for (int i = 0; i < blocks_[b].size; ++i)
          entries.emplace_back(n + blocks_[b].offset + i, columns_[c], 0.0);
    sparse_->matrix.resize(size_, size_);
    sparse_->matrix.setFromTriplets(entries.begin(), entries.end());
  }
  const auto position = [&](int row, int column) {
    if (kind_ == Kind::dense) return column * size_ + row;
    const int* const inner = sparse_->matrix.innerIndexPtr();
    const int* const outer = sparse_->matrix.outerIndexPtr();
    return static_cast<int>(
        std::lower_bound(inner + outer[column], inner + outer[column + 1], row) - inner);
  };
  positions_.clear();
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    for (int c = column_starts_[b]; c < column_starts_[b + 1]; ++c)
      positions_.push_back(position(n + blocks_[b].offset, columns_[c]));
  mass_positions_.clear();
  for (int row = 0; row < n; ++row)
    for (int k = problem.M.starts[row]; k < problem.M.starts[row + 1]; ++k)
      mass_positions_.push_back(position(row, problem.M.indices[k]));
  force_positions_.clear();
  for (int row = 0; row < problem.rows(); ++row)
    for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
      force_positions_.push_back(position(problem.J.indices[k], n + row));
}

void CoupledMatrix::make_pattern(const ComplementarityProblem& problem) {
  const SparseRows* const parts[] = {&problem.M, &problem.J, &problem.C};
  for (int k = 0; k < 3; ++k)
    pattern_[2 * k] = parts[k]->starts, pattern_[2 * k + 1] = parts[k]->indices;
  blocks_ = problem.blocks;
  unknowns_ = problem.unknowns();
  size_ = unknowns_ + problem.rows();
  find_columns(problem);
  const double filled = static_cast<double>(value_starts_.back()) / (1.0 * size_ * size_);
  const bool small = size_ <= always_dense || (size_ <= largest_dense && filled > worth_dense);
  if (unknowns_ == 0)
    kind_ = small ? Kind::dense : Kind::frontal;
  else
    kind_ = size_ <= largest_dense ? Kind::dense : Kind::pivoting;
  place(problem);
  if (kind_ == Kind::pivoting) sparse_->lu.analyzePattern(sparse_->matrix);
  if (kind_ != Kind::frontal) return;
  std::vector<int> starts = {0};
  for (const Block& block : blocks_) starts.push_back(block.offset + block.size);
  frontal_.analyse(sparse_->matrix, starts);
}

double* CoupledMatrix::storage() {
  return kind_ == Kind::dense ? dense_matrix_.data() : sparse_->matrix.valuePtr();
}

void CoupledMatrix::gather(const ComplementarityProblem& problem, const VectorX& scales) {
  const int n = unknowns_;
  column_scale_.resize(size_);
  double reference = 0.0;  // of the first row: a ratio of two entries of M is free of units
  for (int row = 0; row < n; ++row) {
    double diagonal = 0.0;
    for (int k = problem.M.starts[row]; k < problem.M.starts[row + 1]; ++k)
      if (problem.M.indices[k] == row) diagonal = std::abs(problem.M.values[k]);
    if (row == 0) reference = diagonal;
    const double ratio = diagonal / reference;
    column_scale_[row] = std::isnormal(ratio) ? 1.0 / std::sqrt(ratio) : 1.0;
  }
  column_scale_.tail(problem.rows()) = scales.cwiseInverse();
  values_.assign(value_starts_.back(), 0.0);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const int size = blocks_[b].size;
    double* const first = values_.data() + value_starts_[b];
    for (int i = 0; i < size; ++i) {
      int c = column_starts_[b];
      const auto add = [&](int column, double value) {
        while (columns_[c] < column) ++c;
        first[(c - column_starts_[b]) * size + i] = value * column_scale_[column];
      };
      const int row = blocks_[b].offset + i;
      for (int k = problem.J.starts[row]; k < problem.J.starts[row + 1]; ++k)
        add(problem.J.indices[k], problem.J.values[k]);
      for (int k = problem.C.starts[row]; k < problem.C.starts[row + 1]; ++k)
        add(n + problem.C.indices[k], problem.C.values[k]);
    }
  }
}

// M and −Jᵀ, which no step changes.
void CoupledMatrix::fill_mass_rows(const ComplementarityProblem& problem) {
  const int n = unknowns_;
  if (n == 0) return;
  const SparseRows &M = problem.M, &J = problem.J;
  auto largest = row_scale_.head(n);
  largest.setZero();
  for (int row = 0; row < n; ++row)
    for (int k = M.starts[row]; k < M.starts[row + 1]; ++k)
      largest[row] = std::max(largest[row], std::abs(M.values[k]) * column_scale_[M.indices[k]]);
  for (int row = 0; row < J.rows; ++row)
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k) {
      double& most = largest[J.indices[k]];
      most = std::max(most, std::abs(J.values[k]) * column_scale_[n + row]);
    }
  for (int row = 0; row < n; ++row) largest[row] = largest[row] > 0.0 ? 1.0 / largest[row] : 1.0;
  double* const values = storage();
  std::size_t entry = 0;
  for (int row = 0; row < n; ++row)
    for (int k = M.starts[row]; k < M.starts[row + 1]; ++k)
      values[mass_positions_[entry++]] =
          row_scale_[row] * (M.values[k] * column_scale_[M.indices[k]]);
  entry = 0;
  for (int row = 0; row < J.rows; ++row)
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
      values[force_positions_[entry++]] =
          -row_scale_[J.indices[k]] * (J.values[k] * column_scale_[n + row]);
}

void CoupledMatrix::prepare(const ComplementarityProblem& problem, const VectorX& scales) {
  if (!same_pattern(problem)) make_pattern(problem);
  row_scale_.resize(size_);
  x_.resize(size_);
  gather(problem, scales);
  fill_mass_rows(problem);
}

bool CoupledMatrix::factor(const std::vector<double>& A, const std::vector<double>& B) {
  double* const values = storage();
  const double *A_block = A.data(), *B_block = B.data();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const int size = blocks_[b].size, count = column_starts_[b + 1] - column_starts_[b];
    const int first = unknowns_ + blocks_[b].offset, own = own_[b] - column_starts_[b];
    rows_.resize(static_cast<std::size_t>(count * size));
    const double* const given = values_.data() + value_starts_[b];
    for (int c = 0; c < count; ++c)
      for (int i = 0; i < size; ++i) {
        double sum = 0.0;
        for (int k = 0; k < size; ++k) sum += B_block[i * size + k] * given[c * size + k];
        rows_[c * size + i] = sum;
      }
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j)
        rows_[(own + j) * size + i] += A_block[i * size + j] * column_scale_[first + j];
      double largest = 0.0;
      for (int c = 0; c < count; ++c) largest = std::max(largest, std::abs(rows_[c * size + i]));
      if (!(largest > 0.0) || !std::isfinite(largest)) return false;
      row_scale_[first + i] = 1.0 / largest;
    }
    const int* const where = positions_.data() + column_starts_[b];
    for (int c = 0; c < count; ++c)
      for (int i = 0; i < size; ++i)
        values[where[c] + i] = rows_[c * size + i] * row_scale_[first + i];
    A_block += size * size, B_block += size * size;
  }
  if (kind_ == Kind::frontal) return frontal_.factor(values);
  if (kind_ == Kind::dense) {
    dense_lu_.compute(dense_matrix_);
    return true;
  }
  sparse_->lu.factorize(sparse_->matrix);
  return sparse_->lu.info() == Eigen::Success;
}

bool CoupledMatrix::solve(VectorX& f, VectorX& right) {
  x_.head(unknowns_) = f;
  x_.tail(size_ - unknowns_) = right;
  x_.array() *= row_scale_.array();
  switch (kind_) {
    case Kind::dense:
      y_ = dense_lu_.solve(x_);
      break;
    case Kind::frontal:
      y_ = x_;
      frontal_.solve(y_);
      break;
    case Kind::pivoting:
      y_ = sparse_->lu.solve(x_);
      break;
  }
  y_.array() *= column_scale_.array();
  f = y_.head(unknowns_);
  right = y_.tail(size_ - unknowns_);
  return y_.allFinite();
}

}  // namespace vinci
