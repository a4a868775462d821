// SPDX-License-Identifier: Apache-2.0
// Answers of steps without inertia whose freedom is known by hand: a particle in the plane, its
// velocity (u₁, u₂).
#include "vinci/proofs/uniqueness.h"

#include <gtest/gtest.h>

#include "tests/support/statics.h"
#include "vinci/complementarity/residual.h"

namespace vinci {
namespace {

using namespace test;

// The test of an answer that the judge accepts.
FreeDirections free_directions_of(const ComplementarityProblem& problem, const Solution& solution,
                                  const MatrixX& inertia = MatrixX::Identity(2, 2)) {
  EXPECT_LE(residual(problem, solution).relative, 1e-14);
  std::vector<FrictionSet> sets;
  find_friction_sets(problem, sets);
  return UniquenessTest()(problem, sets, SparseRows::from_dense(inertia), solution);
}

// On a floor below, N = 3 N, and nothing beside.
TEST(Uniqueness, a_smooth_floor_leaves_the_motion_along_it_free) {
  const auto problem =
      statics(Eigen::RowVector2d(0, 1), numbers({0, -3}), numbers({0}), {touching(0)});
  for (const double speed : {0.0, 0.7}) {
    const FreeDirections motion = free_directions_of(problem, {numbers({speed, 0}), numbers({3})});
    EXPECT_EQ(motion.count, 1);
    EXPECT_EQ(motion.unknown, 0);
  }
}

TEST(Uniqueness, a_particle_pressed_into_a_corner_of_two_smooth_walls_is_held) {
  const auto problem = statics(MatrixX::Identity(2, 2), numbers({-2, -3}), numbers({0, 0}),
                               {touching(0), touching(1)});
  EXPECT_EQ(free_directions_of(problem, {numbers({0, 0}), numbers({2, 3})}).count, 0);
}

TEST(Uniqueness, a_wall_that_carries_nothing_lets_the_particle_leave) {
  const auto problem = statics(MatrixX::Identity(2, 2), numbers({0, -3}), numbers({0, 0}),
                               {touching(0), touching(1)});
  const FreeDirections motion = free_directions_of(problem, {numbers({0, 0}), numbers({0, 3})});
  EXPECT_EQ(motion.count, 1);
  EXPECT_EQ(motion.unknown, 0);
}

// Walls on both sides, neither loaded: each forbids what the other allows.
TEST(Uniqueness, two_walls_that_carry_nothing_hold_a_particle_between_them) {
  const MatrixX J = (MatrixX(3, 2) << 0, 1, 1, 0, -1, 0).finished();
  const auto problem =
      statics(J, numbers({0, -3}), numbers({0, 0, 0}), {touching(0), touching(1), touching(2)});
  EXPECT_EQ(free_directions_of(problem, {numbers({0, 0}), numbers({3, 0, 0})}).count, 0);
  auto wider = problem;
  wider.b[2] = 0.1;  // the second one is out of reach
  EXPECT_EQ(free_directions_of(wider, {numbers({0, 0}), numbers({3, 0, 0})}).count, 1);
}

// μ N = 1.5 N.
TEST(Uniqueness, friction_holds_below_its_limit_and_lets_go_at_it) {
  const MatrixX J = (MatrixX(2, 2) << 0, 1, 1, 0).finished();
  for (const double push : {0.0, 0.3, 1.49}) {
    const auto problem = statics(J, numbers({push, -3}), numbers({0, 0}), {rubbing(0, 2, 0.5)});
    EXPECT_EQ(free_directions_of(problem, {numbers({0, 0}), numbers({3, -push})}).count, 0) << push;
  }
  const auto problem = statics(J, numbers({1.5, -3}), numbers({0, 0}), {rubbing(0, 2, 0.5)});
  for (const double speed : {0.0, 0.2}) {
    const FreeDirections motion =
        free_directions_of(problem, {numbers({speed, 0}), numbers({3, -1.5})});
    EXPECT_EQ(motion.count, 1) << speed;
    EXPECT_EQ(motion.unknown, 0);
  }
}

// At the limit it may go with the force, not against it, where a wall stands in front.
TEST(Uniqueness, at_the_limit_only_the_way_of_the_force_is_free) {
  const MatrixX J = (MatrixX(3, 2) << 0, 1, 1, 0, -1, 0).finished();
  const auto blocked =
      statics(J, numbers({1.5, -3}), numbers({0, 0, 0}), {rubbing(0, 2, 0.5), touching(2)});
  EXPECT_EQ(free_directions_of(blocked, {numbers({0, 0}), numbers({3, -1.5, 0})}).count, 0);
  MatrixX behind = J;
  behind(2, 0) = 1.0;
  const auto open =
      statics(behind, numbers({1.5, -3}), numbers({0, 0, 0}), {rubbing(0, 2, 0.5), touching(2)});
  EXPECT_EQ(free_directions_of(open, {numbers({0, 0}), numbers({3, -1.5, 0})}).count, 1);
}

// Lying on a table with R = 5 N, the force (3, 4) N is at the limit: free along itself alone.
TEST(Uniqueness, on_a_table_the_motion_along_the_force_is_free_at_the_limit) {
  const auto problem =
      statics(MatrixX::Identity(2, 2), numbers({3, 4}), numbers({0, 0}), {lying(0, 2, 5.0)});
  for (const double speed : {0.0, 0.1}) {
    const Solution solution{speed * numbers({3, 4}), numbers({-3, -4})};
    EXPECT_EQ(free_directions_of(problem, solution).count, 1) << speed;
    EXPECT_EQ(free_directions_of(problem, solution).unknown, 1);
  }
  auto rougher = problem;
  rougher.blocks[0].upper = 5.01;
  EXPECT_EQ(free_directions_of(rougher, {numbers({0, 0}), numbers({-3, -4})}).count, 0);
}

TEST(Uniqueness, viscosity_resists_every_motion_that_it_acts_on) {
  // 0 = D u − f with D = diag(2, 0).
  auto problem = statics(Eigen::RowVector2d(0, 1), numbers({1, -3}), numbers({0}), {touching(0)});
  problem.M = SparseRows::from_dense((MatrixX(2, 2) << 2, 0, 0, 0).finished());
  EXPECT_EQ(free_directions_of(problem, {numbers({0.5, 0}), numbers({3})}).count, 0);
}

// The pyramid's directions ±x: rows normal, +x, −x, σ.
TEST(Uniqueness, directions_hold_as_the_disk_does) {
  const MatrixX J = (MatrixX(4, 2) << 0, 1, 1, 0, -1, 0, 0, 0).finished();
  const MatrixX C =
      (MatrixX(4, 4) << 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, -1, -1, 0).finished();
  for (const auto& [push, count] : {std::pair{0.3, 0}, {1.49, 0}, {1.5, 1}}) {
    auto problem = statics(J, numbers({push, -3}), VectorX::Zero(4),
                           {touching(0), touching(1), touching(2), touching(3)});
    problem.C = SparseRows::from_dense(C);
    const Solution solution{numbers({0, 0}), numbers({3, 0, push, 0})};
    EXPECT_EQ(free_directions_of(problem, solution).count, count) << push;
  }
}

TEST(Uniqueness, does_not_depend_on_the_units) {
  const MatrixX J = (MatrixX(2, 2) << 0, 1, 1, 0).finished();
  for (const double force : {1e-9, 1e9})
    for (const double mass : {1e-6, 1e6}) {
      const MatrixX inertia = mass * MatrixX::Identity(2, 2);
      for (const auto& [push, count] : {std::pair{1.0, 0}, {1.5, 1}}) {
        const auto problem =
            statics(J, force * numbers({push, -3}), numbers({0, 0}), {rubbing(0, 2, 0.5)});
        const Solution solution{numbers({0, 0}), force * numbers({3, -push})};
        EXPECT_EQ(free_directions_of(problem, solution, inertia).count, count);
      }
    }
}

TEST(Uniqueness, nothing_that_moves_is_unique) {
  const auto problem = statics(MatrixX(0, 0), VectorX(0), VectorX(0), {});
  EXPECT_EQ(free_directions_of(problem, {VectorX(0), VectorX(0)}, MatrixX(0, 0)).count, 0);
}

}  // namespace
}  // namespace vinci
