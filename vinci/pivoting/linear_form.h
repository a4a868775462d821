// SPDX-License-Identifier: Apache-2.0
// The piecewise linear laws as one mixed linear complementarity problem. With λ = G z + g and rows
// formed by the same directions, w' = Gᵀ w + F z + f:
//
//   box [l, u]       s = λ − l ⟂ w + t,  t ⟂ (u − l) − s
//   coulomb, planar  λ_n ⟂ w_n,  λ_t = f₊ − f₋,  f± ⟂ ±w_t + σ,  σ ⟂ μ λ_n − f₊ − f₋
//   moments          the same for every ball of one row on one λ_n, with μ, μ_r and μ_τ
//   second order, planar   λ = a (1, μ) + b (1, −μ),  a ⟂ w_n + μ w_t,  b ⟂ w_n − μ w_t
//
// The planar friction interval is a pyramid of two directions, so nothing is approximated
// [Stewart 1996]. Equality rows are free variables. In space a cone or ball with μ > 0 is not
// linear.
#pragma once

#include <string>
#include <vector>

#include "vinci/complementarity/problem.h"
#include "vinci/pivoting/mixed_lcp.h"
#include "vinci/pivoting/sparse_lemke.h"

namespace vinci {

class LinearForm {
 public:
  // "" if every law is piecewise linear, otherwise which is not and what to do.
  static std::string why_not(const ComplementarityProblem& problem);
  static bool is_linear(const Block& block);

  // The variables of the blocks' laws; then the mixed problem of w = W λ + q, dense or sparse.
  void declare(const std::vector<Block>& blocks);
  void assemble(const RowMatrix& W, const VectorX& q);
  void assemble_sparse(const SparseRows& W, const VectorX& q);
  void build(const std::vector<Block>& blocks, const RowMatrix& W, const VectorX& q) {
    declare(blocks);
    assemble(W, q);
  }
  int size() const { return static_cast<int>(variables_.size()); }
  bool is_plain() const { return plain_; }  // z = λ but for a shift, row by row
  const MixedLcp& problem() const { return lcp_; }
  const SparseMixedLcp& sparse_problem() const { return sparse_; }

  // Which z are basic where λ is the solution: those that are not zero.
  void guess_basis(const VectorX& lambda, std::vector<char>& basic) const;
  // The basic part alone, A_αα z_α = −q_α: the rows of λ that it needs, and its matrix and vector
  // from W of those rows (in their order, by rows) and q of all.
  void list_rows(const std::vector<char>& basic, std::vector<int>& rows);
  void assemble_basic(const double* W, const VectorX& q, DenseLu& lu, std::vector<double>& right);
  void expand_basic(const std::vector<double>& basic_z, VectorX& z) const;

  void recover(const VectorX& z, VectorX& lambda) const;  // λ = G z + g
  // y = G v, moved into the dual of the set of w: a certificate of the mixed problem as one of the
  // problem's own rows.
  void recover_certificate(const std::vector<Block>& blocks, const VectorX& v, VectorX& y) const;

 private:
  struct Term {
    int index = -1;  // row of λ and w; −1: none
    double factor = 1.0;
  };
  // How a guess of λ tells that a variable is not zero.
  enum class Sign : unsigned char { own, at_upper, slipping, edge };
  struct Variable {
    Term first, second;     // its column of G
    double constant = 0.0;  // f
    bool is_free = false;
    Sign sign = Sign::own;
    int row = -1;           // of the block, where sign is not `own`
    double friction = 0.0;  // signed, of the block
    int tangent = -1;       // the row that slips
  };
  struct Coupling {  // an entry of F
    int row, column;
    double value;
  };
  struct Entry {
    int row, column;
    double value;
  };
  int add(Variable variable);
  void add_box(int row, double lower, double upper);
  void add_block(const Block& block);
  // |λ_row| <= limit λ_normal: the interval of a planar contact, `normal` its variable and
  // `contact` its row.
  void add_friction(int normal, int contact, int row, double limit);
  void sort_entries();

  std::vector<Variable> variables_;
  std::vector<Coupling> couplings_;
  bool plain_ = true;  // z = λ, row by row
  VectorX shift_;      // g
  VectorX shifted_;    // W g + q
  MixedLcp lcp_;
  SparseMixedLcp sparse_;
  std::vector<Entry> entries_;
  std::vector<int> users_, places_, order_;    // variables of a row of λ; work of the assembly
  std::vector<int> active_, local_, inverse_;  // of the basic part
  int width_ = 0;                              // rows of λ that it needs
};

}  // namespace vinci
