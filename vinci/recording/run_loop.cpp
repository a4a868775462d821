// SPDX-License-Identifier: Apache-2.0
#include "vinci/recording/run_loop.h"

namespace vinci {
namespace {

void record_step(const Simulation& simulation, const RunLoop& loop) {
  loop.recorder->add_step(simulation);
  if (!loop.recorder->flush_is_due()) return;
  if (loop.with_files)
    loop.with_files([&] { loop.recorder->flush(); });
  else
    loop.recorder->flush();
}

}  // namespace

StepNote step_note(const Simulation& simulation, double accept) {
  return {simulation.report(), simulation.state().step, accept, simulation.events(),
          &simulation.model()};
}

bool run_steps(Simulation& simulation, const RunLoop& loop) {
  const bool strict = simulation.options().flag("strict");
  const double accept = simulation.options().real("accept");
  while (simulation.state().step < loop.last_step && !simulation.has_ended()) {
    if (loop.go_on && !loop.go_on()) return false;
    try {
      for (StepWatcher* watcher : loop.watchers) watcher->before_step(simulation);
      simulation.step();
      for (StepWatcher* watcher : loop.watchers) watcher->after_step(simulation);
      if (loop.recorder != nullptr) record_step(simulation, loop);
      if (strict && !is_certified(simulation.report(), accept)) return true;
    } catch (const StepStopped&) {
      return false;
    } catch (const Error& error) {
      throw Failure(error);
    }
  }
  return true;
}

}  // namespace vinci
