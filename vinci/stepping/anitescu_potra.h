// SPDX-License-Identifier: Apache-2.0
// The Anitescu–Potra method, stabilised [Anitescu 1997; Miller 2003]: contacts that touch take
// part, and the complementarity condition is one of velocities,
//
//   0 <= λ_n ⟂ J_n vˡ⁺¹ + ∂ψ/∂t − γ max(0, −ψ)/h >= 0,     ψ <= touch
//
// so a problem without stabilisation (γ = 0) always has a solution. Bodies that meet overlap by the
// way of one step at most; γ closes that share of an overlap a step, by positions alone: velocities
// and impulses are those of the problem with γ = 0. Newton's law asks closing contacts for
// v_n >= −e vˡ_n in the same step; a rebound that would not outlast it is left out.
// [Miller 2003] moves with the old velocity (eq. 12) and searches the time of impact; here
// qˡ⁺¹ = qˡ + h vˡ⁺¹, as in [Anitescu 1997].
#pragma once

#include "vinci/stepping/contact_stepper.h"

namespace vinci {

class AnitescuPotra : public ContactStepper {
 public:
  explicit AnitescuPotra(const OptionValues& options);
  static StepperRegistry::Entry entry();

 protected:
  ImpactTerms normal_terms(const ImpactState& contact, double h) const override;
  double removed_share() const override { return stabilisation_; }

 private:
  double stabilisation_;  // γ
};

}  // namespace vinci
