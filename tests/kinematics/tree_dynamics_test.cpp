// SPDX-License-Identifier: Apache-2.0
// Recursions against each other, against energies, and against the equations of all bodies and all
// joints at once.
#include "vinci/kinematics/tree_dynamics.h"

#include <gtest/gtest.h>

#include "tests/kinematics/joint_models.h"
#include "tests/kinematics/maximal.h"
#include "tests/support/allocations.h"

namespace vinci::test {
namespace {

struct Trial {
  JointedModel made;
  Tree tree;
  VectorX forces, efforts;
  TreeMotion motion() const { return {made.velocities, made.rates, forces, &made.prescribed}; }
};

// A random tree of any base, in space or in the plane, under random forces and efforts.
Trial random_trial(Dice& dice, bool armature, int most = 8) {
  const World world = dice.below(3) == 0 ? World::planar : World::spatial;
  const Base base = static_cast<Base>(dice.below(4));
  Trial trial{random_tree(dice, 1 + dice.below(most), base, world, armature), {}, {}, {}};
  trial.made.place(trial.tree);
  trial.forces = dice.vector(trial.made.model.velocity_count, 5.0);
  add_weights(trial.made.model, trial.forces);
  trial.efforts = dice.vector(trial.made.model.free_count, 5.0);
  return trial;
}

TEST(TreeDynamics, reduced_and_maximal_accelerations_of_1000_random_trees_agree) {
  Dice dice(1);
  TreeDynamics dynamics;
  int unknowns = 0, turned_round = 0;
  for (int number = 0; number < 1000; ++number) {
    Trial trial = random_trial(dice, false);
    const Model& model = trial.made.model;
    unknowns += model.free_count;
    for (const int body : model.tree_order) turned_round += hangs_as_a(model, body) ? 1 : 0;
    VectorX found;
    ASSERT_TRUE(dynamics.forward(trial.tree, trial.motion(), trial.efforts, found));
    // Efforts along free entries of roots are forces on them.
    VectorX forces = trial.forces, efforts = VectorX::Zero(model.joint_rate_count);
    for (int i = 0; i < model.velocity_count; ++i)
      if (model.free_index[i] >= 0) forces[i] += trial.efforts[model.free_index[i]];
    for (int i = 0; i < model.joint_rate_count; ++i)
      efforts[i] = trial.efforts[model.rate_index[i]];
    const VectorX expected = MaximalSystem::accelerations(trial.made, forces, efforts);
    const double scale = 1.0 + expected.cwiseAbs().maxCoeff();
    ASSERT_LT((dynamics.accelerations() - expected).cwiseAbs().maxCoeff(), 1e-10 * scale)
        << "tree " << number;
  }
  EXPECT_GT(unknowns, 5000);
  EXPECT_GT(turned_round, 500);
}

TEST(TreeDynamics, forward_undoes_inverse_and_both_ways_forward_agree) {
  Dice dice(2);
  TreeDynamics dynamics;
  for (int number = 0; number < 500; ++number) {
    Trial trial = random_trial(dice, true, 20);
    VectorX found, factored, back;
    ASSERT_TRUE(dynamics.forward(trial.tree, trial.motion(), trial.efforts, found));
    const VectorX packed = dynamics.accelerations();
    ASSERT_TRUE(dynamics.forward_by_mass(trial.tree, trial.motion(), trial.efforts, factored));
    dynamics.inverse(trial.tree, trial.motion(), found, back);
    if (found.size() == 0) continue;
    const double scale = found.cwiseAbs().maxCoeff();
    EXPECT_LT((found - factored).cwiseAbs().maxCoeff(), 1e-10 * scale);
    EXPECT_LT((back - trial.efforts).cwiseAbs().maxCoeff(), 1e-11 * (5.0 + scale));
    EXPECT_LT((packed - dynamics.accelerations()).cwiseAbs().maxCoeff(),
              1e-11 * packed.cwiseAbs().maxCoeff());
  }
}

TEST(TreeDynamics, mass_matrix_is_that_of_unit_accelerations_and_of_the_kinetic_energy) {
  Dice dice(3);
  TreeDynamics dynamics;
  for (int number = 0; number < 200; ++number) {
    Trial trial = random_trial(dice, true);
    const Model& model = trial.made.model;
    TreeMatrix matrix;
    dynamics.mass(trial.tree, matrix);
    MatrixX mass;
    matrix.to_dense(mass);
    // At rest, without forces, τ of a unit of u' is a column.
    const VectorX still = VectorX::Zero(model.velocity_count),
                  rest = VectorX::Zero(model.joint_rate_count);
    for (int i = 0; i < model.free_count; ++i) {
      VectorX column;
      dynamics.inverse(trial.tree, {still, rest, still}, VectorX::Unit(model.free_count, i),
                       column);
      EXPECT_LT((column - mass.col(i)).cwiseAbs().maxCoeff(), 1e-13 * mass.cwiseAbs().maxCoeff());
    }
    // Without prescribed motion 2 T = uᵀ M u.
    VectorX velocities = still, rates = rest, product;
    const VectorX u = dice.vector(model.free_count, 2.0);
    trial.tree.spread_unknowns(u, velocities, rates);
    const double energy = trial.tree.kinetic_energy(velocities, rates);
    EXPECT_NEAR(0.5 * u.dot(mass * u), energy, 1e-13 * (1.0 + energy));
    matrix.multiply(u, product);
    if (model.free_count > 0) {
      EXPECT_LT((product - mass * u).cwiseAbs().maxCoeff(), 1e-13 * (1.0 + energy));
    }
    VectorX gathered;
    trial.tree.gather_unknowns(velocities, rates, gathered);
    EXPECT_EQ(gathered, u);
  }
}

// d(T + V)/dt = power of efforts and forces (roots free or fixed): a difference along the motion.
TEST(TreeDynamics, energy_changes_by_the_power_of_efforts_and_forces) {
  Dice dice(4);
  TreeDynamics dynamics;
  const double h = 1e-5;
  for (int number = 0; number < 100; ++number) {
    const Base base = static_cast<Base>(dice.below(3));
    const World world = dice.below(2) == 0 ? World::planar : World::spatial;
    Trial trial{random_tree(dice, 5, base, world, true), {}, {}, {}};
    JointedModel& made = trial.made;
    made.place(trial.tree);
    const VectorX pushes = dice.vector(made.model.velocity_count, 5.0);
    trial.forces = pushes;
    add_weights(made.model, trial.forces);
    trial.efforts = dice.vector(made.model.free_count, 5.0);
    VectorX change, u;
    ASSERT_TRUE(dynamics.forward(trial.tree, trial.motion(), trial.efforts, change));
    trial.tree.gather_unknowns(made.velocities, made.rates, u);
    const double power = trial.efforts.dot(u) + pushes.dot(made.velocities);
    const auto energy = [&](double t) {
      JointedModel moved = made;
      // Second order along the motion: coordinates by the rates of the middle.
      VectorX velocities = made.velocities, rates = made.rates;
      trial.tree.spread_unknowns(u + 0.5 * t * change, velocities, rates);
      for (const Joint& joint : made.model.joints)
        advance(joint, rates.data() + joint.first_rate, t,
                moved.positions.data() + joint.first_coordinate);
      if (base != Base::world) {
        const Body& root = made.model.bodies[0];
        const Twist twist = unpacked(root, velocities);
        const Vector3 center = moved.poses[0] * root.mass.center;
        moved.poses[0].rotation = exponential(t * twist.angular) * moved.poses[0].rotation;
        moved.poses[0].position =
            center + t * twist.linear - moved.poses[0].rotation * root.mass.center;
      }
      Tree tree;
      moved.place(tree);
      velocities = made.velocities;
      tree.spread_unknowns(u + t * change, velocities, rates);
      return tree.kinetic_energy(velocities, rates) + potential_energy(made.model, moved.poses);
    };
    EXPECT_NEAR((energy(h) - energy(-h)) / (2.0 * h), power, 1e-6 * (10.0 + std::abs(power)));
  }
}

TEST(TreeDynamics, columns_and_jacobians_are_the_velocities_of_bodies) {
  Dice dice(5);
  std::vector<BodyColumn> columns;
  MatrixX jacobian;
  for (int number = 0; number < 200; ++number) {
    Trial trial = random_trial(dice, false);
    const Model& model = trial.made.model;
    VectorX u, driven = trial.made.velocities;
    trial.tree.gather_unknowns(trial.made.velocities, trial.made.rates, u);
    // What a prescribed root adds.
    for (int i = 0; i < model.velocity_count; ++i)
      if (model.free_index[i] >= 0) driven[i] = 0.0;
    trial.tree.spread_velocities(VectorX::Zero(model.joint_rate_count), driven);
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
      Twist sum = unpacked(model.bodies[b], driven);
      trial.tree.columns(b, columns);
      for (const BodyColumn& column : columns) {
        sum.linear += u[column.unknown] * column.twist.linear;
        sum.angular += u[column.unknown] * column.twist.angular;
      }
      const Twist twist = unpacked(model.bodies[b], trial.made.velocities);
      EXPECT_LT((sum.linear - twist.linear).norm(), 1e-12);
      EXPECT_LT((sum.angular - twist.angular).norm(), 1e-12);
      const Vector3 arm = dice.vector(1.0);
      trial.tree.jacobian(b, arm, jacobian);
      const Twist drift = unpacked(model.bodies[b], driven);
      const VectorX motion = jacobian * u;
      EXPECT_LT((motion.head<3>() + drift.at(arm) - twist.at(arm)).norm(), 1e-12);
      EXPECT_LT((motion.tail<3>() + drift.angular - twist.angular).norm(), 1e-12);
    }
  }
}

// The same tree a thousand kilometres away: positions lose digits there, dynamics does not.
TEST(TreeDynamics, nothing_is_lost_far_from_the_origin) {
  Dice dice(6);
  TreeDynamics dynamics;
  for (int number = 0; number < 50; ++number) {
    Trial trial{random_tree(dice, 6, Base::fixed, World::spatial, false), {}, {}, {}};
    trial.made.place(trial.tree);
    trial.forces = VectorX::Zero(trial.made.model.velocity_count);
    add_weights(trial.made.model, trial.forces);
    trial.efforts = VectorX::Zero(trial.made.model.free_count);
    VectorX near, far;
    dynamics.forward(trial.tree, trial.motion(), trial.efforts, near);
    trial.made.poses[0].position += Vector3(1e6, -1e6, 1e6);
    trial.made.place(trial.tree);
    dynamics.forward(trial.tree, trial.motion(), trial.efforts, far);
    EXPECT_EQ(near, far);
  }
}

TEST(TreeDynamics, a_weightless_end_is_told) {
  JointedModel made;
  made.add_body({});
  made.add_joint(JointKind::revolute, -1, 0, {}, {});
  made.finish();
  Tree tree;
  made.place(tree);
  TreeDynamics dynamics;
  const VectorX none = VectorX::Zero(6);
  VectorX change;
  EXPECT_FALSE(
      dynamics.forward(tree, {made.velocities, made.rates, none}, VectorX::Ones(1), change));
  EXPECT_FALSE(dynamics.forward_by_mass(tree, {made.velocities, made.rates, none}, VectorX::Ones(1),
                                        change));
}

TEST(TreeDynamics, a_settled_call_does_not_allocate) {
  if (!allocations_are_counted()) GTEST_SKIP();
  Dice dice(8);
  JointedModel made = random_tree(dice, 20, Base::free, World::spatial, true);
  Tree tree;
  TreeDynamics dynamics;
  TreeMatrix mass;
  VectorX forces = VectorX::Zero(made.model.velocity_count);
  const VectorX efforts = VectorX::Ones(made.model.free_count);
  VectorX change, back;
  std::vector<BodyColumn> columns;
  const auto all = [&] {
    made.place(tree);
    const TreeMotion motion{made.velocities, made.rates, forces};
    dynamics.forward(tree, motion, efforts, change);
    dynamics.inverse(tree, motion, change, back);
    dynamics.mass(tree, mass);
    dynamics.forward_by_mass(tree, motion, efforts, change);
    for (int b = 0; b < 21; ++b) tree.columns(b, columns);
  };
  all();
  const std::size_t before = allocations();
  all();
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace vinci::test
