// SPDX-License-Identifier: Apache-2.0
// Assembly of the Newton matrix.
#include "vinci/newton/newton_matrix.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

// The velocities of one body, or of bodies that M couples, are eliminated together: ranges of them,
// where each begins and the number of all.
std::vector<int> ranges_of(const SparseRows& M) {
  std::vector<int> starts;
  int last = -1;  // of the range at hand
  for (int row = 0; row < M.rows; ++row) {
    if (row > last) starts.push_back(row);
    last = std::max(last, row);
    for (int k = M.starts[row]; k < M.starts[row + 1]; ++k) {
      const int column = M.indices[k];
      last = std::max(last, column);
      while (starts.back() > column) starts.pop_back();
    }
  }
  starts.push_back(M.rows);
  return starts;
}

// Adds RᵀD R, R of size × count, at the places of its columns one after the other.
template <int size, int count>
void add_product(const double* D, const double* R, const int* where, double* values) {
  Eigen::Map<const Eigen::Matrix<double, count, size>> rows(R);  // transposed
  const Eigen::Map<const Eigen::Matrix<double, size, size, Eigen::RowMajor>> weights(D);
  const Eigen::Matrix<double, size, count> weighted = weights.lazyProduct(rows.transpose());
  for (int j = 0; j < count; ++j, where += count) {
    const Eigen::Matrix<double, count, 1> sums = rows.lazyProduct(weighted.col(j));
    for (int c = 0; c < count; ++c) values[where[c]] += sums[c];
  }
}

void add_any_product(int size, int count, const double* D, const double* R, const int* where,
                     double* values) {
  for (int j = 0; j < count; ++j, where += count)
    for (int i = 0; i < size; ++i) {
      double factor = 0.0;  // (D R)_ij
      for (int k = 0; k < size; ++k) factor += D[i * size + k] * R[k * count + j];
      for (int c = 0; c < count; ++c) values[where[c]] += factor * R[i * count + c];
    }
}

}  // namespace

int NewtonMatrix::position(int row, int column) const {
  const int* const begin = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column];
  const int* const end = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - matrix_.innerIndexPtr());
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
  matrix_.resize(problem.M.rows, problem.M.cols);
  matrix_.setFromTriplets(entries.begin(), entries.end());

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
  matrix_.makeCompressed();
  factors_.analyse(matrix_, ranges_of(problem.M));
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
  return assemble(problem, blocks_);
}

bool NewtonMatrix::assemble(const ComplementarityProblem& problem, const std::vector<double>& D) {
  if (!same_pattern(problem)) make_pattern(problem);
  double* const values = matrix_.valuePtr();
  std::fill(values, values + matrix_.nonZeros(), 0.0);
  for (std::size_t k = 0; k < mass_positions_.size(); ++k)
    values[mass_positions_[k]] += problem.M.values[k];
  const double* block_of_D = D.data();
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    const Block& block = problem.blocks[b];
    add_block(problem, static_cast<int>(b), block_of_D);
    block_of_D += block.size * block.size;
  }
  find_units(problem);
  for (int column = 0; column < matrix_.cols(); ++column)
    for (int k = matrix_.outerIndexPtr()[column]; k < matrix_.outerIndexPtr()[column + 1]; ++k)
      values[k] *= unit_[column] * unit_[matrix_.innerIndexPtr()[k]];
  return factors_.factor(values);
}

// Powers of two: they change no bit of the factors.
void NewtonMatrix::find_units(const ComplementarityProblem& problem) {
  unit_.setOnes(problem.unknowns());
  for (int row = 0; row < problem.unknowns(); ++row)
    for (int k = problem.M.starts[row]; k < problem.M.starts[row + 1]; ++k)
      if (problem.M.indices[k] == row && problem.M.values[k] > 0.0) {
        int power = 0;
        std::frexp(problem.M.values[k], &power);
        unit_[row] = std::ldexp(1.0, -(power >> 1));
      }
}

// Adds J_aᵀ D_a J_a, a column at a time.
void NewtonMatrix::add_block(const ComplementarityProblem& problem, int number, const double* D) {
  const Block& block = problem.blocks[number];
  const int first = column_starts_[number], count = column_starts_[number + 1] - first;
  const int size = block.size;
  if (std::all_of(D, D + size * size, [](double x) { return x == 0.0; })) return;
  rows_.assign(static_cast<std::size_t>(size * count), 0.0);  // J_a, row by row
  for (int i = 0; i < size; ++i) {
    double* const row = rows_.data() + i * count;
    int column = 0;
    for (int k = problem.J.starts[block.offset + i]; k < problem.J.starts[block.offset + i + 1];
         ++k) {
      while (columns_[first + column] < problem.J.indices[k]) ++column;
      row[column] = problem.J.values[k];
    }
  }
  double* const values = matrix_.valuePtr();
  const int* const where = positions_.data() + position_starts_[number];
  if (size == 3 && count == 12)  // bodies in space, then one body and the ground; in the plane
    add_product<3, 12>(D, rows_.data(), where, values);
  else if (size == 3 && count == 6)
    add_product<3, 6>(D, rows_.data(), where, values);
  else if (size == 2 && count == 6)
    add_product<2, 6>(D, rows_.data(), where, values);
  else if (size == 2 && count == 3)
    add_product<2, 3>(D, rows_.data(), where, values);
  else
    add_any_product(size, count, D, rows_.data(), where, values);
}

void NewtonMatrix::solve(VectorX& x) {
  x = x.cwiseProduct(unit_);
  factors_.solve(x);
  x = x.cwiseProduct(unit_);
}

}  // namespace vinci
