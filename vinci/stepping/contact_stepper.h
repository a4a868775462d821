// SPDX-License-Identifier: Apache-2.0
// What the time-stepping methods share: one step is detect, formulate, solve, advance.
//
//   M vˡ⁺¹ = M vˡ + h f + Jᵀ λ,      qˡ⁺¹ = qˡ + h G vˡ⁺¹
//   0 <= λ_n ⟂ J_n vˡ⁺¹ + b_n >= 0,  Coulomb friction on the quadratic cone or a pyramid
//
// A method says which contacts take part and what b_n is. Where its problem has no solution, the
// step is solved with b_n = max(0, ψ)/h + ∂ψ/∂t: without the terms that push overlapping bodies
// apart, which is the form of Anitescu and Potra and has a solution. Prescribed bodies enter the
// rows by their exact displacement and turn over the step (contact_motion.h); the velocity product
// is integrated by the midpoint rule (free_motion.h).
#pragma once

#include "vinci/formulation/contact_rows.h"
#include "vinci/formulation/supports.h"
#include "vinci/solvers/quasi_static.h"
#include "vinci/stepping/flight.h"
#include "vinci/stepping/impact.h"
#include "vinci/stepping/reach.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

enum class MotionModel {
  dynamic,      // M vˡ⁺¹ = M vˡ + h f + Jᵀλ, λ an impulse
  first_order,  // M vˡ⁺¹ = f + Jᵀλ: the inertia read as damping, λ a force
  quasi_static  // 0 = f + Jᵀλ, λ a force
};

class ContactStepper : public TimeStepper {
 public:
  std::string why_not(const Model& model) const override;
  ComplementarityProblem probe(const Model& model) const override;
  StepReport step(StepContext& context, State& state, double h) override;

  // A part of a step that ends at an impact or before (impact_time.h): without restitution, and
  // without the contacts that the rules leave out. Where an impact is due at the start it does
  // nothing, and flight().is_struck().
  StepReport fly(StepContext& context, State& state, double h, const FlightRules& rules);
  // The detection of such a part alone, for flight().
  void look(StepContext& context, const State& state, double h, const FlightRules& rules);
  // The last part was too short to solve for: bodies that touch something kept their velocities.
  bool coasted() const { return coasts_; }
  const Flight& flight() const { return flight_; }
  const std::vector<double>& reach() const { return reach_.distances(); }
  ConeForm form() const { return {cone_, directions_}; }
  MotionModel motion() const { return motion_; }

 protected:
  // Contacts with a gap up to `touch` take part, m; infinity: all that may touch within the step.
  ContactStepper(const OptionValues& options, double touch);
  // What the normal row of a contact asks for, and what the next step is to remember.
  virtual ImpactTerms normal_terms(const ImpactState& contact, double h) const = 0;

  // Whether a body keeps the velocity by which it leaves an overlap; otherwise it moves the body in
  // this step, and the next one begins without it.
  virtual bool keeps_push() const { return true; }

  // What a method whose contacts yield does otherwise; the defaults are those of rigid bodies.
  // The contacts within reach.
  virtual void find_contacts(StepContext& context, const State& state);
  virtual bool yields(const Model& model, const Contact& contact) const;
  // Layers in the terms of the contacts that yield.
  virtual void soften(const StepContext& context, const State& state, double h,
                      std::span<ContactTerms> terms);
  // What the contacts that yield hand to the next step; state.memory has that of all others.
  virtual void remember(const StepContext& context, State& state, double h);

  // The step without contact: forces_, placed_, foreseen_, M, p and reach_ for h seconds.
  void begin(StepContext& context, const State& state, double h);
  const VectorX& foreseen() const { return foreseen_; }
  // The C of the contact in probe().
  virtual std::span<const Compliance> probe_compliance() const { return {}; }

 private:
  bool foresees() const;
  void foresee(const Model& model, const State& state, double h);
  void fill_motion(StepContext& context, const State& state, double h);
  void set_reach(const Model& model, const State& state, double h);
  void detect(StepContext& context, const State& state, double h, StepReport& report);
  void formulate(StepContext& context, const State& state, double h);
  void warm_start(StepContext& context, const State& state, double h);
  void solve(StepContext& context, StepReport& report);
  bool has_no_answer(const StepReport& report) const;
  bool is_still(const Model& model, int body) const;
  void rest_on_supports(const Model& model);
  void solve_motion(StepContext& context, StepReport& report);
  void fall_back(StepContext& context, const State& state, double h, StepReport& report);
  bool is_pushed(const StepContext& context, const StepReport& report) const;
  void settle(StepContext& context, const State& state, double h, StepReport& report);
  bool is_whole(const Model& model, double h, StepReport& report);
  void mark_touched(StepContext& context, double h);
  void move(const StepContext& context, const State& state, double h);
  void collect(StepContext& context, State& state, double h, StepReport& report);
  void collect_supports(StepContext& context, State& state, double h, StepReport& report,
                        int row) const;
  void advance(const StepContext& context, State& state, double h);
  ContactTerms terms_of(const Model& model, const State& state, const Contact& contact,
                        double approach, double h) const;

  double impulse_time(double h) const;

  MotionModel motion_ = MotionModel::dynamic;
  Cone cone_ = Cone::quadratic;
  int directions_ = 8;
  double touch_;

  // Of a step with the times of its impacts.
  Flight flight_;
  bool in_flight_ = false;
  bool coasts_ = false;        // this part is too short to solve for
  std::vector<char> touched_;  // per body: a contact or a support takes part

  // Workspace, kept between steps.
  bool stabilised_ = true;    // normal rows as the method has them
  bool pushes_ = true;        // overlaps stand in them
  VectorX forces_;            // applied, packed
  VectorX foreseen_;          // packed velocities at the end of the step without contact
  VectorX next_;              // packed velocities at the end of the step
  VectorX pushed_;            // likewise, with what pushes overlapping bodies apart
  std::vector<Pose> placed_;  // poses with the prescribed coordinates at the end of the step
  std::vector<Pose> moved_;   // poses at the end of the step
  SparseRows inertia_;        // quasi-static: what measures motion
  QuasiStatic quasi_static_;
  std::vector<SupportPoint> supports_;
  Reach reach_;
  std::vector<ContactTerms> terms_;  // parallel to the contacts
  std::vector<Vector3> remembered_;  // likewise: impulse of the last step, or nothing
};

}  // namespace vinci
