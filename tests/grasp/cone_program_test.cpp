// SPDX-License-Identifier: Apache-2.0
// Programs over cones with known answers, and the growing hull beside qhull's.
#include "vinci/grasp/cone_program.h"

#include <random>

#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/geometry/point_hull.h"
#include "vinci/grasp/growing_hull.h"

namespace vinci::test {
namespace {

TEST(ConeProgram, the_point_of_a_ball_that_lies_farthest_along_a_direction) {
  ConeProgram program(3);
  program.cost << -3.0, 0.0, -4.0;
  MatrixX factor = MatrixX::Zero(4, 3);
  factor.bottomRows(3).setIdentity();
  program.add_cone(factor, VectorX::Unit(4, 0) * 2.0);
  const ConeSolution solution = solve(program);
  EXPECT_LT(measure(program, solution).worst(), 1e-14);
  EXPECT_NEAR((solution.x - Vector3(1.2, 0.0, 1.6)).norm(), 0.0, 1e-13);
}

TEST(ConeProgram, projection_onto_a_plane_within_the_positive_orthant) {
  ConeProgram program(2);  // least ½|x|² − (−1, 3)·x on x + y = 1, x, y >= 0
  program.curvature.setOnes();
  program.cost << 1.0, -3.0;
  program.add_equality(VectorX::Ones(2), 1.0);
  program.add_at_least(VectorX::Unit(2, 0), 0.0);
  program.add_at_least(VectorX::Unit(2, 1), 0.0);
  const ConeSolution solution = solve(program);
  EXPECT_NEAR(solution.x[0], 0.0, 1e-13);
  EXPECT_NEAR(solution.x[1], 1.0, 1e-13);
}

// Made from an answer: s and z on opposite sides of each cone, b, c and g such that all rows hold.
TEST(ConeProgram, random_programs_are_solved_to_rounding_and_both_sides_meet) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const auto vector = [&](int n) {
    VectorX v(n);
    for (double& x : v) x = normal(random);
    return v;
  };
  for (int round = 0; round < 300; ++round) {
    const int n = 4 + round % 12, cones = 2 + round % 5, equalities = round % 4;
    ConeProgram program(n);
    VectorX x = vector(n);
    if (round % 2) program.curvature = vector(n).cwiseAbs();
    VectorX stationarity = program.curvature.cwiseProduct(x);
    for (int i = 0; i < equalities; ++i) {
      const VectorX row = vector(n);
      program.add_equality(row, row.dot(x));
      stationarity += normal(random) * row;
    }
    for (int k = 0; k < cones + n; ++k) {
      const int size = 1 + k % 4;
      MatrixX factor(size, n);
      for (int i = 0; i < size; ++i) factor.row(i) = vector(n);
      VectorX s = vector(size), z = VectorX::Zero(size);
      s[0] = s.tail(size - 1).norm();
      if (k % 3 == 0) {  // both on the boundary, opposite
        z = 0.7 * s;
        z.tail(size - 1) *= -1.0;
        if (size == 1) z[0] = 1.0;
      } else if (k % 3 == 1) {  // at the apex
        s.setZero();
        z = vector(size);
        z[0] = 1.0 + z.tail(size - 1).norm();
      } else {
        s[0] += 1.0;
      }
      program.add_cone(factor, s - factor * x);
      stationarity -= factor.transpose() * z;
    }
    program.cost = -stationarity;
    const double value = 0.5 * x.dot(program.curvature.cwiseProduct(x)) + program.cost.dot(x);
    const ConeSolution solution = solve(program);
    const ConeResidual residual = measure(program, solution);
    EXPECT_LT(residual.worst(), 1e-10) << round;
    EXPECT_NEAR(residual.value, value, 1e-8 * (1.0 + std::abs(value))) << round;
    EXPECT_LT(solution.iterations, 60);
  }
}

TEST(ConeProgram, measure_sees_an_answer_that_is_none) {
  ConeProgram program(1);
  program.cost << 1.0;
  program.add_at_least(VectorX::Ones(1), 2.0);  // x >= 2
  ConeSolution wrong{VectorX::Constant(1, 1.5), VectorX(), VectorX::Ones(1)};
  EXPECT_NEAR(measure(program, wrong).primal, 0.5, 1e-15);
  wrong.x << 3.0;
  EXPECT_NEAR(measure(program, wrong).gap, 1.0, 1e-15);
  wrong.z << 0.5;
  EXPECT_NEAR(measure(program, wrong).dual, 0.5, 1e-15);
}

TEST(PointHull, cubes_and_simplices_have_their_volumes_and_flat_points_no_facet) {
  for (int d = 2; d <= 6; ++d) {
    MatrixX cube(d, 1 << d);
    for (int i = 0; i < cube.cols(); ++i)
      for (int k = 0; k < d; ++k) cube(k, i) = i >> k & 1 ? 2.0 : -1.0;
    const PointHull hull = point_hull(cube);
    EXPECT_NEAR(hull.volume, std::pow(3.0, d), 1e-11 * std::pow(3.0, d));
    double least = infinity;
    for (const double offset : hull.offsets) least = std::min(least, offset);
    EXPECT_NEAR(least, 1.0, 1e-12);
    MatrixX simplex = MatrixX::Zero(d, d + 1);
    simplex.rightCols(d).setIdentity();
    double factorial = 1.0;
    for (int k = 2; k <= d; ++k) factorial *= k;
    EXPECT_NEAR(point_hull(simplex).volume, 1.0 / factorial, 1e-13);
    cube.row(0).setConstant(0.3);
    EXPECT_TRUE(point_hull(cube).offsets.empty());
    EXPECT_TRUE(point_hull(simplex.leftCols(d)).offsets.empty());
  }
  MatrixX bad = MatrixX::Identity(3, 5);
  bad(1, 1) = std::nan("");
  EXPECT_THROW(point_hull(bad), Error);
  EXPECT_THROW(point_hull(MatrixX::Identity(9, 12)), Error);
}

TEST(GrowingHull, its_nearest_facet_is_that_of_qhull) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  for (int d = 3; d <= 6; ++d)
    for (int round = 0; round < 10; ++round) {
      MatrixX points(d, 10 + 4 * d);
      for (double& x : points.reshaped()) x = normal(random);
      const PointHull whole = point_hull(points);
      double radius = infinity;
      for (const double offset : whole.offsets) radius = std::min(radius, offset);
      if (radius < 0.05) continue;
      GrowingHull hull(d, 0.9 * radius);
      for (;;) {
        const int facet = hull.nearest();
        const VectorX z = hull.plane(facet);
        int farthest = 0;
        (points.transpose() * z).maxCoeff(&farthest);
        if (!hull.add(points.col(farthest), facet)) break;
      }
      // Points are drawn in by up to a millionth.
      const double found = 1.0 / hull.plane(hull.nearest()).norm();
      EXPECT_LE(found, radius * (1.0 + 1e-12));
      EXPECT_GT(found, radius * (1.0 - 1e-4));
    }
}

}  // namespace
}  // namespace vinci::test
