// SPDX-License-Identifier: Apache-2.0
// The Stewart–Trinkle method [Stewart 1996; Berard 2009, eqs. 1–12]: every contact that may touch
// within the step takes part, and its gap ψ stands in the complementarity condition,
//
//   0 <= λ_n ⟂ J_n vˡ⁺¹ + ψ/h + ∂ψ/∂t >= 0.
//
// Departures, and why:
//  - The gap of a prescribed body is taken at tˡ⁺¹, as in [Berard 2009].
//  - Newton restitution takes two steps (impact.h).
//  - After the solve, a body that moves farther than the detector was told starts the step again
//    with a wider reach. Where that does not end the step says so: its residual is infinite.
#pragma once

#include "vinci/stepping/contact_stepper.h"

namespace vinci {

class StewartTrinkle : public ContactStepper {
 public:
  explicit StewartTrinkle(const OptionValues& options);
  static StepperRegistry::Entry entry();

 protected:
  ImpactTerms normal_terms(const ImpactState& contact, double h) const override {
    return newton_impact(contact, h);
  }
};

}  // namespace vinci
