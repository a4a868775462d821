// SPDX-License-Identifier: Apache-2.0
// Loops and couplings of robots: the delta robot against reference case 19, and identities.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"
#include "vinci/control/inverse_kinematics.h"

namespace vinci::test {
namespace {

const std::string delta_file = std::string(VINCI_SOURCE_DIR) + "/robots/delta/delta.yaml";

struct Delta {
  Delta() : robot(mechanism_of(*Scene::load(delta_file).compile())) {
    for (int i = 0; i < robot.rates(); ++i)
      if (robot.joint_of(i).name.starts_with("motor")) motors.push_back(i);
    robot.set_driven(motors);
    tip = robot.tip("platform");
  }
  VectorX at(const std::vector<double>& angles) {
    VectorX q = robot.start().positions;
    for (std::size_t i = 0; i < 3; ++i) q[robot.coordinate_of(motors[i])] = angles[i];
    return q;
  }
  Vector3 angles(const VectorX& q) const {
    return {q[robot.coordinate_of(motors[0])], q[robot.coordinate_of(motors[1])],
            q[robot.coordinate_of(motors[2])]};
  }
  VectorX inverse(const std::vector<double>& place) {
    InverseKinematicsOptions options;
    options.position_only = true;
    options.rates = motors;
    options.starts = 1;
    Pose target;
    target.position = {place[0], place[1], place[2]};
    const auto found = inverse_kinematics(robot, tip, target, robot.start().positions, options);
    EXPECT_TRUE(found.reached) << found.position_error;
    return found.positions;
  }
  Robot robot;
  std::vector<int> motors;
  Tip tip;
};

TEST(Loops, forward_kinematics_of_the_delta_robot_are_those_of_case_19) {
  const auto expected = reference("case19_delta_robot")["expected"]["forward_kinematics"];
  Delta delta;
  for (const auto& given : expected) {
    VectorX q = delta.at(given["motor_angles"]);
    EXPECT_LT(delta.robot.close(q, delta.motors), 1e-12);
    const std::vector<double> place = given["platform"];
    EXPECT_LT((delta.robot.pose(delta.tip).position - Vector3(place[0], place[1], place[2])).norm(),
              1e-10);
  }
}

TEST(Loops, inverse_kinematics_and_rates_of_the_delta_robot_are_those_of_case_19) {
  const auto expected = reference("case19_delta_robot")["expected"]["inverse_kinematics"];
  Delta delta;
  for (const auto& given : expected) {
    const VectorX q = delta.inverse(given["platform"]);
    const std::vector<double> angles = given["motor_angles"];
    EXPECT_LT((delta.angles(q) - Vector3(angles[0], angles[1], angles[2])).norm(), 1e-9);
    // dq/dp by columns: motors at the rates of a column move the platform along that axis.
    for (int axis = 0; axis < 3; ++axis) {
      VectorX rates = VectorX::Zero(delta.robot.rates());
      for (std::size_t i = 0; i < 3; ++i)
        rates[delta.motors[i]] = given["jacobian_dq_dp"][i][static_cast<std::size_t>(axis)];
      delta.robot.place(q);
      delta.robot.complete_rates(rates);
      delta.robot.place(q, rates);
      EXPECT_LT((delta.robot.velocity(delta.tip).linear - Vector3(Vector3::Unit(axis))).norm(),
                1e-8);
      EXPECT_LT(delta.robot.velocity(delta.tip).angular.norm(), 1e-8);
    }
  }
}

TEST(Loops, gravity_compensation_of_the_delta_robot_is_that_of_case_19) {
  const auto expected = reference("case19_delta_robot")["expected"]["gravity_compensation"];
  Delta delta;
  for (const auto& given : expected) {
    delta.robot.place(delta.inverse(given["platform"]));
    VectorX efforts;
    delta.robot.gravity_efforts(efforts);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(efforts[delta.motors[i]], given["holding_torque"][i].get<double>(), 1e-8);
    for (int i = 0; i < delta.robot.rates(); ++i) {
      if (!delta.robot.is_driven(i)) {
        EXPECT_EQ(efforts[i], 0.0);
      }
    }
  }
}

// Accelerations that efforts of inverse dynamics make are those that were asked for, and loops
// stay closed: openings after a small time are of its third order.
TEST(Loops, forward_dynamics_undo_inverse_dynamics) {
  Delta delta;
  const VectorX q = delta.inverse({0.1, 0.05, -0.8});
  VectorX rates = VectorX::Zero(delta.robot.rates()), wanted = rates, efforts, found;
  const double speeds[] = {1.0, -2.0, 0.7}, changes[] = {3.0, 5.0, -8.0};
  for (std::size_t i = 0; i < 3; ++i) rates[delta.motors[i]] = speeds[i];
  delta.robot.place(q);
  delta.robot.complete_rates(rates);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(rates[delta.motors[i]], speeds[i], 1e-12);
    wanted[delta.motors[i]] = changes[i];
  }
  delta.robot.place(q, rates);
  delta.robot.inverse_dynamics(wanted, efforts);
  ASSERT_TRUE(delta.robot.forward_dynamics(efforts, found));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[delta.motors[i]], changes[i], 1e-8);
  std::vector<double> times = {4e-3, 2e-3, 1e-3}, open;
  for (const double t : times) {
    VectorX moved = q, errors;
    delta.robot.advance(moved, t * rates + 0.5 * t * t * found);
    delta.robot.openings(moved, errors);
    open.push_back(errors.cwiseAbs().maxCoeff());
  }
  EXPECT_GT(fitted_order(times, open), 1.9);
}

// From rest under given torques, by the midpoint rule over the robot's forward dynamics.
TEST(Loops, forward_dynamics_move_the_delta_robot_as_in_case_19) {
  const auto motion = reference("case19_delta_robot")["expected"]["motion"];
  Delta delta;
  VectorX q = delta.robot.start().positions, u = VectorX::Zero(delta.robot.rates());
  delta.robot.close(q, delta.motors);
  const double h = 5e-4, torque[] = {-2.671, -2.062, -2.384}, swing[] = {3.0, -2.0, 1.0};
  const auto change = [&](const VectorX& at, const VectorX& rates, double t) {
    VectorX efforts = VectorX::Zero(delta.robot.rates()), found;
    for (std::size_t i = 0; i < 3; ++i)
      efforts[delta.motors[i]] = torque[i] + swing[i] * std::sin(4.0 * M_PI * t);
    delta.robot.place(at, rates);
    EXPECT_TRUE(delta.robot.forward_dynamics(efforts, found));
    return found;
  };
  for (int step = 0; step < 200; ++step) {
    VectorX middle = q;
    const VectorX half = u + 0.5 * h * change(q, u, h * step);
    delta.robot.advance(middle, 0.5 * h * u);
    u += h * change(middle, half, h * (step + 0.5));
    delta.robot.advance(q, h * half);
    delta.robot.close(q, delta.motors);
    delta.robot.complete_rates(u);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(q[delta.robot.coordinate_of(delta.motors[i])],
                motion["motor_angles"][1][i].get<double>(), 1e-6);
    EXPECT_NEAR(u[delta.motors[i]], motion["motor_rates"][1][i].get<double>(), 2e-5);
  }
}

// Against the motion of the simulation, which knows nothing of the robot's functions.
TEST(Loops, computed_torque_leads_the_delta_robot_along_a_line) {
  std::ifstream file(delta_file);
  std::stringstream text;
  text << file.rdbuf();
  const std::string control = R"(
trajectories:
  line:
    joints: [motor1, motor2, motor3]
    path: [{line: {tip: platform, to: [0, 0.05, -0.72], orientation: free, limits: {velocity: 0.4, acceleration: 3, jerk: 40}}}]
controllers:
  track: {kind: computed-torque, joints: [motor1, motor2, motor3], proportional: 400, derivative: 40, reference: line}
)";
  std::string scene = text.str();
  const std::size_t at = scene.find("\njoints:");
  ASSERT_NE(at, std::string::npos);
  scene.insert(at, control);
  const std::size_t run_at = scene.find("\nrun:");
  if (run_at != std::string::npos) scene.erase(run_at, scene.find('\n', run_at + 1) - run_at);
  std::vector<double> steps = {4e-3, 2e-3, 1e-3}, errors;
  for (const double h : steps) {
    Simulation simulation =
        simulate(scene + fmt::format("\nrun: {{step: {}, duration: 0.4}}\n", h));
    const Vector3 from = position(simulation, "platform"), to(0.0, 0.05, -0.72);
    const Vector3 along = (to - from).normalized();
    double most = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      const Vector3 off = position(simulation, "platform") - from;
      most = std::max(most, (off - along * along.dot(off)).norm());
    }
    EXPECT_GT(along.dot(position(simulation, "platform") - from), 0.05);
    errors.push_back(most);
  }
  EXPECT_LT(errors.back(), 1e-4);
  EXPECT_GT(fitted_order(steps, errors), 0.8);
}

}  // namespace
}  // namespace vinci::test
