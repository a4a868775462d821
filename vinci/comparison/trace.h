// SPDX-License-Identifier: Apache-2.0
// What analyses keep of a run: samples at given times, contact modes, and what the run cost.
// Samples between two steps are interpolated linearly (rotations along the shortest arc).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vinci/comparison/contact_modes.h"
#include "vinci/recording/run_loop.h"
#include "vinci/recording/summary.h"

namespace vinci {

struct PairTrace {
  ModeSequence modes;            // from the beginning on
  std::vector<Vector3> impulse;  // N s on b since the beginning, world axes, at the samples
};

struct RunCost : RunStatistics {
  double simulated_seconds = 0.0, cpu_seconds = 0.0;     // the latter of the steps alone
  std::string unbalanced_body_name, diverged_body_name;  // "" if there is none
  bool complete = false;                                 // it reached its duration

  double cpu_per_second() const;  // of simulated time
  std::string ending_text() const { return RunStatistics::ending_text(unbalanced_body_name); }
};

struct Trace {
  std::vector<double> times;  // s, those of the grid that the run reached
  std::vector<Pose> poses;    // times × bodies
  std::map<BodyPair, PairTrace> pairs;
  RunCost cost;
  double step_size = 0.0;
  double end = 0.0;  // s, of the last step
  std::string state_hash;
  std::shared_ptr<const Model> model;  // at the beginning

  std::size_t bodies() const { return model->bodies.size(); }
  const Pose& pose(std::size_t sample, std::size_t body) const {
    return poses[sample * bodies() + body];
  }
};

// Times 0, Δ, 2Δ, ... and the duration itself.
std::vector<double> sample_times(double duration, double interval);

// Watches a simulation from its beginning to its end.
class Tracer : public StepWatcher {
 public:
  Tracer(const Simulation& simulation, std::vector<double> grid);
  void before_step(const Simulation& simulation) override;
  void after_step(const Simulation& simulation) override;
  Trace finish(const Simulation& simulation);

 private:
  void note_cost(const Simulation& simulation);
  void note_contacts(const Simulation& simulation, double begin);
  void take_samples(const Simulation& simulation, double begin);
  void add_sample(const Simulation& simulation, double share);

  std::vector<double> grid_;
  Trace trace_;
  ModeRule rule_;
  double accept_;
  std::vector<Pose> before_;                              // poses at the begin of the step
  double begin_ = 0.0, cpu_begin_ = 0.0;                  // s, simulated and of the processor
  std::map<BodyPair, std::pair<Vector3, Vector3>> sums_;  // impulses at its begin and its end
};

}  // namespace vinci
