// SPDX-License-Identifier: Apache-2.0
// The equations of one mode as rows: n of balance, then one per constraint,
//
//   contact, link  h'' + α₁ h' + p(h) = 0        sticking  the same of the slip since it began
//   sliding        λ + (μ λ_n + bound) d = 0     else      λ = 0
//
// with d the direction of the slip. They are linear in v' and λ. Where constraints that act depend
// on each other v' is determined and λ is not: of all forces those nearest to the preferred ones
// are taken, in the norm in which every constraint alone moves the system by as much. Friction that
// sticks has no force along what nothing can move along, and asks for nothing there.
#pragma once

#include <Eigen/Dense>

#include "vinci/hybrid/constrained_system.h"
#include "vinci/hybrid/hybrid_state.h"

namespace vinci {

// A unit of the slip speed below which two directions of sliding are blended, m/s.
inline constexpr double blended_speed = 1e-12;

class ModeEquations {
 public:
  explicit ModeEquations(const ConstrainedSystem& system);

  int coordinates() const { return n_; }
  int constraints() const { return m_; }
  int extras() const { return k_; }
  int rows() const { return n_ + m_; }

  SystemFrame<double>& frame() { return plain_; }  // to be filled in by the caller
  VectorX& slips() { return slips_; }              // likewise
  void set(const HybridState& state, const VectorX& inputs);

  // v' and λ at frame(), into it; the frame is then evaluated there. False: not determined.
  bool solve(const HybridMode& mode);
  // After solve(): whether constraints depend on each other; the largest share of what a constraint
  // asks for that the others do not let it have, and which.
  bool is_redundant() const { return rank_ < static_cast<int>(active_.size()); }
  double misfit() const { return misfit_; }
  int misfit_constraint() const { return misfit_constraint_; }
  // After solve(): falls to zero where forces grow without bound; zero where they are redundant.
  double regularity() const;
  const std::vector<int>& active() const { return active_; }
  // Of which constraints those are that depend on each other, and whether they contradict each
  // other where they stand: h or h' of one is not what those of the others make it.
  std::vector<int> entangled() const;
  bool contradicts(const HybridState& state, double negligible) const;
  // After solve(): how much a force of a constraint accelerates its own gap, 1/kg.
  double mobility(const HybridMode& mode, int constraint);
  // Generalised force of a unit of a constraint's.
  VectorX push(const HybridMode& mode, int constraint);
  // Constraints that act and that nothing can move along, friction aside.
  int idle_constraint() const { return idle_; }
  // Whether friction sticks in a direction along which nothing can move.
  bool is_still(int constraint) const;
  // Whether the force of a constraint that acts can be another one while v' stays.
  bool is_open(int constraint) const;
  // After solve(): by how much v' and λ change where the rows do by as much.
  VectorX respond(const VectorX& rows) const { return answer(rows); }
  // The forces nearest to `forces` that leave v' as it is.
  void project_forces(VectorX& forces) const;

  // How everything changes, after solve(): slopes of v', λ, x', h and h' (of friction the slip).
  struct Slopes {
    MatrixX accelerations, multipliers, extra_rates, gaps, gap_rates;
  };
  // Columns: q, v, x, slips, inputs. Cleaned: slopes of v' and λ that are within the rounding of
  // what they are solved from are zero.
  void slopes(const HybridMode& mode, Slopes& out, bool cleaned = false);

  // The rows at frame(), and their slopes along one argument of it; for Newton's method.
  void residual(const HybridMode& mode, Eigen::Ref<VectorX> rows);
  enum class Argument { positions, velocities, accelerations, multipliers, inputs, extras, slips };
  void slope(const HybridMode& mode, Argument argument, int place, Eigen::Ref<VectorX> rows);
  // After slope(): of x', and of h.
  double extra_slope(int i) const { return dual_.extra_rates[i].slope; }
  double gap_slope(int i) const { return dual_.gaps[i].value.slope; }

 private:
  template <class T>
  void write_rows(const SystemFrame<T>& frame, const VectorOf<T>& slips, const HybridMode& mode,
                  VectorOf<T>& rows) const;
  void copy_values();
  void find_still(const HybridMode& mode, const MatrixX& pushes);
  MatrixX answer(const MatrixX& rows) const;
  MatrixX rounding_of(const MatrixX& rows, const MatrixX& answer) const;
  MatrixX dependences() const;

  const ConstrainedSystem& system_;
  int n_, m_, k_;
  SystemFrame<double> plain_;
  SystemFrame<Dual<double>> dual_;
  VectorX slips_;
  VectorOf<Dual<double>> dual_slips_, dual_rows_;
  VectorX rows_;
  // Of the last solve().
  std::vector<int> active_;
  Eigen::LDLT<MatrixX> mass_;
  MatrixX columns_, across_, scaled_;  // M⁻¹ Gᵀ, K, S in scaled forces
  // Unit vectors, a column each, among what acts: friction that sticks along what cannot move.
  MatrixX still_;
  std::vector<bool> slides_;
  VectorX scales_;
  Eigen::CompleteOrthogonalDecomposition<MatrixX> coupling_;
  int rank_ = 0, idle_ = -1, misfit_constraint_ = -1;
  double misfit_ = 0.0;
};

}  // namespace vinci
