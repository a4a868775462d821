// SPDX-License-Identifier: Apache-2.0
// A stepper that moves the first body, crashes (at a speed of 100), hangs (200) or eats memory
// (300).
#include <cstdlib>
#include <cstring>
#include <memory>

#include <unistd.h>

#include "vinci/simulation/simulation.h"

namespace {

using namespace vinci;

class BadSteps : public TimeStepper {
 public:
  std::string why_not(const Model&) const override { return {}; }
  ComplementarityProblem probe(const Model&) const override { return {}; }
  StepReport step(StepContext&, State& state, double h) override {
    const double speed = state.velocities[0];
    if (speed == 100.0) std::abort();
    while (speed == 200.0) pause();
    while (speed == 300.0) {
      // What is touched is taken.
      char* block = new char[1 << 24];
      std::memset(block, 1, 1 << 24);
    }
    StepReport report;
    report.solve.status = SolveStatus::solved;
    state.poses.back().position.x() += h * speed;
    return report;
  }
};

}  // namespace

VINCI_PLUGIN(plugins) {
  plugins.steppers.add({.name = "bad",
                        .text = "Steps that do not all come back.",
                        .reference = "",
                        .options = {},
                        .make = [](const OptionValues&) { return std::make_unique<BadSteps>(); }});
}
