// SPDX-License-Identifier: Apache-2.0
// A step is accepted when its end has been looked at. The rows of a step are linear in its motion,
// so the spin of an impact or the curve of a turn may carry bodies into or through each other.
//
// Contacts are looked for at the poses at the end; the next step finds them there and does not look
// again. Where bodies overlap by more than the method's rule allows, or did so on the way, the step
// is made again in two halves, and so on. The way is sampled only where bodies moved by more than
// their thickness. Controllers act once; what they gave is held through the parts. What is beyond
// the rule after all parts is reported: StepReport::passed. Overlaps within the rule are taken out
// of positions (overlap_removal.h), and so are those that layers do not explain (layer_overlap.h);
// overlaps that no motion made are taken out before the step (sudden_overlap.h).
#pragma once

#include <memory>

#include "vinci/stepping/layer_overlap.h"
#include "vinci/stepping/reach.h"
#include "vinci/stepping/repetition.h"
#include "vinci/stepping/substeps.h"
#include "vinci/stepping/sudden_overlap.h"

namespace vinci {

class CheckedStepper : public TimeStepper {
 public:
  explicit CheckedStepper(std::unique_ptr<TimeStepper> method);
  std::string why_not(const Model& model) const override { return method_->why_not(model); }
  std::string caution(const Model& model) const override { return method_->caution(model); }
  ComplementarityProblem probe(const Model& model) const override { return method_->probe(model); }
  void prepare(StepContext& context, State& state) override { method_->prepare(context, state); }
  // A step that repeats the last one bit for bit is not made (repetition.h).
  StepReport step(StepContext& context, State& state, double h) override;
  bool is_event_driven() const override { return method_->is_event_driven(); }
  OverlapRule overlap_rule() const override { return rule_; }
  bool yields(const Model& model, const Contact& contact) const override {
    return method_->yields(model, contact);
  }
  double give(const Model& model, const Contact& contact) const override {
    return method_->give(model, contact);
  }
  std::string why_not_law(const Model& model, const ImpactLaw& law,
                          const Solver& solver) const override {
    return method_->why_not_law(model, law, solver);
  }

  // The state at the start of the last step.
  const State& start() const { return displaced_ ? given_ : starts_[0]; }

 private:
  // A part that is made again in two halves.
  struct Cut {
    double h;           // s
    double depth;       // m, for which it is made again
    std::size_t level;  // 0: the step
    int vain;           // cuts before it in a row that were of no use
  };

  // How far bodies are in each other beyond the rule.
  struct Excess {
    double depth = 0.0;      // m; 0: they are not
    bool in_layers = false;  // within what layers give way, but more than they explain
  };

  StepReport make(StepContext& context, State& state, double h);
  void begin(StepContext& context, const State& state, double h);
  RemovedOverlap remove_sudden(StepContext& context, State& state);
  void look_ahead(StepContext& context, const State& state, double h);
  Excess excess(StepContext& context, const State& start, const State& end, double h);
  double excess_of(const Model& model, const ContactSet& contacts) const;
  bool is_deep(const Model& model, const Contact& contact) const;
  double depth_at_start(const Contact& contact) const;
  bool is_slow(const Model& model, const ContactsAhead& end) const;
  int pieces(StepContext& context, const State& start, const State& end, double h);
  double excess_on_the_way(StepContext& context, const State& start, const State& end, double h);
  void accept(StepContext& context, State& end, double h, StepReport& report);
  void part_layers(StepContext& context, State& end, double h, StepReport& report);
  void in_parts(StepContext& context, State& state, const Cut& cut, SubstepSum& sum);

  std::unique_ptr<TimeStepper> method_;
  OverlapRule rule_;

  Repetition repetition_;

  // Workspace.
  ContactsAhead start_;  // contacts at the start of the step or part at hand
  State given_;          // at the start of the step, where bodies were displaced there
  bool displaced_ = false;
  std::vector<State> starts_ = std::vector<State>(1);  // of the parts at hand, by their level
  int parts_ = 0;                                      // of the step at hand
  std::vector<double> ways_;                           // of the bodies, m
  std::vector<Pose> way_;                              // on the way
  ContactSet on_the_way_;
  std::vector<double> no_reach_;  // zeros
  LinearForces held_;             // forces of the controllers
  VectorX expected_;              // packed velocities at the end of the next step
  Reach reach_;
  OverlapRemoval removal_;
  SuddenOverlap sudden_;
  LayerOverlap layers_;
  bool looked_ = false;  // with layers_, at the end at hand
  std::vector<SolvedContact> collected_, before_;
};

}  // namespace vinci
