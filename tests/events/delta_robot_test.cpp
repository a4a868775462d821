// SPDX-License-Identifier: Apache-2.0
// Motion through events of a mechanism with loops: the delta robot of reference case 19 under given
// torques, with its pairs of rods and with one rod in place of each pair.
#include <fstream>
#include <sstream>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

const auto reference_case = reference("case19_delta_robot");

const char* const torques = R"(
signals:
  swing: sin(4*pi*t)
  push1: {expression: -2.671 + 3*swing, drives: motor1.torque}
  push2: {expression: -2.062 - 2*swing, drives: motor2.torque}
  push3: {expression: -2.384 + swing, drives: motor3.torque}
)";

std::string with_pairs() {
  std::ifstream file(std::string(VINCI_SOURCE_DIR) + "/robots/delta/delta.yaml");
  std::stringstream text;
  text << file.rdbuf();
  const std::string scene = text.str();
  return scene.substr(0, scene.find("\nrun:") + 1) + torques;
}

// Universal joints keep the platform from turning, as parallel rods do, and a rod between them
// from spinning. Loops have 8 rows in place of 15.
std::string with_single_rods() {
  std::string bodies =
      "world: spatial\nbodies:\n"
      "  platform: {mass: 0.8, inertia: [1e-3, 1e-3, 2e-3], position: [0.05, -0.03, -0.78]}\n";
  std::string joints = "joints:\n";
  for (int i = 1; i <= 3; ++i) {
    const std::string turn = fmt::format("{} deg", 120 * (i - 1));
    bodies += fmt::format(
        "  arm{0}: {{mass: 0.9, center: [0.1175, 0, 0], inertia: [0.00072871875, 0.014574375, "
        "0.014574375]}}\n"
        "  rod{0}: {{mass: 0.3, center: [0, 0, -0.4], inertia: [0.016, 0.016, 2e-6]}}\n",
        i);
    joints += fmt::format(
        "  motor{0}: {{revolute: [world, arm{0}], at: [[0.2*cos({1}), 0.2*sin({1}), 0], [0, 0, "
        "0]], axis: [-sin({1}), cos({1}), 0], rotation: {{rpy: [0, 0, {1}]}}}}\n"
        "  elbow{0}: {{universal: [arm{0}, rod{0}], at: [[0.235, 0, 0], [0, 0, 0]], axis: [0, 1, "
        "0], across: [1, 0, 0]}}\n"
        "  ankle{0}: {{universal: [rod{0}, platform], at: [[0, 0, -0.8], [0.045*cos({1}), "
        "0.045*sin({1}), 0]], axis: [1, 0, 0], across: [0, 1, 0], rotation: {{rpy: [0, 0, "
        "-{1}]}}}}\n",
        i, turn);
  }
  return bodies + joints + torques;
}

// Largest difference to the reference at 0.1 to 0.5 s, absolute and relative as `accuracy` counts:
// of places, angles, their rates and the energy.
double difference(const std::string& scene, double accuracy) {
  const auto motion = reference_case["expected"]["motion"];
  Simulation simulation = simulate(fmt::format(
      "{}run: {{step: 0.1 s, duration: 0.5 s, stepper: {{name: event-driven, accuracy: {}}}}}\n",
      scene, accuracy));
  const Model& model = simulation.model();
  double most = 0.0;
  for (std::size_t row = 1; row < motion["t"].size(); ++row) {
    const StepReport& report = simulation.step();
    EXPECT_LT(report.joint_opening, accuracy);
    const State& state = simulation.state();
    EXPECT_NEAR(state.time, motion["t"][row].get<double>(), 1e-12);
    const auto differs = [&](double found, double expected) {
      most = std::max(most, std::abs(found - expected) / (1.0 + std::abs(expected)));
    };
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      differs(position(simulation, "platform")[axis], motion["platform"][row][k]);
      differs(twist(simulation, "platform").linear[axis], motion["velocity"][row][k]);
      for (const Joint& joint : model.joints) {
        if (joint.name != fmt::format("motor{}", k + 1)) continue;
        differs(state.joint_positions[joint.first_coordinate], motion["motor_angles"][row][k]);
        differs(state.joint_rates[joint.first_rate], motion["motor_rates"][row][k]);
      }
    }
    differs(energy(model, state).total(), motion["energy"][row]);
  }
  return most;
}

TEST(DeltaRobot, moves_through_events_as_in_case_19) {
  const double coarse = difference(with_pairs(), 1e-6);
  EXPECT_LT(coarse, 1e-6);
  // What the reference allows at a step of 1 ms.
  const double calibration = reference_case["tolerance"]["calibration"]["h=0.001"];
  EXPECT_LT(coarse, 5 * calibration);
}

TEST(DeltaRobot, with_one_rod_for_each_pair_moves_alike) {
  EXPECT_LT(difference(with_single_rods(), 1e-6), 1e-6);
}

}  // namespace
}  // namespace vinci::test
