// SPDX-License-Identifier: Apache-2.0
// A simulation as Python holds it: knows who is stepping it, and which arrays show its contacts.
#pragma once

#include "python/core/core.h"
#include "vinci/recording/run_loop.h"
#include "vinci/recording/summary.h"

namespace vinci::python {

// Contacts that an array shows. They lie in the simulation until the next step, then here: arrays
// stay what they were, without a copy.
struct LentContacts {
  std::shared_ptr<Simulation> simulation;
  std::vector<SolvedContact> rows;
};

class RecorderHandle;

// What a part of a run was like.
struct Advance {
  bool more = false;            // there is more to do
  double worst_residual = 0.0;  // relative
  std::int64_t inexact = 0;     // steps with a residual above `accept`
};

class SimulationHandle {
 public:
  explicit SimulationHandle(std::shared_ptr<Simulation> simulation);

  // For reading; throws while another thread, or code that takes part in the step, has it stepping.
  Simulation& get() const;
  StepReport step(std::int64_t count);
  // Steps until `last_step` is reached, `seconds` of wall time have passed, or the run is finished.
  Advance advance(std::int64_t last_step, double seconds, RecorderHandle* recorder);
  void set_state(const State& state);
  void set_parameters(const std::map<std::string, double>& values);
  StateHandle state() const;
  py::array contacts();

 private:
  class Turn;
  std::shared_ptr<Simulation> simulation_;
  std::weak_ptr<LentContacts> lent_;
  Bodies bodies_;
  bool stepping_ = false;  // changed only while the GIL is held
};

// A recorder with the simulation that it records.
class RecorderHandle {
 public:
  RecorderHandle(Recorder recorder, py::object simulation)
      : recorder_(std::move(recorder)), simulation_(std::move(simulation)) {}
  Recorder& get();  // throws once it is closed
  void after_step() { get().after_step(simulation()); }
  void finish();  // a second time: nothing
  bool is_open() const { return recorder_.has_value(); }
  const py::object& owner() const { return simulation_; }

 private:
  Simulation& simulation() const { return simulation_.cast<SimulationHandle&>().get(); }
  std::optional<Recorder> recorder_;
  py::object simulation_;
};

}  // namespace vinci::python
