// SPDX-License-Identifier: Apache-2.0
// w = W λ + q, W = J M⁻¹Jᵀ + C, in the form that makes visiting one block after the other cheap.
//
//   velocity form (block-diagonal M): u is kept up to date, w_a = J_a u + C_a λ + b_a and a change
//   of λ_a moves u by M⁻¹J_aᵀ Δλ_a; a sweep costs O(nnz J) whatever the couplings of W
//   condensed form (no u, or any other M): the sparse rows of W and q
//
// In velocity form u is stored by components of M, so that each body is contiguous. Prepared again
// with a problem of the same shape it does not allocate (velocity form and no u).
#pragma once

#include <span>
#include <vector>

#include "vinci/complementarity/problem.h"
#include "vinci/linear/mass_factor.h"

namespace vinci {

class DelassusOperator {
 public:
  // One component of M that a block of rows acts on.
  struct Touch {
    int component;
    int start, size;     // of the component in the stored u
    std::size_t values;  // J_ac, rows × size; behind it M_c⁻¹J_acᵀ, size × rows; both row-major
  };

  // False if M is singular. `problem` must outlive the use.
  bool prepare(const ComplementarityProblem& problem);
  bool velocity_form() const { return velocity_form_; }
  const MassFactor& mass() const { return mass_; }

  void restart(const VectorX& lambda);                               // u from λ
  void velocity(int block, const VectorX& lambda, double* w) const;  // w_a
  void velocity(const VectorX& lambda, VectorX& w) const;            // all of w
  void move(int block, const double* change);                        // λ_a changes by this
  const double* diagonal(int block) const { return &diagonal_[diagonal_starts_[block]]; }  // W_aa

  // Velocity form.
  std::span<const Touch> touches(int block) const {
    return {&touches_[0] + touch_starts_[block],
            static_cast<std::size_t>(touch_starts_[block + 1] - touch_starts_[block])};
  }
  const double* jacobian(const Touch& touch) const { return &values_[touch.values]; }
  // Condensed form: W and q. Velocity form: C and b.
  const SparseRows& rows() const { return *rows_; }

 private:
  void prepare_touches();
  void find_touches(int block);
  void prepare_diagonals();
  void find_equal_rows();
  void condense();

  const ComplementarityProblem* problem_ = nullptr;
  const SparseRows* rows_ = nullptr;
  const VectorX* constant_ = nullptr;
  bool velocity_form_ = false;
  MassFactor mass_;
  std::vector<int> component_starts_;  // of each component in the stored u
  std::vector<int> touch_starts_;
  std::vector<Touch> touches_;
  std::vector<double> values_;
  std::vector<std::size_t> diagonal_starts_;
  std::vector<double> diagonal_;
  std::vector<char>
      equal_rows_;  // per block: three rows of `rows_` with entries in the same columns
  VectorX u_, force_, free_;
  SparseRows condensed_;
  VectorX condensed_constant_;
};

}  // namespace vinci
