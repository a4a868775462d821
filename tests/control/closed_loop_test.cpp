// SPDX-License-Identifier: Apache-2.0
// Controllers of joints in simulations of scenes, in reduced and in maximal coordinates.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"
#include "vinci/control/controllers.h"

namespace vinci::test {
namespace {

const char* const two_links = R"(
world: spatial
bodies:
  upper:
    mass: 2
    inertia: [0.05, 0.05, 0.01]
    center: [0, 0, -0.25]
  lower:
    mass: 1
    inertia: [0.02, 0.02, 0.01]
    center: [0, 0, -0.2]
joints:
  shoulder: {revolute: [world, upper], axis: [0, 1, 0], position: 0.3}
  elbow: {revolute: [upper, lower], at: [[0, 0, -0.5], [0, 0, 0]], axis: [0, 1, 0], position: -0.4}
run: {step: STEP, duration: DURATION, coordinates: COORDINATES}
)";

std::string scene(double h, const std::string& coordinates, double duration = 1.2) {
  std::string text = two_links;
  text.replace(text.find("STEP"), 4, fmt::format("{}", h));
  text.replace(text.find("COORDINATES"), 11, coordinates);
  text.replace(text.find("DURATION"), 8, fmt::format("{}", duration));
  return text;
}

struct Tracking {
  double most = 0.0, end = 0.0;  // rad
  VectorX last;                  // coordinates
};

Tracking track(const std::string& text, const JointLaw& law, JointGains gains) {
  const auto scene_model = Simulation(Scene::parse(text), {});
  const auto move = std::make_shared<JointMove>(Vector2(0.3, -0.4), Vector2(1.1, 0.5),
                                                std::vector<MotionLimits>(2, {3.0, 8.0, 60.0}));
  RunOverrides overrides;
  overrides.code.controllers.push_back(
      {"arm", std::make_shared<JointController>(scene_model.model(), law, gains,
                                                JointReference{move, {}})});
  Simulation simulation(Scene::parse(text), overrides);
  Tracking result;
  TrajectoryPoint point;
  while (!simulation.finished()) {
    simulation.step();
    move->at(simulation.state().time, point);
    result.end = (simulation.state().joint_positions - point.position).cwiseAbs().maxCoeff();
    result.most = std::max(result.most, result.end);
  }
  result.last = simulation.state().joint_positions;
  EXPECT_FALSE(simulation.diverged());
  return result;
}

TEST(ClosedLoop, computed_torque_tracks_in_a_simulation_with_an_error_of_first_order) {
  const JointGains gains{VectorX::Constant(2, 400.0), VectorX::Constant(2, 40.0), {}, {}, 0.0};
  for (const std::string coordinates : {"reduced", "maximal"}) {
    SCOPED_TRACE(coordinates);
    std::vector<double> steps = {4e-3, 2e-3, 1e-3}, errors;
    for (const double h : steps)
      errors.push_back(track(scene(h, coordinates), computed_torque_law(), gains).most);
    EXPECT_LT(errors.back(), 5e-3);
    EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.2);
  }
}

// At rest at the end: what PD leaves is the load over its stiffness, which gravity compensation
// takes away.
TEST(ClosedLoop, at_rest_pd_is_off_by_the_load_over_the_stiffness_and_gravity_compensation_is_not) {
  const VectorX stiffness = Vector2(100.0, 40.0), damping = Vector2(6.0, 1.0);
  const JointGains gains{stiffness, damping, {}, {}, 0.002};
  const std::string text = scene(1e-3, "reduced", 8.0);
  const Tracking pd = track(text, pd_law(), gains);
  Robot robot(Simulation(Scene::parse(text), {}).model());
  robot.place(pd.last);
  VectorX load;
  robot.gravity_efforts(load);
  EXPECT_GT(load.norm(), 1.0);
  const VectorX hold = stiffness.cwiseProduct(VectorX(Vector2(1.1, 0.5)) - pd.last);
  EXPECT_LT((hold - load).norm(), 1e-6);
  EXPECT_LT(track(text, gravity_compensation_law(), gains).end, 1e-9);
}

}  // namespace
}  // namespace vinci::test
