// SPDX-License-Identifier: Apache-2.0
// One mode as the integrator sees it: y = (q, v, x, s, ∫ λ dt) with y' a function of y, since
// v' and λ follow from the state; s is the slip of friction and of contacts the work ∫ λ h' dt.
// Included by hybrid_motion.cpp alone.
#pragma once

#include "vinci/hybrid/hybrid_motion.h"
#include "vinci/hybrid/ida.h"

namespace vinci {

// Share of what acts that constraints which depend on each other may leave of what they ask for.
inline constexpr double largest_misfit = 1e-3;
// Share of the forces that act below which one is rounding.
inline constexpr double force_rounding = 1e-11;

// m/s: a slip in two directions that is slower has come to rest.
inline double still_speed(double accuracy) {
  return 10.0 * accuracy;
}

// A function of time whose change of sign ends a smooth part.
struct HybridMotion::Watch {
  enum class What {
    gap,         // h
    gap_rate,    // h'
    force,       // λ
    urge,        // to be pushed: < 0 where the constraint asks for λ > 0
    grip,        // what friction could hold besides
    slip,        // along the direction in which it slides; of two directions its size
    slip_along,  // of two directions: along the one in which it slides at the start
    escape,      // what a slip that sticks lacks to be visible
    guard,
    border,
    jam,    // what is left until forces grow without bound
    misfit  // of constraints that depend on each other, beyond what is let pass
  } what = What::gap;
  int constraint = 0;
  int direction = 0;  // −1 falling, 1 rising, 0 both
  int passage = -1, guard = -1;
  // Added to what is zero to rounding at the start, so that it can change its sign.
  double margin = 0.0;
};

class HybridMotion::Integrator : public ImplicitSystem {
 public:
  Integrator(const ConstrainedSystem& system, const HybridState& state, const VectorX& inputs,
             std::vector<Watch> watches, double accuracy);

  int size() const override { return 2 * n_ + k_ + 2 * m_; }
  // Sums that nothing depends on: their errors do not count.
  bool is_differential(int i) const override {
    return i < 2 * n_ + k_ || (i < 2 * n_ + k_ + m_ && !is_contact(i - 2 * n_ - k_));
  }
  int watch_count() const override { return static_cast<int>(watches_.size()); }
  int watch_direction(int i) const override { return watches_[i].direction; }
  const Watch& watch(int i) const { return watches_[i]; }

  VectorX pack(const HybridState& state) const;  // impulses and works count from here
  void unpack(const VectorX& y, HybridState& state) const;
  auto impulses(const VectorX& y) const { return y.tail(m_); }
  VectorX works(const VectorX& y) const;
  void slopes_at(double time, const VectorX& y, VectorX& slopes);

  void residual(double time, const VectorX& y, const VectorX& slopes, VectorX& rows) override;
  void jacobian(double time, double factor, const VectorX& y, const VectorX& slopes,
                MatrixX& matrix) override;
  void watches(double time, const VectorX& y, VectorX& values) override;
  void reached(double time, const VectorX& y) override;
  // How far contacts that act, or come back, were beyond their zero; 0 of others.
  const VectorX& depths() const { return depths_; }

 private:
  bool is_contact(int constraint) const {
    return system_.constraints()[constraint].kind == ConstraintKind::contact;
  }
  void solve(double time, const VectorX& y);
  double plain_value(const Watch& watch) const;

  ModeEquations equations_;
  const ConstrainedSystem& system_;
  HybridMode mode_;
  VectorX inputs_;
  std::vector<Watch> watches_;
  double still_;  // m/s
  VectorX depths_;
  double reached_time_ = 0.0;
  VectorX reached_gaps_, reached_rates_;  // of the step before; empty at first
  int n_, m_, k_;
  // Where v' and λ were solved for last.
  double solved_time_ = 0.0;
  VectorX solved_y_, borders_;
};

}  // namespace vinci
