// SPDX-License-Identifier: Apache-2.0
// Overlaps that motion made and that layers do not explain. A layer takes over the depth of its
// bodies as far as the energy suffices that it and its pair have at hand
// (docs/theory/song_pang_kumar.md). What lacks is an overlap that nothing bears, so nothing would
// ever press the bodies apart. Where it matters it is taken out of positions at the end of the
// step, up to where the layers bear as they are pressed in. What this adds to the energy of the
// bodies is paid by layers that are let out, then by their motion. Where it cannot be paid, bodies
// stay where they are, and the step is not certified.
#pragma once

#include "vinci/stepping/overlap_removal.h"

namespace vinci {

class LayerOverlap : private OverlapRemoval {
 public:
  explicit LayerOverlap(const OverlapRule& rule);
  // At a state, which the next questions are about. False: nothing gives way.
  bool look(StepContext& context, const State& state, TimeStepper& method);
  // Deepest overlap that no layer explains, m; 0: there is none.
  double deepest() const;
  // The same, of contacts with more than is tolerated.
  double beyond(const Model& model) const { return beyond(model, rule_.unexplained); }
  // Of contacts so deep that the step from `start` is made again: beyond the rule, and more than
  // there was; m.
  double excess(StepContext& context, const State& start, TimeStepper& method);
  // Takes out what is beyond; looks again where bodies are then.
  RemovedOverlap remove(StepContext& context, State& state, TimeStepper& method);

 private:
  struct Look {
    ContactSet contacts;
    std::vector<double> rooms, reach;  // m
  };
  bool look(StepContext& context, const State& state, TimeStepper& method, Look& at);
  double beyond(const Model& model, double share) const;
  static bool is_beyond(const Model& model, const Contact& contact, double room, double share);
  void select(const Model& model, const State& state, const TimeStepper& method, double h,
              const ContactSet& contacts) override;

  OverlapRule rule_;
  TimeStepper* method_ = nullptr;
  Look end_, start_;
  std::vector<std::pair<int, int>> pairs_;  // of bodies that are to part
  State before_;                            // the removal
};

}  // namespace vinci
