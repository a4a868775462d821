// SPDX-License-Identifier: Apache-2.0
// Robots: functions of joint coordinates, inverse kinematics, controllers in closed loops.
#include "vinci/control/robot.h"

#include <gtest/gtest.h>

#include "tests/kinematics/joint_models.h"
#include "tests/support/allocations.h"
#include "vinci/base/error.h"
#include "vinci/control/controllers.h"
#include "vinci/control/inverse_kinematics.h"
#include "vinci/kinematics/joint_efforts.h"

namespace vinci::test {
namespace {

// Seven revolute joints, each across the one before, with an offset of the elbow.
JointedModel seven_joint_arm() {
  JointedModel arm;
  const double lengths[] = {0.34, 0.0, 0.4, 0.0, 0.4, 0.0, 0.126};
  int before = -1;
  for (int i = 0; i < 7; ++i) {
    MassProperties mass;
    mass.mass = 3.0 - 0.3 * i;
    mass.center = Vector3(0.0, 0.02, 0.1);
    mass.inertia = Vector3(0.03, 0.03, 0.01).asDiagonal();
    const int link = arm.add_body(mass);
    // Odd links lie down: their −y points along the arm.
    const Pose frame{i == 0 ? Vector3(0.0, 0.0, lengths[i]) : Vector3(0.0, -lengths[i], 0.0),
                     turned(Vector3::UnitX(), i == 0       ? 0.0
                                              : i % 2 == 1 ? -M_PI / 2
                                                           : M_PI / 2)};
    Joint& joint = arm.add_joint(JointKind::revolute, before, link, frame, {});
    joint.freedoms[0].lower = i % 2 == 0 ? -2.97 : -2.09;
    joint.freedoms[0].upper = -joint.freedoms[0].lower;
    before = link;
  }
  arm.finish();
  return arm;
}

JointedModel limited_puma() {
  JointedModel arm = puma(false);
  const double limits[6][2] = {{-2.8, 2.8}, {-0.8, 3.9}, {-3.9, 0.9},
                               {-1.9, 3.0}, {-1.7, 1.7}, {-4.6, 4.6}};
  for (std::size_t i = 0; i < 6; ++i) {
    arm.model.joints[i].freedoms[0].lower = limits[i][0];
    arm.model.joints[i].freedoms[0].upper = limits[i][1];
  }
  return arm;
}

VectorX within_limits(Dice& dice, const Robot& robot) {
  VectorX q(robot.rates());
  for (int i = 0; i < robot.rates(); ++i) q[i] = dice.between(robot.lower(i), robot.upper(i));
  return q;
}

TEST(Robot, functions_belong_together) {
  Dice dice(41);
  for (int trial = 0; trial < 50; ++trial) {
    const Base base = static_cast<Base>(dice.below(4));
    JointedModel made = random_tree(dice, 6, base, World::spatial, true);
    for (std::size_t b = 0; b < made.poses.size(); ++b)
      made.model.bodies[b].initial_pose = made.poses[b];
    Robot robot(made.model);
    ASSERT_EQ(robot.model().free_count, robot.rates());
    robot.place(made.positions, made.rates);
    const Tip tip{static_cast<int>(made.model.bodies.size()) - 1, dice.pose(0.3)};
    MatrixX jacobian, mass;
    robot.jacobian(tip, jacobian);
    const Twist twist = robot.velocity(tip);
    EXPECT_LT((jacobian.topRows<3>() * made.rates - twist.linear).norm(), 1e-12);
    EXPECT_LT((jacobian.bottomRows<3>() * made.rates - twist.angular).norm(), 1e-12);
    // Against a difference of poses.
    const double h = 1e-6;
    VectorX later = made.positions, earlier = made.positions;
    robot.advance(later, h * made.rates);
    robot.advance(earlier, -h * made.rates);
    robot.place(later);
    const Pose after = robot.pose(tip);
    robot.place(earlier);
    const Pose before = robot.pose(tip);
    EXPECT_LT(((after.position - before.position) / (2.0 * h) - twist.linear).norm(), 1e-7);
    robot.place(made.positions, made.rates);
    const VectorX efforts = dice.vector(robot.rates(), 5.0);
    VectorX change, back, gravity;
    ASSERT_TRUE(robot.forward_dynamics(efforts, change));
    robot.inverse_dynamics(change, back);
    if (robot.rates() == 0) continue;
    EXPECT_LT((back - efforts).cwiseAbs().maxCoeff(), 1e-10 * (1.0 + change.cwiseAbs().maxCoeff()));
    robot.mass_matrix(mass);
    VectorX bias;
    robot.inverse_dynamics(VectorX::Zero(robot.rates()), bias);
    EXPECT_LT((mass * change + bias - efforts).cwiseAbs().maxCoeff(),
              1e-10 * (1.0 + change.cwiseAbs().maxCoeff()));
    robot.place(made.positions);
    robot.inverse_dynamics(VectorX::Zero(robot.rates()), bias);
    robot.gravity_efforts(gravity);
    EXPECT_EQ(gravity, bias);
  }
}

// The second of two hinges on one axis closes a loop of which five rows are redundant.
TEST(Robot, a_redundant_loop_turns_as_a_whole) {
  JointedModel made;
  made.add_body({});
  made.add_joint(JointKind::revolute, -1, 0, {}, {});
  made.add_joint(JointKind::revolute, 0, -1, {}, {});
  made.finish();
  Robot robot(made.model);
  EXPECT_EQ(robot.closures(), 6);
  VectorX q = VectorX::Zero(2), rates = VectorX::Zero(2);
  q[0] = 0.7;
  EXPECT_LT(robot.close(q, {0}), 1e-13);
  EXPECT_NEAR(q[1], -0.7, 1e-13);
  robot.set_driven({0});
  rates[0] = 2.0;
  robot.complete_rates(rates);
  EXPECT_NEAR(rates[1], -2.0, 1e-13);
}

TEST(Robot, unknown_names_are_told) {
  Robot robot(puma(false).model);
  EXPECT_EQ(robot.tip("body5").body, 5);
  EXPECT_THROW(robot.tip("hand"), Error);
}

TEST(JointEfforts, act_on_bodies_as_along_the_rates) {
  Dice dice(42);
  TreeDynamics dynamics;
  for (int trial = 0; trial < 200; ++trial) {
    const World world = dice.below(2) ? World::spatial : World::planar;
    JointedModel made = random_tree(dice, 6, static_cast<Base>(dice.below(4)), world, true);
    Tree tree;
    made.place(tree);
    const Model& model = made.model;
    const VectorX efforts = dice.vector(model.joint_rate_count, 5.0);
    VectorX along = VectorX::Zero(model.free_count), forces = VectorX::Zero(model.velocity_count);
    for (int i = 0; i < model.joint_rate_count; ++i) along[model.rate_index[i]] = efforts[i];
    const VectorX none = forces;
    VectorX direct, through;
    dynamics.forward(tree, {made.velocities, made.rates, none}, along, direct);
    add_joint_efforts(model, made.poses, efforts, forces);
    dynamics.forward(tree, {made.velocities, made.rates, forces}, VectorX::Zero(model.free_count),
                     through);
    EXPECT_NEAR(forces.dot(made.velocities), efforts.dot(made.rates), 1e-11);
    if (direct.size() == 0) continue;
    EXPECT_LT((direct - through).cwiseAbs().maxCoeff(),
              1e-10 * (1.0 + direct.cwiseAbs().maxCoeff()));
  }
}

// Thousands of poses that joints within their limits reach, from the middle of the limits.
void expect_all_reached(const Model& model, unsigned seed, int count) {
  Robot robot(model);
  const Tip tip{robot.rates() - 1, {Vector3(0.0, 0.0, 0.1), Quaternion::Identity()}};
  Dice dice(seed);
  VectorX middle(robot.rates());
  for (int i = 0; i < robot.rates(); ++i) middle[i] = 0.5 * (robot.lower(i) + robot.upper(i));
  int missed = 0, starts = 0;
  for (int trial = 0; trial < count; ++trial) {
    const VectorX hidden = within_limits(dice, robot);
    robot.place(hidden);
    const Pose target = robot.pose(tip);
    const InverseKinematicsResult result = inverse_kinematics(robot, tip, target, middle);
    starts += result.starts;
    missed += result.reached ? 0 : 1;
    robot.place(result.positions);
    const Pose found = robot.pose(tip);
    const Quaternion turn = found.rotation * target.rotation.conjugate();
    if (result.reached) {
      EXPECT_LE((found.position - target.position).norm(), 1e-10);
      EXPECT_LE(rotation_vector(turn).norm(), 1.1e-10);
    }
    for (int i = 0; i < robot.rates(); ++i) {
      EXPECT_GE(result.positions[i], robot.lower(i));
      EXPECT_LE(result.positions[i], robot.upper(i));
    }
  }
  EXPECT_EQ(missed, 0);
  EXPECT_LT(starts, 4 * count);
}

TEST(InverseKinematics, puma_reaches_2000_random_poses) {
  expect_all_reached(limited_puma().model, 43, 2000);
}
TEST(InverseKinematics, seven_joints_reach_2000_random_poses) {
  expect_all_reached(seven_joint_arm().model, 44, 2000);
}

TEST(InverseKinematics, a_target_out_of_reach_is_told_with_the_distance_that_remains) {
  Robot robot(seven_joint_arm().model);
  const Tip tip{6, {}};
  InverseKinematicsOptions options;
  options.position_only = true;
  // Stretched out the tip is 0.926 m from the second joint, which is 0.34 m up.
  const Vector3 direction = Vector3(1.0, 0.3, 0.4).normalized();
  const Pose target{Vector3(0.0, 0.0, 0.34) + 2.0 * direction, Quaternion::Identity()};
  const InverseKinematicsResult result =
      inverse_kinematics(robot, tip, target, VectorX::Constant(7, 0.2), options);
  EXPECT_FALSE(result.reached);
  EXPECT_NEAR(result.position_error, 2.0 - 0.926, 1e-6);
  EXPECT_LT(result.smallest_singular_value, 1e-4);  // it cannot reach farther
}

TEST(InverseKinematics, bad_input_is_told_and_a_fixed_tip_is_not_reached) {
  Robot robot(puma(false).model);
  const VectorX start = VectorX::Zero(6);
  EXPECT_THROW(inverse_kinematics(robot, {5, {}}, {}, VectorX::Zero(5)), Error);
  const Pose nowhere{Vector3(NAN, 0.0, 0.0), Quaternion::Identity()};
  EXPECT_THROW(inverse_kinematics(robot, {5, {}}, nowhere, start), Error);
  JointedModel made;
  made.add_body({}, Freedom::fixed);
  made.finish();
  Robot still(made.model);
  const Pose away{Vector3(3.0, 4.0, 0.0), Quaternion::Identity()};
  const InverseKinematicsResult result = inverse_kinematics(still, {0, {}}, away, VectorX(0));
  EXPECT_FALSE(result.reached);
  EXPECT_EQ(result.position_error, 5.0);
}

TEST(InverseKinematics, a_singular_answer_is_told) {
  Robot robot(limited_puma().model);
  const Tip tip{5, {}};
  // The wrist is straight: joints 4 and 6 turn about one axis.
  VectorX q(6);
  q << 0.3, 0.8, -0.6, 0.4, 0.0, 0.2;
  robot.place(q);
  const InverseKinematicsResult result = inverse_kinematics(robot, tip, robot.pose(tip), q);
  EXPECT_TRUE(result.reached);
  EXPECT_TRUE(result.singular);
  EXPECT_LT(result.smallest_singular_value, 1e-9);
  q[4] = 0.7;
  robot.place(q);
  const InverseKinematicsResult regular = inverse_kinematics(robot, tip, robot.pose(tip), q);
  EXPECT_TRUE(regular.reached);
  EXPECT_FALSE(regular.singular);
}

TEST(InverseKinematics, redundant_joints_settle_where_the_posture_is_nearest) {
  Robot robot(seven_joint_arm().model);
  const Tip tip{6, {}};
  Dice dice(45);
  InverseKinematicsOptions options;
  options.posture = true;
  int settled = 0;
  for (int trial = 0; trial < 20; ++trial) {
    VectorX hidden = 0.5 * within_limits(dice, robot);
    robot.place(hidden);
    const Pose target = robot.pose(tip);
    const InverseKinematicsResult result = inverse_kinematics(robot, tip, target, hidden, options);
    ASSERT_TRUE(result.reached);
    // No worse than the posture that it began with, and flat along what the tip does not feel.
    EXPECT_LE(result.positions.norm(), hidden.norm() * (1.0 + 1e-9));
    robot.place(result.positions);
    MatrixX jacobian;
    robot.jacobian(tip, jacobian);
    const VectorX free = Eigen::FullPivLU<MatrixX>(jacobian).kernel().col(0).normalized();
    bool at_limit = false;
    for (int i = 0; i < 7; ++i)
      at_limit |= result.positions[i] <= robot.lower(i) || result.positions[i] >= robot.upper(i);
    if (at_limit) continue;
    EXPECT_LT(std::abs(free.dot(result.positions)), 1e-6);
    ++settled;
  }
  EXPECT_GT(settled, 10);
}

// A closed loop by hand: symplectic Euler in the joint coordinates with the forces that a
// controller gives. Returns the largest error of tracking.
struct Loop {
  explicit Loop(JointedModel& made) : made_(made) {
    state.poses = made.poses;
    state.joint_positions = made.positions;
    state.joint_rates = made.rates;
    state.velocities = made.velocities;
  }
  void step(JointController& controller, double h) {
    made_.positions = state.joint_positions;
    made_.rates = state.joint_rates;
    made_.place(tree_);
    state.poses = made_.poses;
    if (memory.size() == 0) memory.setZero(controller.memory_size());
    VectorX forces = VectorX::Zero(made_.model.velocity_count), change;
    add_weights(made_.model, forces);
    controller.act(made_.model, state, h, forces, memory);
    dynamics_.forward(tree_, {made_.velocities, made_.rates, forces},
                      VectorX::Zero(made_.model.free_count), change);
    for (int i = 0; i < made_.model.joint_rate_count; ++i)
      state.joint_rates[i] += h * change[made_.model.rate_index[i]];
    state.joint_positions += h * state.joint_rates;
    state.time = h * ++count;
  }
  State state;
  VectorX memory;
  int count = 0;

 private:
  JointedModel& made_;
  Tree tree_;
  TreeDynamics dynamics_;
};

TEST(Controllers, computed_torque_tracks_with_an_error_of_first_order) {
  std::vector<double> steps = {4e-3, 2e-3, 1e-3, 5e-4}, errors;
  const std::vector<MotionLimits> limits(6, {2.0, 4.0, 20.0});
  VectorX start(6), end(6);
  start << 0.0, 0.8, 2.0, 0.0, 0.7, 0.0;
  end << 1.0, 0.2, 1.2, 0.8, -0.5, 1.4;
  const auto move = std::make_shared<JointMove>(start, end, limits);
  for (const double h : steps) {
    JointedModel arm = puma(true);
    arm.positions = start;
    JointController controller(
        arm.model, computed_torque_law(),
        {VectorX::Constant(6, 100.0), VectorX::Constant(6, 20.0), {}, {}, 0.0}, {move, {}});
    Loop loop(arm);
    double most = 0.0;
    TrajectoryPoint point;
    while (loop.state.time < move->duration() - 0.5 * h) {
      loop.step(controller, h);
      move->at(loop.state.time, point);
      most = std::max(most, (loop.state.joint_positions - point.position).cwiseAbs().maxCoeff());
    }
    errors.push_back(most);
  }
  EXPECT_LT(errors.back(), 1e-3);
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.1);
}

// One joint under gravity at a lever: PD stays off by g/K_p, PID comes back, gravity compensation
// is never off.
TEST(Controllers, a_pd_error_is_the_load_over_the_stiffness_and_the_integral_takes_it_out) {
  const auto lever = [] {
    JointedModel made;
    MassProperties mass;
    mass.mass = 2.0;
    mass.center = Vector3(0.5, 0.0, 0.0);
    mass.inertia = 0.05 * Matrix3::Identity();
    const int body = made.add_body(mass);
    // The axis is level: z of the joint is −y of the world, so that q > 0 lifts.
    made.add_joint(JointKind::revolute, -1, body,
                   {Vector3::Zero(), turned(Vector3::UnitX(), M_PI / 2)}, {});
    made.finish();
    return made;
  };
  const double load = 2.0 * 9.81 * 0.5;
  const VectorX stiff = VectorX::Constant(1, 200.0), damp = VectorX::Constant(1, 40.0),
                sum = VectorX::Constant(1, 300.0);
  const auto settle = [&](const JointLaw& law, JointGains gains, double duration = 8.0) {
    JointedModel made = lever();
    JointController controller(made.model, law, gains);
    Loop loop(made);
    while (loop.state.time < duration) loop.step(controller, 1e-3);
    return loop;
  };
  const Loop pd = settle(pd_law(), {stiff, damp, {}, {}, 0.0});
  const double q = pd.state.joint_positions[0];
  EXPECT_NEAR(-200.0 * q, load * std::cos(q), 1e-9);
  EXPECT_NEAR(settle(pid_law(), {stiff, damp, sum, {}, 0.0}).state.joint_positions[0], 0.0, 1e-6);
  EXPECT_NEAR(
      settle(gravity_compensation_law(), {stiff, damp, {}, {}, 0.0}).state.joint_positions[0], 0.0,
      1e-14);
  // A limit below the load: it falls, and the integral does not run away.
  const Loop weak = settle(pid_law(), {stiff, damp, sum, VectorX::Constant(1, 5.0), 0.0}, 1.0);
  EXPECT_LT(weak.state.joint_positions[0], -0.5);
  EXPECT_LE(std::abs(300.0 * weak.memory.tail(1)[0]), 5.0 + 200.0 * 0.1);
}

TEST(Controllers, efforts_are_held_between_samples) {
  JointedModel arm = puma(true);
  arm.positions << 0.1, 0.8, 2.0, 0.0, 0.7, 0.0;
  JointController controller(arm.model, pd_law(),
                             {VectorX::Constant(6, 50.0), VectorX::Constant(6, 5.0), {}, {}, 0.01});
  Loop loop(arm);
  VectorX last;
  int changes = 0;
  for (int i = 0; i < 100; ++i) {
    loop.step(controller, 1e-3);
    if (i % 10 == 0) {
      changes += last.size() == 0 || controller.efforts() != last ? 1 : 0;
      last = controller.efforts();
    }
    EXPECT_EQ(controller.efforts(), last);
  }
  EXPECT_EQ(changes, 10);
}

TEST(Controllers, a_settled_sample_does_not_allocate) {
  if (!allocations_are_counted()) GTEST_SKIP();
  const auto move =
      std::make_shared<JointMove>(VectorX::Zero(6), VectorX::Ones(6), std::vector<MotionLimits>(6));
  for (const JointLaw* law : joint_laws()) {
    JointedModel arm = puma(true);
    JointController controller(arm.model, *law, {VectorX::Ones(6), VectorX::Ones(6), {}, {}, 0.0},
                               {move, {}});
    State state;
    state.poses = arm.poses;
    state.joint_positions = arm.positions;
    state.joint_rates = arm.rates;
    VectorX forces = VectorX::Zero(36), memory = VectorX::Zero(controller.memory_size());
    controller.act(arm.model, state, 1e-3, forces, memory);
    const std::size_t before = allocations();
    controller.act(arm.model, state, 1e-3, forces, memory);
    EXPECT_EQ(allocations(), before);
  }
}

TEST(Controllers, bad_gains_are_told) {
  const JointedModel arm = puma(false);
  EXPECT_THROW(JointController(arm.model, pd_law(), {VectorX::Ones(3), {}, {}, {}, 0.0}), Error);
  EXPECT_THROW(JointController(arm.model, pd_law(), {-VectorX::Ones(6), {}, {}, {}, 0.0}), Error);
  EXPECT_THROW(JointController(arm.model, pd_law(), {{}, {}, {}, {}, -1.0}), Error);
  const auto move =
      std::make_shared<JointMove>(VectorX::Zero(2), VectorX::Ones(2), std::vector<MotionLimits>(2));
  EXPECT_THROW(JointController(arm.model, pd_law(), {}, {move, {}}), Error);
}

}  // namespace
}  // namespace vinci::test
