// SPDX-License-Identifier: Apache-2.0
// The PD of a tip: efforts that accelerate it as asked for, and the delta robot led by it.
#include "vinci/control/task_pd.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/runs.h"
#include "vinci/control/signal_controller.h"

namespace vinci::test {
namespace {

std::string delta_scene(const std::string& signals) {
  std::ifstream file(std::string(VINCI_SOURCE_DIR) + "/robots/delta/delta.yaml");
  std::stringstream text;
  text << file.rdbuf() << "\n";
  return text.str() + "signals:\n" + signals;
}

std::vector<int> motors_of(const Robot& robot) {
  std::vector<int> motors;
  for (int i = 0; i < robot.rates(); ++i)
    if (robot.joint_of(i).name.starts_with("motor")) motors.push_back(i);
  return motors;
}

// Loops, and rods that may spin: accelerations from rest by forward dynamics, with gravity held.
TEST(TaskPd, efforts_accelerate_the_tip_of_a_delta_robot_as_asked_for) {
  Robot robot(mechanism_of(*Scene::parse(delta_scene("  none: 0\n")).compile()));
  const std::vector<int> motors = motors_of(robot);
  ASSERT_EQ(motors.size(), 3U);
  robot.set_driven(motors);
  const Tip tip = robot.tip("platform", {Vector3(0.01, 0.02, -0.03), Quaternion::Identity()});
  VectorX q = robot.start().positions, moving, holding, found;
  robot.close(q, motors);
  robot.gravity_efforts(holding);
  const auto accelerated = [&](const std::vector<int>& axes, const VectorX& wanted) -> Vector3 {
    robot.tip_efforts(tip, axes, wanted, moving);
    EXPECT_TRUE(robot.forward_dynamics(holding + moving, found));
    MatrixX jacobian;
    robot.jacobian(tip, jacobian);
    return (jacobian * found).head<3>();
  };
  const Vector3 wanted(0.7, -1.2, 2.5);
  EXPECT_LT((accelerated({0, 1, 2}, wanted) - wanted).norm(), 1e-8);
  // Along one axis alone the motion takes less than along that axis and along no other.
  const VectorX up = VectorX::Constant(1, 2.5);
  const Vector3 straight(0.0, 0.0, 2.5);
  MatrixX mass;
  robot.mass_matrix(mass);
  EXPECT_LT((accelerated({0, 1, 2}, straight) - straight).norm(), 1e-8);
  const double whole = found.dot(mass * found);
  EXPECT_NEAR(accelerated({2}, up).z(), 2.5, 1e-8);
  EXPECT_LT(found.dot(mass * found), whole);
}

// A step of 1 mm from rest: e'' + kd e' + kp e = 0 but for the derivative's filter and the samples.
TEST(TaskPd, error_of_the_delta_robots_tip_falls_as_gains_say) {
  Simulation simulation = simulate(
      delta_scene("  r: [0.05, -0.03, -0.779]\n"
                  "  lead: {task-pd: {tip: platform, joints: [motor1, motor2, motor3], "
                  "proportional: 100, derivative: [20, 20, 20], filter: 0.2 ms, reference: r}, "
                  "sample: 0.5 ms}\n"),
      chosen({{"step", "0.0005"}, {"duration", "0.4"}}));
  const auto& columns = control_columns(simulation.controllers());
  const auto at = [&](const std::string& name) {
    const auto found = std::find(columns.begin(), columns.end(), "signals." + name + " [1]");
    EXPECT_NE(found, columns.end()) << name;
    return simulation.state().controls[found - columns.begin()];
  };
  EXPECT_NEAR(at("lead.position_2"), -0.78, 1e-9);
  EXPECT_NEAR(at("lead.command_2"), 100.0 * 1e-3, 1e-6);
  double most = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    const double t = simulation.state().time;
    const Vector3 place = position(simulation, "platform");
    const double exact = -0.779 - 1e-3 * (1.0 + 10.0 * t) * std::exp(-10.0 * t);
    most = std::max(most, std::abs(place.z() - exact));
    ASSERT_LT(std::hypot(place.x() - 0.05, place.y() + 0.03), 2e-6);
    // What the block makes of the motors' angles is where the platform is.
    ASSERT_NEAR(at("lead.position_2"), place.z(), 1e-4);
  }
  EXPECT_LT(most, 1e-5);
}

TEST(TaskPd, leads_the_delta_robot_along_a_reference_and_continues_bit_for_bit) {
  const std::string text = delta_scene(
      "  r: {reference: {from: [0.05, -0.03, -0.78], limits: {velocity: 0.3, acceleration: 2, "
      "jerk: 40}, path: [{move: [0.02, 0.01, -0.75]}]}}\n"
      "  kp: [400, 400, 400 - 300*t]\n"
      "  lead: {task-pd: {tip: platform, joints: [motor1, motor2, motor3], proportional: kp, "
      "derivative: 40, filter: 1 ms, reference: r}, sample: 1 ms}\n");
  const RunOverrides run = chosen({{"step", "0.001"}, {"duration", "0.5"}});
  Simulation whole = simulate(text, run), first = simulate(text, run), second = simulate(text, run);
  while (!whole.finished()) whole.step();
  EXPECT_LT((position(whole, "platform") - Vector3(0.02, 0.01, -0.75)).norm(), 1e-4);
  for (int i = 0; i < 123; ++i) first.step();
  second.set_state(first.state());
  while (!second.finished()) second.step();
  EXPECT_EQ(whole.state(), second.state());
}

TEST(TaskPd, says_what_it_cannot_do) {
  const auto expect = [](const std::string& task, const std::string& part) {
    try {
      simulate(
          delta_scene("  lead: {task-pd: {tip: platform, proportional: 1, derivative: 1, "
                      "filter: 1 ms, reference: 0, " +
                      task + "\n"));
      ADD_FAILURE() << task;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect("joints: [motor1], axes: [x, y]}, sample: 1 ms}",
         "1 joints lead the tip along 2 axes; accepted: at least as many joints");
  expect("joints: [motor1]}}", "'sample' is missing");
  expect("joints: [motor1, motor2], axes: [x, x]}, sample: 1 ms}", "named already");
  expect("joints: [motor1], axes: [z]}, sample: 1 ms, drives: motor1.effort}",
         "drives the joints that lead its tip");
  expect("joints: [motor1, motor2, motor3]}, sample: 1 ms}", "1 number where 3 are needed");
}

}  // namespace
}  // namespace vinci::test
