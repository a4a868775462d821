// SPDX-License-Identifier: Apache-2.0
// Our own steps, as `vinci run` makes them, without a recording.
#include <algorithm>

#include "robots/cases.h"
#include "robots/engine.h"
#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

class VinciRobot : public RobotEngine {
 public:
  VinciRobot(const RobotCase& robot, double step, RunOverrides overrides, std::string name)
      : object_(robot.object),
        name_(std::move(name)),
        simulation_(robot.scene, with_step(std::move(overrides), step)),
        start_(simulation_.state()) {}
  std::string name() const override { return name_; }
  void reset() override {
    simulation_.set_state(start_);
    residual_ = 0.0;
  }
  void step() override {
    residual_ = std::max(residual_, simulation_.step().solve.residual.relative);
  }
  void read(RobotState& state) const override {
    state.positions = simulation_.state().joint_positions;
    state.rates = simulation_.state().joint_rates;
    if (object_ >= 0) state.object = simulation_.state().poses[static_cast<std::size_t>(object_)];
  }
  double start_energy() override { return energy(simulation_.model(), start_).total(); }
  void start_accelerations(VectorX& accelerations) override {
    start_accelerations_of(simulation_.model(), accelerations);
  }
  void loads(std::vector<ContactLoad>& loads) const override {
    loads.clear();
    for (const SolvedContact& contact : simulation_.contacts())
      loads.push_back({contact.impulse[0], contact.impulse.tail<2>().norm()});
  }
  double residual() const override { return residual_; }

 private:
  static RunOverrides with_step(RunOverrides overrides, double step) {
    overrides.options["step"] = std::to_string(1e6 * step) + " us";
    return overrides;
  }
  int object_;
  std::string name_;
  Simulation simulation_;
  State start_;
  double residual_ = 0.0;
};

std::unique_ptr<RobotEngine> usual(const RobotCase& robot, double step) {
  return std::make_unique<VinciRobot>(robot, step, RunOverrides{}, "Vinci");
}

// Of order 8 where nothing touches.
std::unique_ptr<RobotEngine> smooth(const RobotCase& robot, double step) {
  RunOverrides overrides;
  overrides.plugin_options[{"stepper", "smooth"}] = "dormand-prince";
  return std::make_unique<VinciRobot>(robot, step, std::move(overrides), "Vinci order 8");
}

}  // namespace

std::vector<EngineMaker> vinci_engines(const RobotCase& robot) {
  if (robot.object >= 0) return {usual};
  return {usual, smooth};
}

}  // namespace vinci
