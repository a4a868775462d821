// SPDX-License-Identifier: Apache-2.0
// `stepper: event-driven`: motion through touching, sliding and parting, event by event, to an
// accuracy that is asked for [Bortoff 2020]. A step is the time between two records; the integrator
// chooses its own steps.
//
// Every step is made of smooth parts and events of the hybrid system of the contacts within reach
// (model_system.h, hybrid_motion.h). Where other features of the shapes meet than those that the
// system knows, the part ends and a new system is made; what touched unseen is found by going back
// half the way, and so on. The State holds all that is needed to continue.
#pragma once

#include "vinci/events/mode_memory.h"
#include "vinci/stepping/reach.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

class EventDriven : public TimeStepper {
 public:
  explicit EventDriven(const OptionValues& options);
  static StepperRegistry::Entry entry();

  std::string why_not(const Model& model) const override;
  std::string caution(const Model& model) const override;
  ComplementarityProblem probe(const Model& model) const override;
  StepReport step(StepContext& context, State& state, double h) override;
  // Bodies sink in while an impact lasts: that is the model.
  bool is_event_driven() const override { return true; }
  OverlapRule overlap_rule() const override { return {0.0, 0.0, infinity, infinity}; }

 private:
  struct Part;

  void act(StepContext& context, const State& state, double h);
  void note_signals(StepContext& context, double time, std::size_t i, const VectorX& reads) const;
  void change(StepContext& context, State& state);
  void run_part(StepContext& context, State& state, double target, StepReport& report);
  bool try_part(StepContext& context, const State& state, double target, Part& part);
  void add_known_contacts(const Model& model, const State& state);
  void find_contacts(StepContext& context, const State& state, double h, double ahead);
  bool missed_contact(StepContext& context, const ModelSystem& system, const State& end,
                      const HybridMotion& motion);
  void commit(StepContext& context, State& state, Part& part, StepReport& report);

  HybridOptions options_;
  Stabilisation standard_;
  double time_scale_;
  bool is_dynamic_;

  // Of the step at hand.
  VectorX held_forces_;
  std::vector<std::pair<const SignalNetwork*, VectorX>> networks_;
  std::vector<Eigen::Index> network_places_;  // in State::controls
  std::vector<ContactPair> pairs_;
  ContactSet contacts_, touching_;
  Reach reach_;
  std::vector<double> no_reach_;
  bool begins_ = false;     // the run: states that are found are no events
  bool at_border_ = false;  // the last part ended where other features meet next
};

void add_event_steppers(StepperRegistry& registry);

}  // namespace vinci
