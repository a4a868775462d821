// SPDX-License-Identifier: Apache-2.0
// Overlaps of bodies with layers that no motion made: deeper at the start of a run than the layers
// are, or made by a change of the model (a body that grows, a layer that becomes stiffer or
// thinner). No layer knows of them, so nothing would ever press the bodies apart. They are taken
// out of positions before the step, up to where the layers bear as they are pressed in. Forces of
// the layers and velocities stay, so nothing is thrown.
//
// Motion leaves such overlaps too, where the energy of a patch does not suffice
// (docs/theory/song_pang_kumar.md). Those that were there before a change stay.
#pragma once

#include "vinci/stepping/overlap_removal.h"

namespace vinci {

class SuddenOverlap : private OverlapRemoval {
 public:
  SuddenOverlap();
  // Whether a step from this state can begin with any.
  static bool may_be(const StepContext& context, const State& state) {
    return state.step == 0 || context.in.before != nullptr;
  }
  // `contacts` are all at the state within `reach`; they follow the bodies.
  RemovedOverlap remove(StepContext& context, State& state, TimeStepper& method,
                        std::span<const double> reach, ContactSet& contacts);
  // Whether it is gone, up to rounding.
  static bool is_gone(const RemovedOverlap& removed);

 private:
  struct PairDepth {
    int body_a, body_b;
    double depth;  // m, that no layer knew of before the change
    bool due;      // at the start of a run, deeper than the layers
  };
  void select(const Model& model, const State& state, const TimeStepper& method, double h,
              const ContactSet& contacts) override;
  PairDepth* find(const Contact& contact);
  PairDepth& pair_of(const Contact& contact);

  TimeStepper* method_ = nullptr;
  bool changed_ = false;
  std::vector<PairDepth> pairs_;
  std::vector<double> rooms_of_;  // parallel to contacts, m
  ContactSet before_;
};

}  // namespace vinci
