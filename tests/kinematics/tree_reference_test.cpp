// SPDX-License-Identifier: Apache-2.0
// Reference case 18: the Puma 560, a chain and a tree with ball joints.
#include <functional>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "tests/kinematics/joint_models.h"
#include "vinci/kinematics/tree_dynamics.h"

namespace vinci::test {
namespace {

constexpr double asked = 1e-10;  // of the reference, relative

void expect_near(const MatrixX& found, const MatrixX& expected) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), asked * expected.cwiseAbs().maxCoeff())
      << found << "\nexpected\n"
      << expected;
}

// A placed model and its answers.
struct Answers {
  explicit Answers(JointedModel& made, bool weighs = true) {
    made.place(tree);
    forces = VectorX::Zero(made.model.velocity_count);
    if (weighs) add_weights(made.model, forces);
  }
  VectorX bias(const JointedModel& made) {
    VectorX result;
    dynamics.bias(tree, {made.velocities, made.rates, forces}, result);
    return result;
  }
  MatrixX mass() {
    TreeMatrix matrix;
    dynamics.mass(tree, matrix);
    MatrixX dense;
    matrix.to_dense(dense);
    return dense;
  }
  VectorX forward(const JointedModel& made, const VectorX& efforts) {
    VectorX articulated, factored;
    EXPECT_TRUE(
        dynamics.forward(tree, {made.velocities, made.rates, forces}, efforts, articulated));
    EXPECT_TRUE(
        dynamics.forward_by_mass(tree, {made.velocities, made.rates, forces}, efforts, factored));
    expect_near(articulated, factored);
    return articulated;
  }
  Tree tree;
  TreeDynamics dynamics;
  VectorX forces;
};

TEST(Reference18, puma_at_five_configurations) {
  const nlohmann::json expected = reference("case18_trees")["expected"]["puma"]["configurations"];
  ASSERT_EQ(expected.size(), 5u);
  for (const auto& [name, at] : expected.items()) {
    SCOPED_TRACE(name);
    JointedModel arm = puma(false);
    arm.positions = vector_of(at["q"]);
    {
      Answers still(arm);
      expect_near(still.mass(), matrix_of(at["mass_matrix_links"]));
      expect_near(still.bias(arm), vector_of(at["gravity_torque"]));
    }
    arm.rates = vector_of(at["qd"]);
    Answers coasting(arm, false);
    expect_near(coasting.bias(arm), vector_of(at["coriolis_torque"]));
    Answers moving(arm);
    const VectorX none = VectorX::Zero(6);
    expect_near(moving.forward(arm, none), vector_of(at["qdd_zero_torque_links"]));
    MatrixX pose = MatrixX::Identity(4, 4);
    pose.topLeftCorner<3, 3>() = arm.poses[5].rotation.toRotationMatrix();
    pose.topRightCorner<3, 1>() = arm.poses[5].position;
    expect_near(pose, matrix_of(at["pose_link6"]));
    JointedModel heavy = puma(true);
    heavy.positions = arm.positions;
    heavy.rates = arm.rates;
    Answers geared(heavy);
    expect_near(geared.forward(heavy, none), vector_of(at["qdd_zero_torque_with_rotors"]));
  }
}

TEST(Reference18, chain_and_tree_with_ball_joints) {
  for (const std::string name : {"chain", "tree"}) {
    SCOPED_TRACE(name);
    const nlohmann::json at = reference("case18_trees")["expected"][name];
    JointedModel made = reference_tree(name);
    made.positions = vector_of(at["q0"]);
    made.rates = vector_of(at["v0"]);
    Answers answers(made);
    const int count = made.model.free_count;
    ASSERT_EQ(count, made.rates.size());
    expect_near(answers.mass(), matrix_of(at["mass_matrix"]));
    expect_near(answers.bias(made), vector_of(at["bias_force"]));
    expect_near(answers.forward(made, vector_of(at["tau"])), vector_of(at["qdd_with_tau"]));
    const VectorX free = answers.forward(made, VectorX::Zero(count));
    expect_near(free, vector_of(at["qdd_zero_torque"]));
    // Accelerations and reactions of the bodies, by the way back.
    VectorX efforts;
    answers.dynamics.inverse(answers.tree, {made.velocities, made.rates, answers.forces}, free,
                             efforts);
    EXPECT_LT(efforts.cwiseAbs().maxCoeff(), 1e-11);
    const int bodies = static_cast<int>(made.model.bodies.size());
    MatrixX centers(bodies, 3), linear(bodies, 3), angular(bodies, 3), force(bodies, 3),
        moment(bodies, 3);
    for (int b = 0; b < bodies; ++b) {
      centers.row(b) = made.poses[b] * made.model.bodies[b].mass.center;
      linear.row(b) = answers.dynamics.accelerations().segment<3>(6 * b);
      angular.row(b) = answers.dynamics.accelerations().segment<3>(6 * b + 3);
      // Ball, revolute and prismatic joints: P is the origin of the child's frame.
      const Twist& wrench = answers.dynamics.joint_wrench(answers.tree.link_of(b));
      force.row(b) = wrench.linear;
      moment.row(b) = wrench.angular;
    }
    expect_near(centers, matrix_of(at["com_position"]));
    expect_near(linear, matrix_of(at["com_acceleration_zero_torque"]));
    expect_near(angular, matrix_of(at["angular_acceleration_world_zero_torque"]));
    expect_near(force, matrix_of(at["joint_force_on_child_world_zero_torque"]));
    expect_near(moment,
                matrix_of(at["joint_moment_on_child_world_about_joint_origin_zero_torque"]));
  }
}

// Fourth-order Runge–Kutta in the joint coordinates; quaternions by q' = ½ q (0, u).
void integrate(JointedModel& made, double duration, int steps) {
  Tree tree;
  TreeDynamics dynamics;
  VectorX forces = VectorX::Zero(made.model.velocity_count);
  add_weights(made.model, forces);
  const VectorX none = VectorX::Zero(made.model.free_count);
  const auto slope = [&](const VectorX& q, const VectorX& u, VectorX& q_rate, VectorX& u_rate) {
    made.positions = q;
    made.rates = u;
    q_rate.resize(q.size());
    for (const Joint& joint : made.model.joints) {
      const int first = joint.first_coordinate;
      if (joint.kind == JointKind::ball) {
        made.positions.segment<4>(first).normalize();
        const Quaternion r(q[first], q[first + 1], q[first + 2], q[first + 3]);
        const Vector3 turn = u.segment<3>(joint.first_rate);
        const Quaternion rate = r * Quaternion(0.0, turn.x(), turn.y(), turn.z());
        q_rate.segment<4>(first) << 0.5 * rate.w(), 0.5 * rate.x(), 0.5 * rate.y(), 0.5 * rate.z();
      } else {
        q_rate.segment(first, position_count(joint.kind)) =
            u.segment(joint.first_rate, rate_count(joint.kind));
      }
    }
    made.place(tree);
    dynamics.forward(tree, {made.velocities, made.rates, forces}, none, u_rate);
  };
  VectorX q = made.positions, u = made.rates;
  std::array<VectorX, 4> dq, du;
  const double h = duration / steps;
  for (int step = 0; step < steps; ++step) {
    slope(q, u, dq[0], du[0]);
    slope(q + 0.5 * h * dq[0], u + 0.5 * h * du[0], dq[1], du[1]);
    slope(q + 0.5 * h * dq[1], u + 0.5 * h * du[1], dq[2], du[2]);
    slope(q + h * dq[2], u + h * du[2], dq[3], du[3]);
    q += h / 6.0 * (dq[0] + 2.0 * dq[1] + 2.0 * dq[2] + dq[3]);
    u += h / 6.0 * (du[0] + 2.0 * du[1] + 2.0 * du[2] + du[3]);
    for (const Joint& joint : made.model.joints)
      if (joint.kind == JointKind::ball) q.segment<4>(joint.first_coordinate).normalize();
  }
  made.positions = q;
  made.rates = u;
  made.place(tree);
}

TEST(Reference18, puma_falls_as_the_reference_says) {
  for (const bool rotors : {false, true}) {
    const nlohmann::json fall =
        reference("case18_trees")["expected"]["puma"]
                                 [rotors ? "free_fall_from_qn_with_rotors" : "free_fall_from_qn"];
    JointedModel arm = puma(rotors);
    arm.positions = vector_of(fall["q"][0]);
    integrate(arm, 1.0, 4000);
    const VectorX end = vector_of(fall["q"].back());
    EXPECT_LT((arm.positions - end).cwiseAbs().maxCoeff(), 1e-7);
    Tree tree;
    arm.place(tree);
    EXPECT_NEAR(tree.kinetic_energy(arm.velocities, arm.rates),
                fall["kinetic"].back().get<double>(), 1e-7);
    EXPECT_NEAR(potential_energy(arm.model, arm.poses), fall["potential"].back().get<double>(),
                1e-7);
    EXPECT_LT((arm.poses[5].position - vector3(fall["last_link_origin"].back())).norm(), 1e-8);
  }
}

TEST(Reference18, chain_and_tree_move_as_the_reference_says) {
  for (const std::string name : {"chain", "tree"}) {
    SCOPED_TRACE(name);
    const nlohmann::json at = reference("case18_trees")["expected"][name];
    JointedModel made = reference_tree(name);
    made.positions = vector_of(at["q0"]);
    made.rates = vector_of(at["v0"]);
    integrate(made, 0.5, 2000);
    const nlohmann::json& motion = at["motion"];
    EXPECT_LT((made.rates - vector_of(motion["v"].back())).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((made.positions - vector_of(motion["q"].back())).cwiseAbs().maxCoeff(), 1e-7);
    for (std::size_t b = 0; b < made.poses.size(); ++b)
      EXPECT_LT((made.poses[b] * made.model.bodies[b].mass.center -
                 vector3(motion["com_position_end"][b]))
                    .norm(),
                1e-8);
  }
}

}  // namespace
}  // namespace vinci::test
