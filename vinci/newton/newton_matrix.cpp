// SPDX-License-Identifier: Apache-2.0
// Assembly of the Newton matrix, and the derivatives of the projections.
#include "vinci/newton/newton_matrix.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include "vinci/complementarity/law_rolling.h"
#include "vinci/complementarity/laws.h"

namespace vinci {

struct NewtonMatrix::Sparse {
  using Matrix = Eigen::SparseMatrix<double>;
  Matrix matrix;
  Eigen::SimplicialLDLT<Matrix> symmetric;  // of the lower triangle
  Eigen::SparseLU<Matrix> general;
};

NewtonMatrix::NewtonMatrix() : sparse_(std::make_unique<Sparse>()) {}
NewtonMatrix::~NewtonMatrix() = default;

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

// One normal part n(y) and two disks of the radii μ n and μ_r n: a part beyond its limit follows n
// and turns. λ_R is divided by the length ℓ, and the derivative brought back.
void rolling_derivative(const Block& block, ContactMap map, const double* y, double length,
                        double* d) {
  const int size = block.size, k = law::rolling_tangents(size);
  double x[largest_contact];
  for (int i = 0; i < size; ++i) x[i] = i <= k ? y[i] : y[i] / length;
  const double limits[2] = {block.friction, block.rolling / length};
  const double sizes[2] = {law::norm(k, x + 1), law::norm(k, x + 1 + k)};
  const bool cone = map == ContactMap::cone;
  const double normal = cone ? law::rolling_normal(x[0], sizes[0], sizes[1], limits[0], limits[1])
                             : std::max(x[0], 0.0);
  identity(size, d, 0.0);
  if (normal <= 0.0) return;
  double stretch = 1.0;
  for (int part = 0; part < 2 && cone; ++part)
    if (sizes[part] > limits[part] * normal) stretch = std::hypot(stretch, limits[part]);
  d[0] = 1.0 / stretch / stretch;
  for (int part = 0; part < 2 && cone; ++part)
    for (int i = 1 + part * k; i < 1 + (part + 1) * k; ++i)
      if (sizes[part] > limits[part] * normal)
        d[i] = limits[part] / stretch * (x[i] / sizes[part]) / stretch;
  for (int part = 0; part < 2; ++part)
    for (int i = 1 + part * k; i < 1 + (part + 1) * k; ++i) {
      double* const row = d + i * size;
      row[i] = 1.0;
      if (sizes[part] <= limits[part] * normal) continue;
      const double turning = limits[part] * normal / sizes[part], along = x[i] / sizes[part];
      for (int j = 0; j < size; ++j) row[j] = limits[part] * along * d[j];
      row[i] += turning;
      for (int j = 1 + part * k; j < 1 + (part + 1) * k; ++j)
        row[j] -= turning * along * (x[j] / sizes[part]);
    }
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      d[i * size + j] *= (i <= k ? 1.0 : length) / (j <= k ? 1.0 : length);
}

void apply_rolling(const Block& block, ContactMap map, double length, double* x) {
  const int k = law::rolling_tangents(block.size);
  for (int i = 1 + k; i < block.size; ++i) x[i] /= length;
  if (map == ContactMap::cone) {
    law::project_rolling(block.size, x, block.friction, block.rolling / length);
  } else {
    x[0] = std::max(x[0], 0.0);
    law::project_ball(k, x + 1, block.friction * x[0]);
    law::project_ball(k, x + 1 + k, block.rolling / length * x[0]);
  }
  for (int i = 1 + k; i < block.size; ++i) x[i] *= length;
}

}  // namespace

void map_derivative(const Block& block, ContactMap map, const double* y, double* d, double length) {
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
    case Law::rolling:
      return rolling_derivative(block, map, y, length, d);
  }
}

void apply_map(const Block& block, ContactMap map, double* x, double length) {
  if (block.law == Law::rolling) return apply_rolling(block, map, length, x);
  if (block.law != Law::coulomb || map == ContactMap::cone) return project(block, 1.0, x);
  x[0] = std::max(x[0], 0.0);
  law::project_ball(block.size - 1, x + 1, block.friction * x[0]);
}

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
                            double penalty, ContactMap map, const VectorX& y) {
  blocks_.clear();
  for (const Block& block : problem.blocks) {
    const std::size_t first = blocks_.size();
    blocks_.resize(first + static_cast<std::size_t>(block.size * block.size));
    double* const D = blocks_.data() + first;
    map_derivative(block, map, y.data() + block.offset, D, contact_length(block, scales));
    for (int j = 0; j < block.size; ++j) {
      const double rho = row_penalty(block, scales, j, penalty);
      for (int i = 0; i < block.size; ++i) D[i * block.size + j] *= rho;
    }
  }
  return assemble(problem, blocks_, map == ContactMap::cone);
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
