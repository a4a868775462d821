// SPDX-License-Identifier: Apache-2.0
#include "planar/grasp.h"

#include <algorithm>
#include <cmath>

#include "planar/cpu_watch.h"
#include "vinci/simulation/run_settings.h"

namespace vinci {
namespace {

class VinciGrasp : public GraspEngine {
 public:
  explicit VinciGrasp(const Scene& scene) : scene_(scene) {}
  std::string name() const override { return "Vinci"; }

  GraspRun run(const GraspTask& task, double step, double duration) override {
    GraspRun result;
    CpuWatch watch;
    Simulation& simulation = begun(task, step, duration);
    result.building = watch.lap();
    while (!simulation.finished()) {
      result.residual = std::max(result.residual, simulation.step().solve.residual.relative);
      ++result.steps;
    }
    result.stepping = watch.lap();
    const Model& model = simulation.model();
    const auto pose = [&](const char* body) {
      return simulation.state().poses[static_cast<std::size_t>(model.find_body(body))];
    };
    result.end.part = pose("part").position.head<2>();
    result.end.angle = planar_angle(pose("part").rotation);
    result.end.left = pose("left").position.x();
    result.end.right = pose("right").position.x();
    return result;
  }

 private:
  // As studies have it: one simulation of a step and duration, which begins anew with every task.
  Simulation& begun(const GraspTask& task, double step, double duration) {
    std::unique_ptr<Simulation>& simulation = simulations_[{step, duration}];
    if (simulation) {
      simulation->restart(parameters_of(task));
    } else {
      RunSettings settings;
      settings.set("step", step).set("duration", duration);
      for (const auto& [name, value] : parameters_of(task)) settings.parameter(name, value);
      simulation = std::make_unique<Simulation>(scene_, settings);
    }
    return *simulation;
  }

  Scene scene_;
  std::map<std::pair<double, double>, std::unique_ptr<Simulation>> simulations_;
};

}  // namespace

std::map<std::string, double> parameters_of(const GraspTask& task) {
  return {
      {"x", task.x}, {"y", task.y}, {"mu_table", task.mu_table}, {"mu_gripper", task.mu_gripper}};
}

double distance(const GraspEnd& a, const GraspEnd& b, const Model& model) {
  const double turn = std::abs(std::remainder(a.angle - b.angle, 2.0 * M_PI));
  return std::max({(a.part - b.part).norm(), model.parameters.at("outer") * turn,
                   std::abs(a.left - b.left), std::abs(a.right - b.right)});
}

bool held(const GraspEnd& end, const GraspTask& task, const Model& model) {
  const auto number = [&](const char* name) { return model.parameters.at(name); };
  const Vector2 out(std::cos(end.angle), std::sin(end.angle)), along(-out.y(), out.x());
  for (const double side : {-1.0, 1.0}) {
    const Vector2 tip = Vector2(side < 0.0 ? end.left : end.right, task.y) - end.part;
    const double beyond = std::max(0.0, std::abs(tip.dot(along)) - number("tip_half"));
    const double away = std::hypot(side * tip.dot(out) - number("outer"), beyond);
    if (std::abs(away - number("tip_radius")) > 0.05e-3) return false;
  }
  return true;
}

std::unique_ptr<GraspEngine> make_vinci_grasp(const Scene& scene) {
  return std::make_unique<VinciGrasp>(scene);
}

}  // namespace vinci
