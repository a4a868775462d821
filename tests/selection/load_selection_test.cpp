// SPDX-License-Identifier: Apache-2.0
// Loads that rigid bodies leave open are those of equal springs: answers written down by hand.
#include "vinci/selection/load_selection.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/statics.h"
#include "vinci/base/regular_polygon.h"
#include "vinci/newton/interior_point.h"
#include "vinci/pivoting/lemke.h"
#include "vinci/solvers/auto_solver.h"

namespace vinci {
namespace {

using namespace test;

// A plate of mass 1 and inertia 1 about both axes, velocities (v_z, ω_x, ω_y, v_x, v_y, ω_z), that
// falls at 1 m/s on supports at (x, y), each with or without friction.
struct Plate {
  std::vector<Vector2> supports;
  double friction = 0.0;
  int directions = 0;  // of a pyramid; 0: the cone; −4: the box around it
  VectorX velocity = numbers({-1, 0, 0, 0, 0, 0});

  ComplementarityProblem problem() const {
    std::vector<VectorX> rows;
    std::vector<Block> blocks;
    std::vector<std::array<double, 3>> entries;  // of C
    for (const Vector2& at : supports) {
      const auto first = static_cast<int>(rows.size());
      const VectorX normal = numbers({1, at.y(), -at.x(), 0, 0, 0});
      const VectorX along = numbers({0, 0, 0, 1, 0, -at.y()});
      const VectorX across = numbers({0, 0, 0, 0, 1, at.x()});
      rows.push_back(normal);
      if (friction == 0.0) {
        blocks.push_back(touching(first));
      } else if (directions == 0) {
        rows.push_back(along);
        rows.push_back(across);
        blocks.push_back(rubbing(first, 3, friction));
      } else {
        const int sides = std::abs(directions);
        for (int j = 0; j < sides; ++j) {
          const Vector2 d = corner(j);
          rows.push_back(d.x() * along + d.y() * across);
          entries.push_back({double(first + 1 + j), double(first + 1 + sides), 1.0});
          entries.push_back({double(first + 1 + sides), double(first + 1 + j), -1.0});
        }
        entries.push_back({double(first + 1 + sides), double(first), friction});
        rows.push_back(VectorX::Zero(6));
        for (int row = first; row < static_cast<int>(rows.size()); ++row)
          blocks.push_back(touching(row));
      }
    }
    const auto count = static_cast<int>(rows.size());
    MatrixX J(count, 6), C = MatrixX::Zero(count, count);
    for (int i = 0; i < count; ++i) J.row(i) = rows[static_cast<std::size_t>(i)].transpose();
    for (const auto& [row, column, value] : entries) C(int(row), int(column)) = value;
    ComplementarityProblem result = statics(J, velocity, VectorX::Zero(count), blocks);
    result.M = SparseRows::from_dense(MatrixX::Identity(6, 6));
    result.C = SparseRows::from_dense(C);
    return result;
  }
  int rows_of_support() const {
    return friction == 0.0 ? 1 : directions == 0 ? 3 : std::abs(directions) + 2;
  }
  Vector2 corner(int j) const {
    if (directions > 0) return polygon_corner(directions, j);
    return {j == 0 || j == 3 ? 1.0 : -1.0, j < 2 ? 1.0 : -1.0};
  }
};

// λ_i = a + b x_i + c y_i with the sums that stop the plate.
VectorX spring_loads(const std::vector<Vector2>& supports) {
  Matrix3 sums = Matrix3::Zero();
  for (const Vector2& at : supports) {
    const Vector3 shape(1.0, at.x(), at.y());
    sums += shape * shape.transpose();
  }
  const Vector3 plane = sums.ldlt().solve(Vector3(1.0, 0.0, 0.0));
  VectorX loads(static_cast<int>(supports.size()));
  for (std::size_t i = 0; i < supports.size(); ++i)
    loads[static_cast<int>(i)] = plane.dot(Vector3(1.0, supports[i].x(), supports[i].y()));
  return loads;
}

const std::vector<Vector2> uneven = {{1, 1}, {-1, 1.5}, {-1.2, -1}, {1.1, -0.9}, {0.2, 0.1}};

TEST(LoadSelection, five_supports_carry_a_plate_as_equal_springs_do) {
  const Plate plate{uneven};
  AutoSolver solver;
  Solution solution{VectorX::Zero(6), VectorX::Zero(5)};
  LoadSelection selection;
  const SolveReport report = selection.solve(plate.problem(), solver, {}, solution);
  EXPECT_EQ(report.status, SolveStatus::solved);
  EXPECT_EQ(selection.report().chosen, 1);
  const VectorX springs = spring_loads(uneven);
  ASSERT_GT(springs.minCoeff(), 0.0);
  EXPECT_LE((solution.lambda - springs).norm(), 1e-9);
  EXPECT_LE(solution.u.norm(), 1e-12);
}

// Within a tolerance of 1e-3 the springs may give way by a ten-thousandth of it.
TEST(LoadSelection, loads_within_a_loose_tolerance_are_near_those_of_springs) {
  const ComplementarityProblem problem = Plate{uneven}.problem();
  AutoSolver automatic({.tolerance = 1e-3});
  LemkeSolver pivoting;
  VectorX first;
  for (Solver* solver : {static_cast<Solver*>(&automatic), static_cast<Solver*>(&pivoting)}) {
    Solution solution{VectorX::Zero(6), VectorX::Zero(5)};
    LoadSelection selection;
    const SolveReport report = selection.solve(problem, *solver, {1e-3}, solution);
    EXPECT_EQ(report.status, SolveStatus::solved);
    EXPECT_EQ(selection.report().missed, 0);
    EXPECT_LE((solution.lambda - spring_loads(uneven)).norm(), 1e-2);
    if (first.size() == 0) first = solution.lambda;
    EXPECT_EQ(solution.lambda, first);
  }
}

TEST(LoadSelection, three_supports_leave_nothing_open) {
  const Plate plate{{{1, 0}, {-1, 1}, {-1, -1}}};
  AutoSolver solver;
  Solution solution{VectorX::Zero(6), VectorX::Zero(3)};
  LoadSelection selection;
  selection.solve(plate.problem(), solver, {}, solution);
  EXPECT_EQ(selection.report().chosen, 0);
  EXPECT_LE((solution.lambda - numbers({0.5, 0.25, 0.25})).norm(), 1e-12);
}

// A corner of the set of answers, as pivoting finds it, is not what the step gets.
TEST(LoadSelection, the_answer_does_not_depend_on_the_solver) {
  const ComplementarityProblem problem = Plate{uneven}.problem();
  LemkeSolver pivoting;
  InteriorPointSolver interior;
  Solution corner{VectorX::Zero(6), VectorX::Zero(5)};
  ASSERT_EQ(pivoting.solve(problem, corner).status, SolveStatus::solved);
  ASSERT_GT((corner.lambda - spring_loads(uneven)).norm(), 0.1);
  VectorX first;
  for (Solver* solver : {static_cast<Solver*>(&pivoting), static_cast<Solver*>(&interior)}) {
    Solution solution{VectorX::Zero(6), VectorX::Zero(5)};
    LoadSelection selection;
    selection.solve(problem, *solver, {}, solution);
    if (first.size() == 0) first = solution.lambda;
    EXPECT_EQ(solution.lambda, first);
  }
}

// The normal loads of a plate that slides and turns on four corners are open by one, and with them
// its velocities. At equal springs the loads stay a plane over the corners.
TEST(LoadSelection, a_sliding_and_turning_plate_has_one_motion) {
  const std::vector<Vector2> corners = {{1, 0.6}, {-1, 0.6}, {-1, -0.6}, {1, -0.6}};
  for (const int directions : {0, 4, 8, 64}) {
    Plate plate{corners, 0.3, directions, numbers({-1, 0.05, -0.02, 2, 0.3, 1})};
    const ComplementarityProblem problem = plate.problem();
    AutoSolver solver;
    Solution solution{VectorX::Zero(6), VectorX::Zero(problem.rows())};
    LoadSelection selection;
    const SolveReport report = selection.solve(problem, solver, {}, solution);
    EXPECT_EQ(report.status, SolveStatus::solved) << directions;
    EXPECT_EQ(selection.report().missed, 0) << directions;
    VectorX loads(4);
    for (int i = 0; i < 4; ++i) loads[i] = solution.lambda[i * plate.rows_of_support()];
    ASSERT_GT(loads.minCoeff(), 0.01);
    EXPECT_NEAR(loads[0] - loads[1] + loads[2] - loads[3], 0.0, 1e-9) << directions;
  }
}

// With all contacts stuck a pyramid has the answer of the cone.
TEST(LoadSelection, pyramids_share_loads_as_the_cone_does) {
  const VectorX fall = numbers({-1, 0.05, 0, 0.1, -0.05, 0.02});
  Plate cone{uneven, 0.8, 0, fall};
  AutoSolver solver;
  Solution round{VectorX::Zero(6), VectorX::Zero(15)};
  LoadSelection().solve(cone.problem(), solver, {}, round);
  for (const int directions : {4, 7, 16, -4}) {
    Plate pyramid{uneven, 0.8, directions, fall};
    const ComplementarityProblem problem = pyramid.problem();
    Solution solution{VectorX::Zero(6), VectorX::Zero(problem.rows())};
    LoadSelection selection;
    selection.take_boxes(directions < 0);
    selection.solve(problem, solver, {}, solution);
    EXPECT_LE((solution.u - round.u).norm(), 1e-12) << directions;
    for (int i = 0; i < 5; ++i) {
      const int first = i * pyramid.rows_of_support();
      Vector2 friction = Vector2::Zero();
      for (int j = 0; j < std::abs(directions); ++j)
        friction += solution.lambda[first + 1 + j] * pyramid.corner(j);
      EXPECT_NEAR(solution.lambda[first], round.lambda[3 * i], 1e-9) << directions;
      EXPECT_LE((friction - round.lambda.segment(3 * i + 1, 2)).norm(), 1e-9) << directions;
    }
  }
}

// W = [[1.75, −1.3], [−1.3, 3.25]], friction 2: what slides against the jamming direction has no
// answer, and what sticks has.
TEST(LoadSelection, a_jammed_rod_sticks_whatever_the_solver_says) {
  ComplementarityProblem problem;
  problem.C = SparseRows::from_dense((MatrixX(2, 2) << 1.75, -1.3, -1.3, 3.25).finished());
  problem.J.reset(0);
  problem.J.end_row();
  problem.J.end_row();
  problem.M.reset(0);
  problem.b = numbers({-0.001, -1});
  problem.blocks = {rubbing(0, 2, 2.0)};
  problem.p.resize(0);
  AutoSolver solver;
  Solution solution{VectorX(0), VectorX::Zero(2)};
  LoadSelection selection;
  const SolveReport report = selection.solve(problem, solver, {}, solution);
  EXPECT_EQ(report.status, SolveStatus::solved);
  const VectorX held = (Matrix2() << 1.75, -1.3, -1.3, 3.25).finished().ldlt().solve(-problem.b);
  EXPECT_LE((solution.lambda - held).norm(), 1e-12);
}

// The rounding of gaps is no reason to load a support more than its neighbours.
TEST(LoadSelection, supports_that_differ_by_rounding_share_as_equal_ones_do) {
  const VectorX springs = spring_loads(uneven);
  for (const double noise : {1e-15, 1e-13, 3e-12}) {
    ComplementarityProblem problem = Plate{uneven}.problem();
    for (int i = 0; i < 5; ++i) problem.b[i] += noise * ((i * 7) % 5 - 2);
    AutoSolver solver;
    Solution solution{VectorX::Zero(6), VectorX::Zero(5)};
    LoadSelection selection;
    const SolveReport report = selection.solve(problem, solver, {}, solution);
    EXPECT_EQ(report.status, SolveStatus::solved);
    EXPECT_EQ(selection.report().chosen, 1);
    EXPECT_LE((solution.lambda - springs).norm(), 100.0 * noise + 1e-13) << noise;
  }
}

// Supports a little apart, more than the judge overlooks: strictly one of them is open, and three
// of them carry what four do. Where rows are known to less, they are closed together.
TEST(LoadSelection, supports_apart_by_less_than_is_known_are_closed_together) {
  const std::vector<Vector2> corners = {{1, 0.6}, {-1, 0.6}, {-1, -0.6}, {1, -0.6}};
  ComplementarityProblem problem = Plate{corners}.problem();
  problem.b[2] += 3e-10;
  AutoSolver solver;
  Solution strict{VectorX::Zero(6), VectorX::Zero(4)}, together = strict;
  LoadSelection selection;
  const ComplementarityProblem known = problem;
  selection.solve(known, solver, {}, strict);
  EXPECT_NEAR(strict.lambda[2], 0.0, 1e-9);
  const SolveReport report = selection.solve(problem, solver, {}, together, nullptr, 1e-9);
  EXPECT_EQ(report.status, SolveStatus::solved);
  EXPECT_EQ(selection.report().chosen, 1);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(together.lambda[i], 0.25, 1e-9);
  EXPECT_LE((problem.b - known.b).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LE(Judge()(problem, together).relative, 1e-11);
}

// Of two mirror halves neither is preferred.
TEST(LoadSelection, mirror_images_have_mirrored_answers) {
  const std::vector<Vector2> corners = {{1, 0.6}, {1, -0.6}, {-1, 0.6}, {-1, -0.6}};
  Plate plate{corners, 0.4, 0, numbers({-1, 0, 0.3, 3, 0, 0})};
  const ComplementarityProblem problem = plate.problem();
  AutoSolver solver;
  Solution solution{VectorX::Zero(6), VectorX::Zero(12)};
  LoadSelection().solve(problem, solver, {}, solution);
  EXPECT_NEAR(solution.u[4], 0.0, 1e-15);
  EXPECT_NEAR(solution.u[5], 0.0, 1e-15);
  for (int i = 0; i < 12; i += 6) EXPECT_NEAR(solution.lambda[i], solution.lambda[i + 3], 1e-9);
}

}  // namespace
}  // namespace vinci
