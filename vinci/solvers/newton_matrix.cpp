// SPDX-License-Identifier: Apache-2.0
// Assembly of the Newton matrix, and the derivatives of the projections.
#include "vinci/solvers/newton_matrix.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_ball.h"
#include "vinci/complementarity/laws.h"

namespace vinci {
namespace {

void identity(int size, double* d, double value = 1.0) {
  for (int i = 0; i < size * size; ++i) d[i] = 0.0;
  for (int i = 0; i < size; ++i) d[i * size + i] = value;
}

// Onto the friction cone: 1 inside, 0 in the polar cone, otherwise the ray's projector plus the
// turning of the ray.
void cone_derivative(int size, double friction, const double* y, double* d) {
  const double tangential = law::norm(size - 1, y + 1);
  if (y[0] >= 0.0 && tangential <= friction * y[0]) return identity(size, d);
  if (friction * tangential <= -y[0]) return identity(size, d, 0.0);
  const double cosine = 1.0 / std::hypot(1.0, friction), sine = friction * cosine;
  const double along = y[0] * cosine + tangential * sine;
  double ray[3] = {cosine, 0.0, 0.0};
  for (int i = 1; i < size; ++i) ray[i] = sine * y[i] / tangential;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) d[i * size + j] = ray[i] * ray[j];
  const double turning = along * sine / tangential;
  for (int i = 1; i < size; ++i)
    for (int j = 1; j < size; ++j)
      d[i * size + j] += turning * ((i == j ? 1.0 : 0.0) - y[i] * y[j] / (tangential * tangential));
}

// [y_N]₊ and y_T cut to the length μ [y_N]₊: in sliding friction follows the normal impulse.
void coulomb_derivative(int size, double friction, const double* y, double* d) {
  if (y[0] <= 0.0) return identity(size, d, 0.0);
  const double tangential = law::norm(size - 1, y + 1), radius = friction * y[0];
  if (tangential <= radius) return identity(size, d);
  identity(size, d, 0.0);
  d[0] = 1.0;
  for (int i = 1; i < size; ++i) {
    d[i * size] = friction * y[i] / tangential;
    for (int j = 1; j < size; ++j)
      d[i * size + j] =
          radius / tangential * ((i == j ? 1.0 : 0.0) - y[i] * y[j] / (tangential * tangential));
  }
}

void ball_derivative(int size, double radius, const double* y, double* d) {
  const double length = law::norm(size, y);
  if (length <= radius) return identity(size, d);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      d[i * size + j] = radius / length * ((i == j ? 1.0 : 0.0) - y[i] * y[j] / (length * length));
}

}  // namespace

void map_derivative(const Block& block, ContactMap map, const double* y, double* d) {
  switch (block.law) {
    case Law::equality:
      return identity(block.size, d);
    case Law::nonnegative:
      d[0] = y[0] > 0.0 ? 1.0 : 0.0;
      return;
    case Law::box:
      d[0] = y[0] > block.lower && y[0] < block.upper ? 1.0 : 0.0;
      return;
    case Law::ball:
      return ball_derivative(block.size, block.upper, y, d);
    case Law::coulomb:
      if (map == ContactMap::coulomb) return coulomb_derivative(block.size, block.friction, y, d);
      return cone_derivative(block.size, block.friction, y, d);
    case Law::second_order:
      return cone_derivative(block.size, block.friction, y, d);
  }
}

void apply_map(const Block& block, ContactMap map, double* x) {
  if (block.law != Law::coulomb || map == ContactMap::cone) return project(block, 1.0, x);
  x[0] = std::max(x[0], 0.0);
  law::project_ball(block.size - 1, x + 1, block.friction * x[0]);
}

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
  symmetric_.analyzePattern(matrix_);
  general_analysed_ = false;
}

bool NewtonMatrix::assemble(const ComplementarityProblem& problem, const VectorX& scales,
                            double penalty, ContactMap map, const VectorX& y) {
  blocks_.clear();
  for (const Block& block : problem.blocks) {
    const std::size_t first = blocks_.size();
    blocks_.resize(first + static_cast<std::size_t>(block.size * block.size));
    map_derivative(block, map, y.data() + block.offset, blocks_.data() + first);
    const double rho = penalty / scales[block.offset];
    for (std::size_t k = first; k < blocks_.size(); ++k) blocks_[k] *= rho;
  }
  return assemble(problem, blocks_, map == ContactMap::cone);
}

bool NewtonMatrix::assemble(const ComplementarityProblem& problem, const std::vector<double>& D,
                            bool symmetric) {
  is_symmetric_ = symmetric;
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
  double* const values = matrix_.valuePtr();
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
    symmetric_.factorize(matrix_);
    return symmetric_.info() == Eigen::Success;
  }
  if (!general_analysed_) general_.analyzePattern(matrix_);
  general_analysed_ = true;
  general_.factorize(matrix_);
  return general_.info() == Eigen::Success;
}

void NewtonMatrix::solve(VectorX& x) const {
  if (is_symmetric_)
    x = symmetric_.solve(x);
  else
    x = general_.solve(x);
}

}  // namespace vinci
