// SPDX-License-Identifier: Apache-2.0
// Rest is free: a step that changed nothing but the time, and is asked for again with the same
// input bit for bit, is not made again. Its result stands, with its report.
//
// What reads the time or is code of the caller (prescribed motions, forces that are functions of
// time, controllers, witnesses) is asked in every step, and event-driven steps leave modes: there
// every step is made.
#pragma once

#include "vinci/stepping/stepper.h"

namespace vinci {

class Repetition {
 public:
  // Whether the step from this state is the last one again. `start` is that of the last step.
  bool holds(const StepContext& context, const State& start, const State& state, double h) const;
  // Of the last step, without the time that it took.
  const StepReport& report() const { return report_; }
  // A step was made.
  void note(const StepContext& context, const State& start, const State& end, double h,
            const StepReport& report);
  void forget() { known_ = false; }

 private:
  bool known_ = false;
  const Model* model_ = nullptr;
  double h_ = 0.0;
  std::size_t contacts_ = 0;
  StepReport report_;
};

// Whether nothing of a model is a function of time.
bool is_timeless(const Model& model);

}  // namespace vinci
