// SPDX-License-Identifier: Apache-2.0
// M⁻¹: components, dense inverses of small blocks, sparse factors otherwise.
#include "vinci/linear/mass_factor.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

namespace vinci {

struct MassFactor::Sparse {
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  Matrix matrix;
  bool symmetric = false;
  Eigen::SimplicialLDLT<Matrix> cholesky;
  Eigen::SparseLU<Matrix> lu;
};

MassFactor::MassFactor() = default;
MassFactor::~MassFactor() = default;
MassFactor::MassFactor(MassFactor&&) noexcept = default;
MassFactor& MassFactor::operator=(MassFactor&&) noexcept = default;

namespace {

// A pivot below this part of its row's largest entry is lost to rounding: ε for each of up to 12
// eliminations, with a margin of four.
constexpr double singular_pivot = 1e-14;
// Of the norm: entries that were summed in another order differ by a few ε.
constexpr double symmetric_to = 1e-14;
// A pivot of LDLᵀ has to be positive. Masses and inertias may differ by many orders, so that a
// small one alone says nothing; this share of the largest entry is what no unit explains.
constexpr double no_pivot = 1e-30;
// What LU leaves of a test system: its residual is a few ε where it went well, its error that times
// the condition. An error of a hundredth is a condition of 1e14.
constexpr double largest_residual = 1e-8, largest_error = 1e-2;

int find_root(std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace

bool invert_dense(int size, double* a, double* inverse, double* scale) {
  for (int i = 0; i < size; ++i) {
    scale[i] = 0.0;
    for (int j = 0; j < size; ++j) {
      scale[i] = std::max(scale[i], std::abs(a[i * size + j]));
      inverse[i * size + j] = i == j ? 1.0 : 0.0;
    }
    if (scale[i] == 0.0) return false;
  }
  for (int column = 0; column < size; ++column) {
    int pivot = column;
    double best = -1.0;
    for (int i = column; i < size; ++i)
      if (const double part = std::abs(a[i * size + column]) / scale[i]; part > best)
        best = part, pivot = i;
    if (!(best > singular_pivot)) return false;
    if (pivot != column) {
      for (int j = 0; j < size; ++j) {
        std::swap(a[pivot * size + j], a[column * size + j]);
        std::swap(inverse[pivot * size + j], inverse[column * size + j]);
      }
      std::swap(scale[pivot], scale[column]);
    }
    const double reciprocal = 1.0 / a[column * size + column];
    for (int j = 0; j < size; ++j) {
      a[column * size + j] *= reciprocal;
      inverse[column * size + j] *= reciprocal;
    }
    for (int i = 0; i < size; ++i) {
      const double factor = a[i * size + column];
      if (i == column || factor == 0.0) continue;
      for (int j = 0; j < size; ++j) {
        a[i * size + j] -= factor * a[column * size + j];
        inverse[i * size + j] -= factor * inverse[column * size + j];
      }
    }
  }
  return true;
}

bool MassFactor::factor(const SparseRows& M) {
  if (M.rows == 0 && size_ == 0) return regular_ = true;
  if (size_ != M.rows || pattern_starts_ != M.starts || pattern_indices_ != M.indices)
    find_components(M);
  if (largest_ > largest_block) return regular_ = factor_sparse(M);
  sparse_.reset();
  regular_ = true;
  for (int c = 0; c < component_count() && regular_; ++c) regular_ = invert_component(M, c);
  return regular_;
}

void MassFactor::find_components(const SparseRows& M) {
  size_ = M.rows;
  pattern_starts_ = M.starts;
  pattern_indices_ = M.indices;
  sparse_.reset();
  std::vector<int>& parent = component_;
  parent.resize(size_);
  for (int i = 0; i < size_; ++i) parent[i] = i;
  for (int row = 0; row < size_; ++row)
    for (int k = M.starts[row]; k < M.starts[row + 1]; ++k) {
      const int a = find_root(parent, row), b = find_root(parent, M.indices[k]);
      if (a != b) parent[std::max(a, b)] = std::min(a, b);
    }
  // Roots are the least member, so numbering them in order sorts the components.
  position_.assign(size_, 0);
  members_.assign(size_, 0);
  starts_.assign(1, 0);
  std::vector<int> number(size_, -1);
  for (int i = 0; i < size_; ++i) {
    const int root = find_root(parent, i);
    if (number[root] < 0) {
      number[root] = static_cast<int>(starts_.size()) - 1;
      starts_.push_back(0);
    }
    position_[i] = starts_[number[root] + 1]++;
  }
  largest_ = 0;
  value_starts_.assign(1, 0);
  for (std::size_t c = 1; c < starts_.size(); ++c) {
    largest_ = std::max(largest_, starts_[c]);
    const int values = starts_[c] <= largest_block ? starts_[c] * starts_[c] : 0;
    value_starts_.push_back(value_starts_.back() + values);
    starts_[c] += starts_[c - 1];
  }
  for (int i = size_ - 1; i >= 0; --i) component_[i] = number[find_root(parent, i)];
  for (int i = 0; i < size_; ++i) members_[starts_[component_[i]] + position_[i]] = i;
  inverse_.assign(value_starts_.back(), 0.0);
}

bool MassFactor::invert_component(const SparseRows& M, int component) {
  const std::span<const int> rows = members(component);
  const int size = static_cast<int>(rows.size());
  double* inverse = inverse_.data() + value_starts_[component];
  if (size == 1) {
    const int row = rows[0];
    const bool present = M.starts[row + 1] > M.starts[row];
    const double value = present ? M.values[M.starts[row]] : 0.0;
    inverse[0] = 1.0 / value;
    return std::isfinite(inverse[0]) && value != 0.0;
  }
  double a[largest_block * largest_block] = {};
  for (int i = 0; i < size; ++i)
    for (int k = M.starts[rows[i]]; k < M.starts[rows[i] + 1]; ++k)
      a[i * size + position_[M.indices[k]]] = M.values[k];
  double scale[largest_block];
  if (!invert_dense(size, a, inverse, scale)) return false;
  for (int k = 0; k < size * size; ++k)
    if (!std::isfinite(inverse[k])) return false;
  return true;
}

bool MassFactor::factor_sparse(const SparseRows& M) {
  const bool fresh = sparse_ == nullptr;
  if (fresh) sparse_ = std::make_unique<Sparse>();
  Sparse& sparse = *sparse_;
  sparse.matrix = M.view();
  const Sparse::Matrix transposed = sparse.matrix.transpose();
  const bool symmetric = (sparse.matrix - transposed).norm() <= symmetric_to * sparse.matrix.norm();
  if (symmetric) {
    if (fresh || !sparse.symmetric) sparse.cholesky.analyzePattern(sparse.matrix);
    sparse.cholesky.factorize(sparse.matrix);
    const auto pivots = sparse.cholesky.vectorD();
    const double largest = sparse.matrix.diagonal().cwiseAbs().maxCoeff();
    sparse.symmetric = sparse.cholesky.info() == Eigen::Success && pivots.allFinite() &&
                       pivots.minCoeff() > no_pivot * largest;
    if (sparse.symmetric) return true;
  }
  sparse.symmetric = false;
  sparse.lu.analyzePattern(sparse.matrix);
  sparse.lu.factorize(sparse.matrix);
  if (sparse.lu.info() != Eigen::Success) return false;
  // A factor of a singular matrix that rounding let through does not solve a test system.
  const VectorX ones = VectorX::Ones(size_), right = sparse.matrix * ones;
  const VectorX solved = sparse.lu.solve(right);
  return solved.allFinite() &&
         (sparse.matrix * solved - right).norm() <= largest_residual * right.norm() &&
         (solved - ones).norm() <= largest_error * ones.norm();
}

void MassFactor::solve(const double* x, double* y) const {
  if (sparse_ != nullptr) {
    const Eigen::Map<const VectorX> right(x, size_);
    Eigen::Map<VectorX> left(y, size_);
    if (sparse_->symmetric)
      left = sparse_->cholesky.solve(right);
    else
      left = sparse_->lu.solve(right);
    return;
  }
  for (int c = 0; c < component_count(); ++c) {
    const int* rows = members_.data() + starts_[c];
    const int size = starts_[c + 1] - starts_[c];
    const double* a = inverse(c);
    if (size == 1) {
      y[rows[0]] = a[0] * x[rows[0]];
      continue;
    }
    for (int i = 0; i < size; ++i, a += size) {
      double sum = 0.0;
      for (int j = 0; j < size; ++j) sum += a[j] * x[rows[j]];
      y[rows[i]] = sum;
    }
  }
}

void MassFactor::solve_absolute(const double* x, double* y) const {
  if (sparse_ != nullptr) {
    // |M⁻¹| x is not at hand; M⁻¹ x with its signs dropped has its size for an M with a dominant
    // diagonal, which is all that a rounding estimate needs.
    solve(x, y);
    for (int i = 0; i < size_; ++i) y[i] = std::abs(y[i]);
    return;
  }
  for (int c = 0; c < component_count(); ++c) {
    const int* rows = members_.data() + starts_[c];
    const int size = starts_[c + 1] - starts_[c];
    const double* a = inverse(c);
    if (size == 1) {
      y[rows[0]] = std::abs(a[0]) * x[rows[0]];
      continue;
    }
    for (int i = 0; i < size; ++i, a += size) {
      double sum = 0.0;
      for (int j = 0; j < size; ++j) sum += std::abs(a[j]) * x[rows[j]];
      y[rows[i]] = sum;
    }
  }
}

}  // namespace vinci
