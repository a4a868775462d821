// SPDX-License-Identifier: Apache-2.0
// M⁻¹ for the problem form. M of a mechanical system is block diagonal, one block per body or per
// tree of joints: its connected components are found from the pattern, and those of at most
// `largest_block` unknowns are inverted densely (scaled LU). Any other M takes Eigen's sparse LDLᵀ,
// or sparse LU where M is not symmetric. Refactoring a matrix of the same pattern does not allocate
// in the block-diagonal case.
#pragma once

#include <memory>
#include <span>

#include "vinci/linear/sparse_rows.h"

namespace vinci {

class MassFactor {
 public:
  static constexpr int largest_block = 32;  // an arm with a hand, two bodies in space

  MassFactor();
  ~MassFactor();
  MassFactor(MassFactor&&) noexcept;
  MassFactor& operator=(MassFactor&&) noexcept;

  // False if M is singular to working precision (then only the structure below is known).
  bool factor(const SparseRows& M);
  bool regular() const { return regular_; }

  void solve(const double* x, double* y) const;           // y = M⁻¹ x; x and y may not overlap
  void solve_absolute(const double* x, double* y) const;  // y ≈ |M⁻¹| x for x >= 0

  // Structure; meaningful where block_diagonal().
  bool block_diagonal() const { return sparse_ == nullptr; }
  int component_count() const { return static_cast<int>(starts_.size()) - 1; }
  int component_of(int unknown) const { return component_[unknown]; }
  int position_of(int unknown) const { return position_[unknown]; }  // within its component
  std::span<const int> members(int component) const {
    return {members_.data() + starts_[component],
            static_cast<std::size_t>(starts_[component + 1] - starts_[component])};
  }
  // The inverse of a component's block, row-major, size × size.
  const double* inverse(int component) const { return inverse_.data() + value_starts_[component]; }

 private:
  struct Sparse;
  void find_components(const SparseRows& M);
  bool invert_component(const SparseRows& M, int component);
  bool factor_sparse(const SparseRows& M);

  bool regular_ = false;
  int size_ = 0;
  std::vector<int> pattern_starts_, pattern_indices_;  // of the last M
  std::vector<int> component_, position_;              // per unknown
  std::vector<int> starts_ = {0}, members_;            // per component
  std::vector<int> value_starts_;
  std::vector<double> inverse_;
  int largest_ = 0;
  std::unique_ptr<Sparse> sparse_;  // null: block diagonal
};

// Gauss–Jordan inversion of the row-major `size` × `size` matrix a (destroyed) into `inverse`, rows
// compared after scaling by their largest entry (kept in `scale`, size numbers) so that units do
// not decide the pivots. False if singular to working precision.
bool invert_dense(int size, double* a, double* inverse, double* scale);

}  // namespace vinci
