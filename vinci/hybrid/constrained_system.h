// SPDX-License-Identifier: Apache-2.0
// A mechanical system with constraints, as equations that carry derivatives:
//
//   0 = M(q) v' − f(t, q, v, u) − Hᵀ(q) λ,   q' = v,   h(q)
//
// with one multiplier λ per constraint h and inputs u. Everything is linear in v' and λ. Which
// constraints act is not said here (hybrid_motion.h).
#pragma once

#include <string>
#include <vector>

#include "vinci/base/dual.h"
#include "vinci/base/math.h"
#include "vinci/base/stabilisation.h"

namespace vinci {

// Both act through λ: a contact where h would become negative, and then only with λ >= 0; a link
// always, with either sign.
enum class ConstraintKind { contact, link };

struct Constraint {
  std::string name;
  ConstraintKind kind = ConstraintKind::contact;
  Stabilisation stabilisation;
};

template <class T>
struct SystemFrame {
  double time = 0.0;
  VectorOf<T> positions, velocities, accelerations;  // q, v, v'
  VectorOf<T> multipliers, inputs;                   // λ, u
  // To be written, all of them.
  VectorOf<T> balance;                               // M v' − f − Hᵀ λ
  Eigen::Matrix<Series<T>, Eigen::Dynamic, 1> gaps;  // h, h', h''
};

class ConstrainedSystem {
 public:
  virtual ~ConstrainedSystem() = default;
  virtual int coordinate_count() const = 0;
  virtual int input_count() const { return 0; }
  virtual const std::vector<Constraint>& constraints() const = 0;
  virtual void evaluate(SystemFrame<double>& frame) const = 0;
  virtual void evaluate(SystemFrame<Dual<double>>& frame) const = 0;
};

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
  frame.balance.setConstant(n, T(0.0));
  frame.gaps.setConstant(m, Series<T>(0.0));
  return frame;
}

}  // namespace vinci
