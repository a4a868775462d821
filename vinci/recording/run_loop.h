// SPDX-License-Identifier: Apache-2.0
// The loop around the steps of a run: who records it, who looks on, who may end it.
#pragma once

#include <functional>
#include <vector>

#include "vinci/recording/recorder.h"
#include "vinci/recording/summary.h"

namespace vinci {

// The step that the simulation has just made, for statistics.
StepNote step_note(const Simulation& simulation, double accept);

// Looks on while a run makes its steps.
class StepWatcher {
 public:
  virtual ~StepWatcher() = default;
  virtual void before_step(const Simulation&) {}
  virtual void after_step(const Simulation& simulation) = 0;
};

struct RunLoop {
  std::int64_t last_step = 0;               // may lie beyond the scene's duration
  Recorder* recorder = nullptr;             // gets every step
  std::vector<StepWatcher*> watchers = {};  // in this order, before the recorder
  // Asked before every step; false, or what it throws, ends the loop between two steps.
  std::function<bool()> go_on = {};
  // Performs what uses HDF5, which knows no threads; by default at once.
  std::function<void(const std::function<void()>&)> with_files = {};
};

// Steps until last_step, or the run diverges or ends by its motion model, or a step of a strict run
// is not certified (true), or go_on() or, within a step, Simulation::stop_when() ends it (false).
// An Error of a step, a watcher or the recorder is thrown as a Failure: the input was good.
bool run_steps(Simulation& simulation, const RunLoop& loop);

}  // namespace vinci
