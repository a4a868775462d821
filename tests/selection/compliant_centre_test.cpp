// SPDX-License-Identifier: Apache-2.0
// Loads of springs by the central path, beside springs solved by hand and by another solver.
#include "vinci/selection/compliant_centre.h"

#include <gtest/gtest.h>

#include "tests/support/statics.h"
#include "vinci/splitting/gauss_seidel.h"

namespace vinci {
namespace {

using namespace test;

// A beam of mass 1 and inertia 1, velocities (v_x, v_y, ω), on supports along it.
ComplementarityProblem spring_beam(const std::vector<double>& supports, double friction,
                                   const VectorX& velocity) {
  const auto count = static_cast<int>(supports.size());
  MatrixX J = MatrixX::Zero(2 * count, 3);
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i) {
    J.row(2 * i) << 0, 1, supports[static_cast<std::size_t>(i)];
    J.row(2 * i + 1) << 1, 0, 0;
    blocks.push_back(rubbing(2 * i, 2, friction));
  }
  ComplementarityProblem problem = statics(J, velocity, VectorX::Zero(2 * count), blocks);
  problem.M = SparseRows::from_dense(MatrixX::Identity(3, 3));
  return problem;
}

struct Centre {
  VectorX lambda, scales;
};

Centre centre_of(const ComplementarityProblem& problem, const CompliantCentre::Terms& terms) {
  Judge judge;
  judge.prepare(problem);
  ContactUnits units;
  EXPECT_TRUE(units.read(problem));
  Centre found;
  units.scales(judge.scales(), found.scales);
  CompliantCentre centre;
  centre.find(units.problem(), units.units(), found.scales, found.lambda, terms);
  return found;
}

// Three springs under a beam that falls: by symmetry each takes a third, and friction that sticks
// shares the speed along the beam likewise, as exactly as the tolerance is a part of the
// compliance.
TEST(CompliantCentre, has_the_loads_of_springs_under_a_beam) {
  const Centre found = centre_of(spring_beam({-1, 0, 1}, 0.9, numbers({-0.3, -1, 0})),
                                 {.compliance = 1e-6, .tolerance = 1e-9});
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.lambda[2 * i], 1.0 / 3.0, 1e-3);
    EXPECT_NEAR(found.lambda[2 * i + 1], 0.1, 1e-3);
  }
}

// Friction at its limit everywhere, springs uneven: Gauss–Seidel on the same springs.
TEST(CompliantCentre, agrees_with_sweeps_on_the_same_springs) {
  const ComplementarityProblem rigid = spring_beam({-1, 0.2, 1.3}, 0.3, numbers({2, -1, 0.4}));
  const double compliance = 1e-2;
  const Centre found = centre_of(rigid, {.compliance = compliance, .tolerance = 1e-10});
  ComplementarityProblem springs = rigid;
  springs.C = SparseRows::from_dense(compliance * found.scales.mean() * MatrixX::Identity(6, 6));
  GaussSeidelSolver sweeps({.tolerance = 1e-12, .max_iterations = 100000, .polish = false});
  Solution solution{VectorX::Zero(3), VectorX::Zero(6)};
  ASSERT_EQ(sweeps.solve(springs, solution).status, SolveStatus::solved);
  EXPECT_LE((found.lambda - solution.lambda).norm(), 1e-8);
  EXPECT_NEAR(std::abs(found.lambda[1]), 0.3 * found.lambda[0], 1e-8);
}

}  // namespace
}  // namespace vinci
