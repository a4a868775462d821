// SPDX-License-Identifier: Apache-2.0
// Scenes, the fine motion, and what is measured at a state.
#include "robots/cases.h"

#include <cmath>

#include <fmt/format.h>

#include "vinci/collision/exact_detector.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/tree_dynamics.h"
#include "vinci/model/state.h"

namespace vinci {
namespace {

RobotCase made(std::string name, Scene scene, std::vector<double> steps) {
  auto model = std::make_shared<Model>(*scene.compile());
  make_tree(*model);
  for (const Joint& joint : model->joints)
    if (rate_count(joint.kind) > 1) throw Error("joints of one freedom only", joint.name);
  return {.name = std::move(name),
          .scene = std::move(scene),
          .model = std::move(model),
          .steps = std::move(steps)};
}

RobotCase arm(const std::string& name, const std::string& file) {
  const std::filesystem::path folder = VINCI_SOURCE_DIR;
  return made(name, Scene::load(folder / "benchmarks/robots" / file, {}, {folder / "robots"}),
              {4e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4});
}

// Packed velocities and poses of a state of the joints alone.
struct Placed {
  State state;
  Tree tree;

  Placed(const Model& model, const VectorX& positions, const VectorX& rates)
      : state(initial_state(model)) {
    set(model, positions, rates);
  }
  void set(const Model& model, const VectorX& positions, const VectorX& rates) {
    state.joint_positions = positions;
    state.joint_rates = rates;
    place_tree(model, positions, state.poses);
    tree.place(model, state.poses, positions);
    tree.spread_velocities(rates, state.velocities);
  }
};

class FreeMotion {
 public:
  explicit FreeMotion(const Model& model)
      : model_(model),
        start_(initial_state(model)),
        placed_(model, start_.joint_positions, start_.joint_rates) {
    forces_.setZero(model.velocity_count);
    add_weights(model, forces_);
    efforts_.setZero(model.free_count);
    for (const Joint& joint : model.joints)
      if (rate_count(joint.kind) == 1)
        efforts_[model.rate_index[static_cast<std::size_t>(joint.first_rate)]] =
            motor_effort(joint);
  }

  const State& start() const { return start_; }

  // Of the rates, in their order.
  VectorX accelerations(const VectorX& positions, const VectorX& rates) {
    placed_.set(model_, positions, rates);
    dynamics_.forward(placed_.tree, {placed_.state.velocities, rates, forces_}, efforts_, change_);
    VectorX result(model_.joint_rate_count);
    for (int i = 0; i < model_.joint_rate_count; ++i)
      result[i] = change_[model_.rate_index[static_cast<std::size_t>(i)]];
    return result;
  }

  RobotState end(double duration, double h) {
    VectorX q = start_.joint_positions, u = start_.joint_rates;
    const auto steps = std::llround(duration / h);
    for (long long i = 0; i < steps; ++i) {
      const VectorX a1 = accelerations(q, u), u2 = u + 0.5 * h * a1;
      const VectorX a2 = accelerations(q + 0.5 * h * u, u2), u3 = u + 0.5 * h * a2;
      const VectorX a3 = accelerations(q + 0.5 * h * u2, u3), u4 = u + h * a3;
      const VectorX a4 = accelerations(q + h * u3, u4);
      q += h / 6.0 * (u + 2.0 * u2 + 2.0 * u3 + u4);
      u += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return {q, u, {}};
  }

 private:
  const Model& model_;
  State start_;
  Placed placed_;
  TreeDynamics dynamics_;
  VectorX forces_, efforts_, change_;
};

}  // namespace

RobotCase six_joint_arm() {
  return arm("6-joint arm", "arm6.yaml");
}

RobotCase seven_joint_arm() {
  return arm("7-joint arm", "arm7.yaml");
}

// Rods of 50 mm hang on hinges across x and y in turns and start in a gentle curve.
RobotCase chain(int links) {
  constexpr double length = 0.05, mass = 0.1, thin = 1e-5;  // m, kg, kg m²
  const double across = mass * length * length / 12.0 + thin;
  std::string bodies, joints;
  for (int i = 0; i < links; ++i) {
    bodies += fmt::format("  l{}: {{mass: {}, center: [0, 0, {}], inertia: [{}, {}, {}]}}\n", i,
                          mass, -0.5 * length, across, across, thin);
    joints += fmt::format(
        "  j{}: {{revolute: [{}, l{}], at: [[0, 0, {}], [0, 0, 0]], axis: {}, position: {}, "
        "limits: [-1000, 1000]}}\n",
        i, i == 0 ? "world" : fmt::format("l{}", i - 1), i, i == 0 ? 0.0 : -length,
        i % 2 == 0 ? "[1, 0, 0]" : "[0, 1, 0]", i == 0 ? 0.3 : 0.02 * std::cos(0.1 * i));
  }
  RobotCase robot =
      made(fmt::format("chain of {} links", links),
           Scene::parse(fmt::format("world: spatial\nbodies:\n{}joints:\n{}run: {{step: 1 ms, "
                                    "duration: 1000}}\n",
                                    bodies, joints)),
           {5e-3, 2.5e-3, 1e-3, 5e-4, 2.5e-4});
  robot.duration = 0.5;
  return robot;
}

RobotCase hand() {
  constexpr double friction = 0.5, radius = 0.008, half = 0.03, weight = 0.5 * 9.81 / 6.0;
  constexpr double press = 4.0;  // N per finger
  std::string bodies, joints, apart;
  std::vector<std::string> names;
  for (int side = -1; side <= 1; side += 2)
    for (int i = -1; i <= 1; ++i) {
      const std::string name = fmt::format("{}{}", side < 0 ? "left" : "right", i + 1);
      // The outer link hangs 20 mm off the box, 40 mm above the middle of its pad.
      std::string pad;
      for (const auto& [x, z] :
           {std::pair{-0.01, -0.02}, {0.01, -0.02}, {0.0, 0.0}, {-0.01, 0.02}, {0.01, 0.02}})
        pad += fmt::format("{}{{sphere: {}, position: [{}, {}, {}], material: rubber}}",
                           pad.empty() ? "" : ", ", radius, x, -side * 0.012, z - 0.04);
      bodies += fmt::format(
          "  {0}_inner: {{mass: 0.06, center: [0, {1}, -0.04], inertia: [4e-5, 4e-5, 1e-5]}}\n"
          "  {0}_outer: {{mass: 0.04, center: [0, 0, -0.03], inertia: [2e-5, 2e-5, 5e-6], shapes: "
          "[{2}]}}\n",
          name, -side * 0.01, pad);
      // Torques about x that hold the pad on the box by `press` at its middle.
      const double arm_y = -0.02 * side, arm_z = -0.04;
      const double force_y = press * side, force_z = -weight;
      const double outer = -(arm_y * force_z - arm_z * force_y);
      const double inner = -((arm_y - 0.02 * side) * force_z - (arm_z - 0.08) * force_y) -
                           (-0.01 * side * -0.06 * 9.81) - (-0.02 * side * -0.04 * 9.81);
      joints += fmt::format(
          "  {0}_knuckle: {{revolute: [world, {0}_inner], at: [[{1}, {2}, 0.12], [0, 0, 0]], axis: "
          "[1, 0, 0], motor: {{torque: {3}}}}}\n"
          "  {0}_joint: {{revolute: [{0}_inner, {0}_outer], at: [[0, {4}, -0.08], [0, 0, 0]], "
          "axis: "
          "[1, 0, 0], motor: {{torque: {5}}}}}\n",
          name, 0.04 * i, side * (half + radius + 0.032), inner, -0.02 * side, outer);
      names.push_back(name + "_inner");
      names.push_back(name + "_outer");
    }
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t k = i + 1; k < names.size(); ++k)
      apart += fmt::format("{}[{}, {}]", apart.empty() ? "" : ", ", names[i], names[k]);
  RobotCase robot =
      made("hand, 30 contacts",
           Scene::parse(fmt::format(
               "world: spatial\nmaterials: {{rubber: {{friction: {}}}}}\nbodies:\n{}  object: {{"
               "mass: 0.5, inertia: [6e-4, 1e-3, 7e-4], shapes: [{{box: [0.12, {}, 0.1], material: "
               "rubber}}], position: [0, 0, 0]}}\njoints:\n{}exclude: [{}]\nrun: {{step: 1 ms, "
               "duration: 1000}}\n",
               friction, bodies, 2.0 * half, joints, apart)),
           {4e-3, 2e-3, 1e-3, 5e-4});
  robot.object = robot.model->find_body("object");
  return robot;
}

FineMotion fine_motion(const RobotCase& robot, double step) {
  FreeMotion motion(*robot.model);
  const RobotState coarse = motion.end(robot.duration, step);
  RobotState fine = motion.end(robot.duration, 0.5 * step);
  const double error = (fine.positions - coarse.positions).lpNorm<Eigen::Infinity>();
  fine.positions += (fine.positions - coarse.positions) / 15.0;
  fine.rates += (fine.rates - coarse.rates) / 15.0;
  return {fine, error};
}

double energy_of(const Model& model, const RobotState& state) {
  const Placed placed(model, state.positions, state.rates);
  return placed.tree.kinetic_energy(placed.state.velocities, state.rates) +
         potential_energy(model, placed.state.poses);
}

double overlap_of(const RobotCase& robot, const RobotState& state) {
  Placed placed(*robot.model, state.positions, state.rates);
  placed.state.poses[static_cast<std::size_t>(robot.object)] = state.object;
  ExactDetector detector;
  ContactSet contacts;
  const std::vector<double> reach(robot.model->bodies.size(), 0.0);
  detector.detect(*robot.model, placed.state.poses, reach, contacts);
  double deepest = 0.0;
  for (const Contact& contact : contacts) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

void start_accelerations_of(const Model& model, VectorX& accelerations) {
  FreeMotion motion(model);
  accelerations = motion.accelerations(motion.start().joint_positions, motion.start().joint_rates);
}

JointBase base_of(const Model& model, const Joint& joint) {
  if (joint.body_a < 0) return {-1, joint.frame_a};
  const Body& body = model.bodies[static_cast<std::size_t>(joint.body_a)];
  if (body.freedom == Freedom::fixed) return {-1, body.initial_pose * joint.frame_a};
  return {joint.body_a, joint.frame_a};
}

double motor_effort(const Joint& joint) {
  const Motor& motor = joint.freedoms.front().motor;
  if (motor.kind == MotorKind::none) return 0.0;
  if (motor.kind != MotorKind::effort) throw Error("a torque or force only", joint.name);
  const std::array<double, 3> variables{};
  return motor.target.value(variables);
}

}  // namespace vinci
