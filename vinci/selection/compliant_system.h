// SPDX-License-Identifier: Apache-2.0
// The linear algebra of contacts with a compliance ε: velocities that follow from loads, and
//
//   (Gᵀ W E + ε GᵀE + S) z = r,   W = J M⁻¹Jᵀ + C,
//
// E and G columns of directions, each within one unit of rows, S the slip of directions that turn.
// Where there are more unknowns z than velocities and no C, the smaller system is solved,
//
//   (M + JᵀE R⁻¹GᵀJ) δu = JᵀE R⁻¹ r,   z = R⁻¹(r − GᵀJ δu),   R = ε GᵀE + S.
//
// Only the bodies that rows act on take part.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vinci/linear/dense_lu.h"
#include "vinci/linear/mass_factor.h"
#include "vinci/selection/contact_units.h"

namespace vinci {

class VelocityMatrix;  // velocity_matrix.h

class CompliantSystem {
 public:
  // A direction of λ, or of w, within one unit.
  struct Direction {
    int first = 0, count = 0;
    double part[3] = {};
  };
  struct Unknown {
    Direction force, equation;
    double slip = 0.0;
    bool joined = false;  // its rows are among those of the unknown before it
  };

  // The problem and the factors of its M are referred to. M is block diagonal. False where a row
  // acts on more velocities than there is room for.
  bool load(const ComplementarityProblem& problem, const MassFactor& mass,
            std::span<const ContactUnit> units);
  // Whether many bodies without layers are taken by their velocities and a sparse matrix; before
  // load().
  void take_many(bool many) { many_ = many; }
  int rows() const { return problem_->rows(); }
  void measure(const VectorX& lambda, VectorX& w);  // J M⁻¹(Jᵀλ + p) + C λ + b

  std::vector<Unknown>& unknowns() { return unknowns_; }
  const std::vector<Unknown>& unknowns() const { return unknowns_; }
  void factor(double compliance);
  // Whether the factors at hand, of the same compliance, are as good as those of the unknowns now:
  // the same ones, whose directions turned by a millionth at most.
  bool serves() const;
  void solve(std::vector<double>& x);  // r in, z out, of the unknowns that were factored
  // Whether the unknowns that were factored are more than the bodies can tell apart, so that the
  // compliance alone decides some of them.
  bool leaves_open() const;
  bool may_leave_open() const { return may_leave_open_; }  // at once; false: it does not

 private:
  int row_begin(int row) const { return starts_[row]; }
  int row_end(int row) const { return starts_[row + 1]; }
  bool add_unit(const ContactUnit& unit);
  void gather(const Direction& direction, double* values) const;
  void apply_inverse(const double* x, double* y) const;  // M⁻¹
  void factor_loads(double compliance);
  void factor_velocities();
  void fill_velocities();
  void add_to_matrix(int row, const double* force, const double* line);
  int run_of(int row) const { return runs_[row]; }
  void find_pattern(std::span<const ContactUnit> units);
  double joint(int j, double compliance) const;
  void relax(std::vector<double>& x) const;  // x ← R⁻¹x

  const ComplementarityProblem* problem_ = nullptr;
  const MassFactor* mass_ = nullptr;
  std::vector<int> place_;       // per component of M: of its first velocity here, or −1
  std::vector<int> components_;  // that take part
  // J of the velocities here, the rows of a unit with entries in the same columns.
  std::vector<int> starts_, columns_;
  std::vector<double> values_;
  std::vector<int> runs_;  // per row: its first column where the others follow one by one, or −1
  int size_ = 0;           // velocities that take part
  std::vector<double> push_;  // p of them
  std::vector<double> momentum_, motion_;
  std::vector<Unknown> unknowns_, factored_;
  bool by_velocities_ = false, may_leave_open_ = false, many_ = false, sparse_ = false;
  double compliance_ = 0.0;                  // of the factors
  std::vector<double> diagonal_, coupling_;  // of R
  std::vector<double> columns_of_loads_;     // M⁻¹JᵀE, one row per unknown
  std::vector<double> forces_, lines_;       // EᵀJ and GᵀJ, the entries of one unknown per row
  DenseLu lu_;
  std::shared_ptr<VelocityMatrix> velocities_;  // where sparse_
};

}  // namespace vinci
