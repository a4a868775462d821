// SPDX-License-Identifier: Apache-2.0
// A mechanical system with constraints, as equations that carry derivatives:
//
//   0 = M(q) v' − f(t, q, v, x, u) − Hᵀ(q) λ,   q' = v,   x' = g(t, q, v, x, u),   h(q)
//
// with one multiplier λ per constraint h, inputs u, and further states x such as those of
// controllers. The balance is linear in v' and λ, x' does not depend on them. Which constraints act
// is not said here (hybrid_motion.h).
#pragma once

#include <string>
#include <vector>

#include "vinci/base/dual.h"
#include "vinci/base/math.h"
#include "vinci/base/stabilisation.h"

namespace vinci {

enum class ConstraintKind {
  contact,  // acts where h would become negative, and then only with λ >= 0
  link,     // acts while it is switched on, with either sign
  friction  // holds a slip that has no h, only a velocity, as far as its bound allows
};

struct Constraint {
  std::string name;
  ConstraintKind kind = ConstraintKind::contact;
  Stabilisation stabilisation = {};  // of friction: of the slip since it began to stick
  // The contact with which friction or a link acts; −1: always.
  int with = -1;
  // Friction: |λ| <= coefficient λ_with + bound; `second` is the other direction of the one before,
  // which both share one bound.
  double coefficient = 0.0;
  double bound = 0.0;  // N or N m
  bool second = false;
  bool never_slides = false;
  // A link that holds h where it is when it is switched on.
  bool anchored = false;
  // The machine that switches it, and per state of the machine whether it is on; −1: always on.
  int machine = -1;
  std::vector<bool> on = {};
};

// Leads a machine from one state to another where a guard changes its sign, or where a contact
// begins to act.
struct Passage {
  int machine = 0, from = 0, to = 0;
  int guard = -1;     // of SystemFrame::guards
  int direction = 1;  // 1: rises through 0, −1: falls
  int touched = -1;   // instead: a contact
};

template <class T>
struct SystemFrame {
  double time = 0.0;
  VectorOf<T> positions, velocities, accelerations;  // q, v, v'
  VectorOf<T> multipliers, inputs, extras;           // λ, u, x
  // To be written, all of them.
  VectorOf<T> balance;                               // M v' − f − Hᵀ λ
  Eigen::Matrix<Series<T>, Eigen::Dynamic, 1> gaps;  // h, h', h''; of friction –, slip, slip'
  VectorOf<T> extra_rates;                           // x'
  VectorOf<T> guards;
};

class ConstrainedSystem {
 public:
  virtual ~ConstrainedSystem() = default;
  virtual int coordinate_count() const = 0;
  virtual std::vector<std::string> coordinate_names() const;  // for messages
  virtual int input_count() const { return 0; }
  virtual int extra_count() const { return 0; }
  virtual const std::vector<Constraint>& constraints() const = 0;
  virtual void evaluate(SystemFrame<double>& frame) const = 0;
  virtual void evaluate(SystemFrame<Dual<double>>& frame) const = 0;
  // Machines: the number of the first state of each, and what leads on.
  virtual std::vector<int> machines() const { return {}; }
  virtual std::vector<Passage> passages() const { return {}; }
  virtual int guard_count() const { return 0; }
  // How far the equations reach: functions of time and positions that are positive where they hold.
  // A motion stops where one falls to zero.
  virtual int border_count() const { return 0; }
  virtual void borders(double, const VectorX&, VectorX&) const {}
};

inline std::vector<std::string> ConstrainedSystem::coordinate_names() const {
  std::vector<std::string> names;
  for (int i = 0; i < coordinate_count(); ++i) names.push_back("coordinate " + std::to_string(i));
  return names;
}

// For systems that write their equations once: template <class T> void
// evaluate_as(SystemFrame<T>&) const.
template <class Derived>
class ConstrainedSystemOf : public ConstrainedSystem {
 public:
  void evaluate(SystemFrame<double>& frame) const override {
    static_cast<const Derived*>(this)->evaluate_as(frame);
  }
  void evaluate(SystemFrame<Dual<double>>& frame) const override {
    static_cast<const Derived*>(this)->evaluate_as(frame);
  }
};

template <class T>
SystemFrame<T> make_frame(const ConstrainedSystem& system) {
  SystemFrame<T> frame;
  const int n = system.coordinate_count();
  const int m = static_cast<int>(system.constraints().size());
  frame.positions.setConstant(n, T(0.0));
  frame.velocities.setConstant(n, T(0.0));
  frame.accelerations.setConstant(n, T(0.0));
  frame.multipliers.setConstant(m, T(0.0));
  frame.inputs.setConstant(system.input_count(), T(0.0));
  frame.extras.setConstant(system.extra_count(), T(0.0));
  frame.balance.setConstant(n, T(0.0));
  frame.gaps.setConstant(m, Series<T>(0.0));
  frame.extra_rates.setConstant(system.extra_count(), T(0.0));
  frame.guards.setConstant(system.guard_count(), T(0.0));
  return frame;
}

}  // namespace vinci
