// SPDX-License-Identifier: Apache-2.0
// The impact at an instant whose time a stepper has found: which contacts and limits of joints take
// part, the problem that the impact law is given, and the velocities that follow from its impulses.
#pragma once

#include <vector>

#include "vinci/stepping/contact_stepper.h"
#include "vinci/stepping/impact_law.h"
#include "vinci/stepping/substeps.h"

namespace vinci {

class StruckInstant {
 public:
  struct Rules {
    ConeForm form;
    double touch = 0.0;  // m or rad: gaps up to it are closed
    // Where restitution would part bodies slower than this, m/s or rad/s, they do not part.
    double least_rebound = 0.0;
    const std::vector<char>* only = nullptr;  // per body: limits of joints of these alone
  };
  // "" if the law can work on the problems of these steps with this solver.
  static std::string why_not_law(const ContactStepper& method, const Model& model,
                                 const ImpactLaw& law, const Solver& solver);

  // Changes the velocities of the state, and notes contacts that part in its memory. `contacts` are
  // those near the state. False if the impact was not solved, as where bodies are squeezed: it
  // would come again and again.
  bool strike(StepContext& context, State& state, const ContactSet& contacts, const Rules& rules,
              SubstepSum& sum);

 private:
  const Tree* tree_at(const Model& model, const State& state);
  void find_impact(const Model& model);
  void hold_joints(const Model& model);
  void set_carried(const Model& model);
  void add_rows(const Model& model);
  void set_velocities(const Model& model, const VectorX& u);
  void note_rebound(const EntityKey& key, double speed);
  void rebound_joints(const Model& model);
  double restitution_of(double restitution, double before) const;
  ImpactReport apply_law(StepContext& context, StepReport& part);
  void formulate(const Model& model);
  void set_friction_before(const Model& model, const Contact& contact, const FrictionLaw& law,
                           ContactTerms& terms);
  void rebound(const Model& model);

  State* state_ = nullptr;  // at the impact
  Rules rules_;
  ContactSet contacts_;
  ImpactProblem impact_;
  bool undefined_ = false;  // a coefficient of friction in it is no number from 0 on
  Solution impulse_;
  VectorX prescribed_;                 // packed velocities of the prescribed coordinates alone
  std::vector<JointLimit> limits_;     // those that are struck
  std::vector<EntityKey> limit_keys_;  // of those
  Tree tree_;                          // where bodies hang on joints
  JointedMotion motion_;
  JointBlocks joints_;
  JoinedMotion joined_;
  TreeLoads loads_;
  std::vector<SolvedJoint> struck_joints_;
  VectorX change_, still_, still_rates_;
  std::vector<ContactTerms> terms_;
  ProblemBuilder builder_;
  Judge judge_;
  std::vector<SolvedContact> struck_;
};

}  // namespace vinci
