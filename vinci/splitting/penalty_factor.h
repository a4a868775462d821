// SPDX-License-Identifier: Apache-2.0
// (W + D) x = r for a diagonal D > 0, one factorisation per D and any number of r:
//
//   velocity form, no C:  (M + JᵀD⁻¹J) v = JᵀD⁻¹r,  x = D⁻¹(r − J v)   [Woodbury], v = M⁻¹Jᵀx
//   velocity form with C: [M −Jᵀ; J C + D] (v, x) = (0, r)
//   condensed form:       W + D itself
//
// over the components of M that J touches. Cholesky where the matrix is symmetric and definite, LU
// where it is not; dense for small systems, sparse beyond, its pattern ordered and analysed once a
// shape. Nothing but sparse LU allocates once settled on a shape.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "vinci/complementarity/delassus_operator.h"

namespace vinci {

class PenaltyFactor {
 public:
  PenaltyFactor();
  ~PenaltyFactor();

  // `op` is prepared for the problem; both outlive the use.
  void prepare(const ComplementarityProblem& problem, const DelassusOperator& op);
  bool factor(const VectorX& D);  // false where it is singular
  void solve(const VectorX& right, VectorX& x);
  int size() const { return size_; }  // of the linear system

 private:
  struct Sparse;
  enum class Form { condensed, velocity, coupled };
  // Calls add(row, column, value) for every entry, in an order that the pattern alone decides.
  template <class Add>
  void assemble(const Add& add) const;
  template <class Add>
  void assemble_mass(const Add& add) const;
  template <class Add>
  void assemble_velocity(int block, const Add& add) const;
  template <class Add>
  void assemble_coupled(const Add& add) const;
  void number_components();
  bool factor_dense();
  bool factor_sparse();
  void analyse();
  void solve_system();

  const ComplementarityProblem* problem_ = nullptr;
  const DelassusOperator* op_ = nullptr;
  Form form_ = Form::condensed;
  int size_ = 0;                           // of the linear system
  int moving_ = 0;                         // unknowns v in it
  bool symmetric_ = true;                  // and definite
  std::vector<int> unknown_of_component_;  // −1: J does not touch it
  VectorX D_, system_;
  MatrixX matrix_;
  Eigen::LLT<MatrixX> cholesky_;
  Eigen::PartialPivLU<MatrixX> lu_;
  std::unique_ptr<Sparse> sparse_;
};

}  // namespace vinci
