// SPDX-License-Identifier: Apache-2.0
// The stages of Dormand and Prince over articulated bodies.
#include "vinci/stepping/smooth_motion.h"

#include <array>

#include "vinci/kinematics/joint_tree.h"
#include "vinci/model/actuation.h"

namespace vinci {
namespace {

constexpr int stages = 12;

// The method DOP853 of [Hairer 1993]: what of the stages before makes a stage, and their shares in
// the end.
constexpr std::array<std::array<double, stages - 1>, stages> parts{{
    {},
    {0.05260015195876773},
    {0.0197250569845379, 0.0591751709536137},
    {0.02958758547680685, 0, 0.08876275643042054},
    {0.2413651341592667, 0, -0.8845494793282861, 0.924834003261792},
    {0.037037037037037035, 0, 0, 0.17082860872947386, 0.12546768756682242},
    {0.037109375, 0, 0, 0.17025221101954405, 0.06021653898045596, -0.017578125},
    {0.03709200011850479, 0, 0, 0.17038392571223998, 0.10726203044637328, -0.015319437748624402,
     0.008273789163814023},
    {0.6241109587160757, 0, 0, -3.3608926294469414, -0.868219346841726, 27.59209969944671,
     20.154067550477894, -43.48988418106996},
    {0.47766253643826434, 0, 0, -2.4881146199716677, -0.590290826836843, 21.230051448181193,
     15.279233632882423, -33.28821096898486, -0.020331201708508627},
    {-0.9371424300859873, 0, 0, 5.186372428844064, 1.0914373489967295, -8.149787010746927,
     -18.52006565999696, 22.739487099350505, 2.4936055526796523, -3.0467644718982196},
    {2.273310147516538, 0, 0, -10.53449546673725, -2.0008720582248625, -17.9589318631188,
     27.94888452941996, -2.8589982771350235, -8.87285693353063, 12.360567175794303,
     0.6433927460157636},
}};
constexpr std::array<double, stages> shares{0.054293734116568765,
                                            0,
                                            0,
                                            0,
                                            0,
                                            4.450312892752409,
                                            1.8915178993145003,
                                            -5.801203960010585,
                                            0.3111643669578199,
                                            -0.1521609496625161,
                                            0.20136540080403034,
                                            0.04471061572777259};

bool is_of_joints_alone(const Model& model) {
  if (model.tree_order.empty() || model.drags || !model.couplings.empty()) return false;
  for (const int unknown : model.free_index)
    if (unknown >= 0) return false;
  for (const Body& body : model.bodies)
    if (body.is_prescribed()) return false;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    if (model.joints[static_cast<std::size_t>(j)].kind == JointKind::ball ||
        is_loop_joint(model, j))
      return false;
  return true;
}

// Of a motor that is no servo, where its joint is.
double effort_at(const Joint& joint, int k, double time, const VectorX& positions,
                 const VectorX& rates) {
  const Motor& motor = joint.freedoms[static_cast<std::size_t>(k)].motor;
  if (motor.kind != MotorKind::effort) return 0.0;
  return effort_of(motor, time, positions[joint.first_coordinate + k], rates[joint.first_rate + k]);
}

bool is_within_limits(const Model& model, const VectorX& positions) {
  for (const Joint& joint : model.joints)
    for (std::size_t k = 0; k < joint.freedoms.size(); ++k) {
      const double q = positions[joint.first_coordinate + static_cast<Eigen::Index>(k)];
      if (!(q >= joint.freedoms[k].lower && q <= joint.freedoms[k].upper)) return false;
    }
  return true;
}

}  // namespace

OptionSpec smooth_option() {
  return {"smooth",
          "How joints move in steps in which nothing but weight, motors and other smooth forces "
          "act on them: leapfrog, as in all other steps, of first order and without drift of "
          "energy; dormand-prince, of order 8.",
          std::string("leapfrog"),
          "",
          0,
          0,
          {"leapfrog", "dormand-prince"}};
}

SmoothMotion::SmoothMotion(const OptionValues& options)
    : asked_(options.table().find("smooth") && options.text("smooth") == "dormand-prince"),
      speeds_(stages),
      changes_(stages) {}

bool SmoothMotion::takes(const Model& model, const JointLoads& loads) {
  return is_of_joints_alone(model) && loads.resistance.isZero(0.0);
}

// What acts besides the functions of the scene stays through the step.
void SmoothMotion::begin(const SmoothStep& step) {
  const Model& model = step.model;
  at_.poses = step.state.poses;
  at_.velocities = step.state.velocities;
  applied_forces(model, step.state, forces_);
  held_ = step.forces - forces_;
  held_efforts_ = step.loads.push / step.h;
  for (const Joint& joint : model.joints)
    for (int k = 0; k < rate_count(joint.kind); ++k)
      held_efforts_[joint.first_rate + k] -=
          effort_at(joint, k, step.state.time, step.state.joint_positions, step.state.joint_rates);
}

// Poses and velocities of positions_ and rates_.
void SmoothMotion::place(const Model& model) {
  place_tree(model, positions_, at_.poses);
  tree_.place(model, at_.poses, positions_);
  tree_.spread_velocities(rates_, at_.velocities);
}

void SmoothMotion::accelerate(const SmoothStep& step, int stage, double time) {
  const Model& model = step.model;
  const auto own = static_cast<std::size_t>(stage);
  place(model);
  at_.time = time;
  applied_forces(model, at_, forces_);
  forces_ += held_;
  efforts_.resize(model.free_count);
  for (const Joint& joint : model.joints)
    for (int k = 0; k < rate_count(joint.kind); ++k)
      efforts_[model.rate_index[static_cast<std::size_t>(joint.first_rate + k)]] =
          held_efforts_[joint.first_rate + k] + effort_at(joint, k, time, positions_, rates_);
  dynamics_.forward(tree_, {at_.velocities, rates_, forces_}, efforts_, accelerations_);
  speeds_[own] = rates_;
  changes_[own].resize(model.joint_rate_count);
  for (int i = 0; i < model.joint_rate_count; ++i)
    changes_[own][i] = accelerations_[model.rate_index[static_cast<std::size_t>(i)]];
}

bool SmoothMotion::advance(const SmoothStep& step) {
  taken_ = false;
  if (!takes(step.model, step.loads)) return false;
  begin(step);
  const auto add = [&](std::span<const double> factors) {
    double share = 0.0;
    positions_ = step.state.joint_positions;
    rates_ = step.state.joint_rates;
    for (std::size_t j = 0; j < factors.size(); ++j) {
      share += factors[j];
      if (factors[j] == 0.0) continue;
      positions_ += step.h * factors[j] * speeds_[j];
      rates_ += step.h * factors[j] * changes_[j];
    }
    return step.state.time + share * step.h;
  };
  for (int stage = 0; stage < stages; ++stage) {
    const auto own = static_cast<std::size_t>(stage);
    const double time = add({parts[own].data(), own});
    accelerate(step, stage, time);
  }
  add(shares);
  if (!positions_.allFinite() || !rates_.allFinite() || !is_within_limits(step.model, positions_))
    return false;
  place_tree(step.model, positions_, at_.poses);
  taken_ = true;
  return true;
}

}  // namespace vinci
