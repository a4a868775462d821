// SPDX-License-Identifier: Apache-2.0
// Which bodies hang on which joints, and the numbers of unknowns.
#include "vinci/kinematics/joint_tree.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/kinematics/joint_models.h"
#include "vinci/kinematics/tree_matrix.h"

namespace vinci::test {
namespace {

MassProperties unit_mass() {
  MassProperties mass;
  mass.mass = 1.0;
  mass.inertia = Matrix3::Identity();
  return mass;
}

TEST(JointTree, without_joints_unknowns_are_the_free_packed_entries) {
  JointedModel made;
  made.add_body(unit_mass());
  made.add_body(unit_mass(), Freedom::fixed);
  made.add_body(unit_mass(), Freedom::planar);
  made.model.bodies[2].drives[0].prescribed = true;
  make_tree(made.model);
  const std::vector<int> expected = {0, 1, 2, 3, 4, 5, -1, 6, 7};
  EXPECT_EQ(made.model.free_index, expected);
  EXPECT_EQ(made.model.free_count, 8);
  EXPECT_TRUE(made.model.tree_order.empty());
  make_no_tree(made.model);
  EXPECT_EQ(made.model.free_index, expected);
}

TEST(JointTree, a_four_bar_hangs_on_both_ends_and_its_coupler_closes_the_loop) {
  JointedModel made;
  for (int i = 0; i < 3; ++i) made.add_body(unit_mass());
  made.add_joint(JointKind::revolute, -1, 0, {}, {});
  made.add_joint(JointKind::revolute, 0, 1, {}, {});
  made.add_joint(JointKind::revolute, 1, 2, {}, {});
  made.add_joint(JointKind::revolute, 2, -1, {}, {});  // the world as b
  made.finish();
  EXPECT_EQ(made.model.tree_joint, (std::vector<int>{0, 1, 3}));
  EXPECT_TRUE(is_loop_joint(made.model, 2));
  EXPECT_FALSE(is_loop_joint(made.model, 3));
  EXPECT_TRUE(hangs_as_a(made.model, 2));
  EXPECT_EQ(parent_body(made.model, 2), -1);
  EXPECT_EQ(made.model.rate_index, (std::vector<int>{0, 1, -1, 2}));
  EXPECT_EQ(made.model.free_count, 3);
  EXPECT_TRUE(std::all_of(made.model.free_index.begin(), made.model.free_index.end(),
                          [](int unknown) { return unknown < 0; }));
}

TEST(JointTree, driven_bodies_are_roots_and_a_joint_between_two_closes_a_loop) {
  JointedModel made;
  for (int i = 0; i < 3; ++i) made.add_body(unit_mass());
  made.model.bodies[0].drives[2].prescribed = true;
  made.model.bodies[2].drives[0].prescribed = true;
  made.add_joint(JointKind::ball, 1, 0, {}, {});
  made.add_joint(JointKind::ball, 1, 2, {}, {});
  made.add_joint(JointKind::ball, 0, 2, {}, {});
  made.finish();
  EXPECT_EQ(made.model.tree_joint, (std::vector<int>{-1, 0, -1}));
  EXPECT_TRUE(is_loop_joint(made.model, 1));
  EXPECT_TRUE(is_loop_joint(made.model, 2));
  EXPECT_EQ(made.model.free_count, 5 + 3 + 5);
  EXPECT_EQ(made.model.rate_index[0], 5);  // after the free entries of its root
}

TEST(JointTree, a_floating_tree_hangs_on_the_body_that_is_second_nowhere) {
  JointedModel made;
  for (int i = 0; i < 4; ++i) made.add_body(unit_mass());
  made.add_joint(JointKind::revolute, 2, 0, {}, {});
  made.add_joint(JointKind::universal, 2, 1, {}, {});
  made.add_joint(JointKind::fixed, 1, 3, {}, {});
  made.finish();
  EXPECT_EQ(made.model.tree_joint, (std::vector<int>{0, 1, -1, 2}));
  EXPECT_EQ(made.model.free_count, 6 + 1 + 2);
  EXPECT_EQ(made.model.free_index[12], 0);
}

TEST(JointTree, a_ring_of_free_bodies_hangs_on_its_first) {
  JointedModel made;
  for (int i = 0; i < 5; ++i) made.add_body(unit_mass());
  for (int i = 0; i < 5; ++i) made.add_joint(JointKind::revolute, i, (i + 1) % 5, {}, {});
  made.finish();
  EXPECT_EQ(made.model.tree_joint[0], -1);
  int loops = 0;
  for (int j = 0; j < 5; ++j) loops += is_loop_joint(made.model, j) ? 1 : 0;
  EXPECT_EQ(loops, 1);
  EXPECT_EQ(made.model.free_count, 6 + 4);
}

TEST(JointTree, a_body_that_moves_in_a_plane_of_space_is_a_root) {
  JointedModel made;
  made.add_body(unit_mass(), Freedom::planar);
  made.add_joint(JointKind::revolute, -1, 0, {}, {});
  made.finish();
  EXPECT_EQ(made.model.tree_joint[0], -1);
  EXPECT_TRUE(is_loop_joint(made.model, 0));
  EXPECT_EQ(made.model.free_count, 3);
}

// Every unknown has one number; those of a tree follow each other, parents first.
TEST(JointTree, unknowns_of_random_forests_are_numbered_once_and_from_the_roots) {
  Dice dice(11);
  for (int trial = 0; trial < 300; ++trial) {
    const Base base = static_cast<Base>(dice.below(4));
    JointedModel made = random_tree(dice, 1 + dice.below(12), base, World::spatial, false);
    Model& model = made.model;
    std::vector<int> seen;
    for (const int unknown : model.free_index)
      if (unknown >= 0) seen.push_back(unknown);
    for (const int unknown : model.rate_index)
      if (unknown >= 0) seen.push_back(unknown);
    std::sort(seen.begin(), seen.end());
    std::vector<int> all(static_cast<std::size_t>(model.free_count));
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(seen, all);
    std::vector<bool> placed(model.bodies.size(), false);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) placed[b] = model.tree_joint[b] < 0;
    for (const int body : model.tree_order) {
      const int parent = parent_body(model, body);
      EXPECT_TRUE(parent < 0 || placed[static_cast<std::size_t>(parent)]);
      placed[static_cast<std::size_t>(body)] = true;
    }
    EXPECT_TRUE(std::all_of(placed.begin(), placed.end(), [](bool is) { return is; }));
    TreeMatrix matrix;
    matrix.reset(model);
    for (int i = 0; i < matrix.size(); ++i) EXPECT_LT(matrix.parent(i), i);
  }
}

}  // namespace
}  // namespace vinci::test
