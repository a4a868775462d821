// SPDX-License-Identifier: Apache-2.0
// A step with the times of its impacts: flights up to each of them, the impact law at that instant,
// and on with what is left of the step. The flights are parts of steps of the method inside, which
// leave the contacts out whose impact is searched (flight.h).
//
//   bisect     fly to the end; where bodies that were apart overlap, back up to the root of the
//   gap,
//              by secants kept in a bracket that shrinks at least as fast as by bisection.
//   gap-rate   fly as long as brings the gap down to a tenth by its rate and acceleration, look
//              there, and so on without passing the surface, until it is within the tolerance
//              [Esposito 2001].
//
// Steps end: after `impact-limit` impacts, or twice as many parts, the ordinary step without
// restitution takes what is left. Controllers act once a step; forces of the scene are those at the
// start of each part.
#pragma once

#include <memory>

#include "vinci/base/options.h"
#include "vinci/stepping/contact_stepper.h"
#include "vinci/stepping/struck_instant.h"
#include "vinci/stepping/substeps.h"

namespace vinci {

// The options of a stepper that offers it, beside `impact-time` of the run.
OptionSpec impact_tolerance_option();
OptionSpec impact_speed_option();
OptionSpec impact_limit_option();
// The method itself where `impact-time` is none.
std::unique_ptr<TimeStepper> with_impact_time(std::unique_ptr<ContactStepper> method,
                                              const OptionValues& options);

class ImpactTimeStepper : public TimeStepper {
 public:
  ImpactTimeStepper(std::unique_ptr<ContactStepper> method, const OptionValues& options);
  std::string why_not(const Model& model) const override;
  ComplementarityProblem probe(const Model& model) const override { return method_->probe(model); }
  StepReport step(StepContext& context, State& state, double h) override;
  OverlapRule overlap_rule() const override { return method_->overlap_rule(); }
  std::string why_not_law(const Model& model, const ImpactLaw& law,
                          const Solver& solver) const override;

 private:
  // How a part of the step ended.
  enum class Part { flown, struck };

  void advance_whole(StepContext& context, double h, SubstepSum& sum);
  Part fly_and_back_up(StepContext& context, double& left, SubstepSum& sum);
  Part approach(StepContext& context, double& left, SubstepSum& sum);
  void fly(StepContext& context, double h, SubstepSum& sum);
  double gap_after(StepContext& context, SubstepSum& sum);
  void search(StepContext& context, double end, double gap_end, SubstepSum& sum);
  double first_meeting(double left, double depth) const;
  double approach_time(std::span<const WatchedGap> gaps, double left) const;
  void take(const StepContext& context, double& left, SubstepSum& sum);
  void find_touching(StepContext& context, SubstepSum& sum);
  void find_impact(const Model& model);
  void hold_joints(const Model& model);
  const Tree* tree_at(const Model& model, const State& state);
  bool strike(StepContext& context, SubstepSum& sum);

  std::unique_ptr<ContactStepper> method_;
  bool by_rate_ = false;
  long most_impacts_ = 0;
  FlightRules rules_;

  // Workspace.
  State now_;                       // within the step
  State trial_;                     // at the end of the last flight
  double closing_ = 0.0;            // m/s, of the least gap there
  StepReport flown_;                // of it
  double flight_time_ = 0.0;        // of it, s
  ContactSet ends_;                 // contacts at its end
  std::vector<WatchedGap> seen_;    // of them and of limits, those that did not take part
  LinearForces held_;               // forces of the controllers
  std::vector<JointLimit> limits_;  // at the end of a flight
  Tree tree_;                       // where bodies hang on joints
  Reach touch_;
  StruckInstant struck_;
  std::vector<SolvedContact> before_;     // of the step before, put back where something throws
  std::vector<SolvedContact> collected_;  // of the whole step, sorted by key
};

}  // namespace vinci
