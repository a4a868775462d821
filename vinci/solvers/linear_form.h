// SPDX-License-Identifier: Apache-2.0
// The piecewise linear laws as one mixed linear complementarity problem. With λ = G z + g and rows
// formed by the same directions, w' = Gᵀ w + F z + f:
//
//   box [l, u]       s = λ − l ⟂ w + t,  t ⟂ (u − l) − s
//   coulomb, planar  λ_n ⟂ w_n,  λ_t = f₊ − f₋,  f± ⟂ ±w_t + σ,  σ ⟂ μ λ_n − f₊ − f₋
//   second order, planar   λ = a (1, μ) + b (1, −μ),  a ⟂ w_n + μ w_t,  b ⟂ w_n − μ w_t
//
// The planar friction interval is a pyramid of two directions, so nothing is approximated
// [Stewart 1996]. Equality rows are free variables. In space a cone or ball with μ > 0 is not
// linear.
#pragma once

#include <string>
#include <vector>

#include "vinci/complementarity/problem.h"
#include "vinci/solvers/mixed_lcp.h"

namespace vinci {

class LinearForm {
 public:
  // "" if every law is piecewise linear, otherwise which is not and what to do.
  static std::string why_not(const ComplementarityProblem& problem);
  static bool is_linear(const Block& block);

  // The mixed problem of w = W λ + q under the blocks' laws.
  void build(const std::vector<Block>& blocks, const RowMatrix& W, const VectorX& q);
  const MixedLcp& problem() const { return lcp_; }
  void recover(const VectorX& z, VectorX& lambda) const;  // λ = G z + g

 private:
  struct Term {
    int index = -1;  // row of λ and w; −1: none
    double factor = 1.0;
  };
  struct Variable {
    Term first, second;     // its column of G
    double constant = 0.0;  // f
    bool is_free = false;
  };
  struct Coupling {  // an entry of F
    int row, column;
    double value;
  };
  int add(Variable variable);
  void add_box(int row, double lower, double upper);
  void add_block(const Block& block);
  void add_planar_coulomb(const Block& block);
  void assemble(const RowMatrix& W, const VectorX& q);

  std::vector<Variable> variables_;
  std::vector<Coupling> couplings_;
  VectorX shift_;    // g
  VectorX shifted_;  // W g + q
  MixedLcp lcp_;
};

}  // namespace vinci
