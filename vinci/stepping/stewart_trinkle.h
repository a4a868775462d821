// SPDX-License-Identifier: Apache-2.0
// The Stewart–Trinkle method, dynamic motion [Stewart 1996; Berard 2009, eqs. 1–12]:
//
//   M vˡ⁺¹ = M vˡ + h f + Jᵀ λ,      qˡ⁺¹ = qˡ + h G vˡ⁺¹
//   0 <= λ_n ⟂ J_n vˡ⁺¹ + ψ/h + ∂ψ/∂t >= 0     for every contact that may touch within the step
//
// with Coulomb friction on the quadratic cone or a pyramid. Departures, and why:
//  - Prescribed bodies enter the rows by their exact displacement and turn over the step (their gap
//    is taken at tˡ⁺¹, as in [Berard 2009]), so that what sticks to them is carried along exactly.
//  - Newton restitution takes two steps (impact.h).
//  - The velocity product is integrated by the midpoint rule (free_motion.h).
//  - After the solve, a body that moves farther than the detector was told starts the step again
//    with a wider reach. Where that does not end the step says so: its residual is infinite.
#pragma once

#include "vinci/stepping/contact_rows.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

class StewartTrinkle : public TimeStepper {
 public:
  explicit StewartTrinkle(const OptionValues& options);

  std::string why_not(const Model& model) const override;
  ComplementarityProblem probe(const Model& model) const override;
  StepReport step(StepContext& context, State& state, double h) override;

  static StepperRegistry::Entry entry();

 private:
  void foresee(const Model& model, const State& state, double h);
  void set_reach(const Model& model, const State& state, double h);
  void formulate(StepContext& context, const State& state, double h, StepReport& report);
  void solve(StepContext& context, StepReport& report);
  ContactTerms terms_of(const Model& model, const State& state, const Contact& contact,
                        double approach, double h) const;
  void warm_start(StepContext& context);
  bool outran_reach(const Model& model, double h);
  void move(const Model& model, const State& state, double h);
  void advance(const StepContext& context, State& state, double h);
  void collect(StepContext& context, State& state, double h, StepReport& report) const;
  double travel(const Model& model, const VectorX& velocities, int body, double h) const;

  Cone cone_ = Cone::quadratic;
  int directions_ = 8;

  // Workspace, kept between steps.
  VectorX forces_;                   // applied, packed
  VectorX foreseen_;                 // packed velocities at the end of the step without contact
  VectorX next_;                     // packed velocities at the end of the step
  std::vector<Pose> placed_;         // poses with the prescribed coordinates at the end of the step
  std::vector<Pose> moved_;          // poses at the end of the step
  std::vector<double> reach_;        // m, per body
  std::vector<double> radius_;       // m, per body: of its surface about its centre of mass
  std::vector<ContactTerms> terms_;  // parallel to the contacts
  std::vector<ContactMemory> remembered_;  // likewise: of the last step, or nothing
};

}  // namespace vinci
