// SPDX-License-Identifier: Apache-2.0
// Lemke's scheme for large sparse mixed problems, revised: the basis of w − A z − D z₀ = q is kept
// as sparse LU factors and a product of elementary matrices, factored anew every so many pivots.
// It starts at any complementary basis that is regular, with the covering D = B d for d > 0 in that
// basis; free variables are basic from the start and stay. Ties are broken lexicographically by one
// column B⁻¹r in place of all n of B⁻¹, with r = B ρ for positive numbers ρ without pattern: of
// such a column no two ratios are equal, and no basis comes twice.
#pragma once

#include "vinci/base/clock.h"
#include "vinci/linear/sparse_lu.h"
#include "vinci/pivoting/pivoting.h"

namespace vinci {

struct SparseMixedLcp {
  SparseColumns A;
  Eigen::VectorXd q;
  std::vector<char> is_free;
  int size() const { return static_cast<int>(q.size()); }
};

class SparseLemke {
 public:
  // `basic` says which z are basic at the start and returns those of the last basis; entries of
  // free variables are set. `covering` is d. A should be equilibrated and |q|∞ about 1.
  PivotOutcome run(const SparseMixedLcp& problem, std::vector<char>& basic,
                   const Eigen::VectorXd& covering, const PivotRules& rules);
  int pivots() const { return pivots_; }
  // After `ray`: the direction of z along which the path escapes.
  const Eigen::VectorXd& ray() const { return ray_; }
  // The basic solution of a complementary basis, refined with residuals in extended precision;
  // false where the basis is singular and no part of it helps.
  bool solve_basis(const SparseMixedLcp& problem, std::vector<char>& basic, Eigen::VectorXd& z);

 private:
  // Labels: w_k is k, z_k is n + k, z₀ is 2n.
  int cover() const { return 2 * size_; }
  int complement(int label) const { return label < size_ ? label + size_ : label - size_; }
  bool is_free_label(int label) const {
    return label >= size_ && label < cover() &&
           problem_->is_free[static_cast<std::size_t>(label - size_)];
  }
  void load(const SparseMixedLcp& problem, const std::vector<char>& basic);
  bool refactor();
  void add_column(int label, double factor, double* y) const;
  void multiply_basis(const Eigen::VectorXd& x, Eigen::VectorXd& y) const;
  void solve_refined(const Eigen::VectorXd& right, Eigen::VectorXd& x);
  void transform(double* x);  // x ← B⁻¹ x
  int first_row() const;
  int choose_row();
  void exchange(int position, int label);
  void note_ray(int entering);
  void list_basic(std::vector<char>& basic) const;

  int size_ = 0, pivots_ = 0;
  const SparseMixedLcp* problem_ = nullptr;
  PivotRules rules_;
  SparseColumns matrix_;
  SparseLu lu_;
  std::vector<int> labels_;  // of the basic variables, by position
  Eigen::VectorXd cover_column_, cover_in_basis_, order_column_;
  Eigen::VectorXd value_, order_, column_, scratch_, ray_;
  // The product form: per pivot its position, pivot and the other entries of the column.
  std::vector<int> eta_position_, eta_starts_, eta_indices_;
  std::vector<double> eta_pivot_, eta_values_;
  std::vector<long double> long_residual_;
  std::vector<int> candidates_;
};

}  // namespace vinci
