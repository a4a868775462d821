// SPDX-License-Identifier: Apache-2.0
// Friction below the bound has one motion: closed forms of the bound, and enumeration and plain
// trial of every combination as the second routes.
#include "vinci/proofs/friction_bound.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/support/contact_examples.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/enumeration.h"
#include "vinci/proofs/all_solutions.h"
#include "vinci/proofs/local_uniqueness.h"
#include "vinci/solvers/auto_solver.h"
#include "vinci/splitting/gauss_seidel.h"

namespace vinci {
namespace {

Solution solved(const ComplementarityProblem& problem) {
  Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
  AutoSolver solver;
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::solved);
  return solution;
}

// A unit mass with the given rows, planar: (x, y, angle).
ComplementarityProblem planar(const MatrixX& J, const VectorX& p, double inertia, double friction) {
  ComplementarityProblem problem;
  MatrixX M = MatrixX::Identity(3, 3);
  M(2, 2) = inertia;
  problem.M = SparseRows::from_dense(M);
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(MatrixX::Zero(J.rows(), J.rows()));
  problem.p = p;
  problem.b = VectorX::Zero(J.rows());
  for (int row = 0; row < J.rows(); row += 2)
    problem.blocks.push_back({.law = Law::coulomb, .offset = row, .size = 2, .friction = friction});
  return problem;
}

// Square of side 2 on the floor: S⁻¹ and W_tt by hand. The loads of the corners have the dual
// vectors (∓1, 1, ±k)/2, k² = 2/3, in units of equal energy; both tangent rows are (1, 0, 1/k).
MatrixX square_rows() {
  MatrixX J(4, 3);
  J << 0, 1, 1, 1, 0, 1, 0, 1, -1, 1, 0, 1;
  return J;
}

TEST(FrictionBound, of_a_sliding_square_is_that_of_its_closed_form) {
  // S⁻¹ = [2/3 −1/6; −1/6 2/3] has the eigenvalues 5/6 and 1/2, W_tt = 5/2 [1 1; 1 1] has 5:
  // √(a b)/2 = μ √(25/6)/2.
  const double limit = 2.0 / std::sqrt(25.0 / 6.0);
  FrictionBound bound;
  for (const double share : {0.5, 0.999, 1.001}) {
    const ComplementarityProblem problem =
        planar(square_rows(), Vector3(5.0, -0.1, 0.0), 2.0 / 3.0, share * limit);
    EXPECT_EQ(bound.proves(problem, solved(problem)), share < 1.0) << share;
    if (share < 0.9) continue;  // a coarser one does
    EXPECT_NEAR(bound.ratio(), share, 1e-9);
  }
}

TEST(FrictionBound, a_square_at_rest_has_one_motion_whatever_the_friction) {
  const ComplementarityProblem problem =
      planar(square_rows(), Vector3(0.0, -0.1, 0.0), 2.0 / 3.0, 50.0);
  EXPECT_TRUE(FrictionBound().proves(problem, solved(problem)));
  EXPECT_EQ(all_solutions(problem).solutions.size(), 1u);
}

TEST(FrictionBound, counts_the_friction_that_is_needed_and_not_what_there_is) {
  // The square is pushed and sticks: μ beyond any bound, of which it needs a tenth.
  const ComplementarityProblem problem =
      planar(square_rows(), Vector3(0.01, -0.1, 0.0), 2.0 / 3.0, 50.0);
  EXPECT_TRUE(FrictionBound().proves(problem, solved(problem)));
  EXPECT_EQ(all_solutions(problem).solutions.size(), 1u);
}

// A unit mass on points of a plane below its centre: (v, ω) in space, gravity included in p.
ComplementarityProblem patch(const std::vector<Vector2>& points, double height, double friction,
                             const Vector6& p) {
  ComplementarityProblem problem;
  MatrixX M = MatrixX::Identity(6, 6);
  M.diagonal().tail<3>() << 0.4, 0.5, 0.7;
  const auto rows = static_cast<Eigen::Index>(3 * points.size());
  MatrixX J = MatrixX::Zero(rows, 6);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vector3 arm(points[i].x(), points[i].y(), -height);
    const Vector3 axes[] = {Vector3::UnitZ(), Vector3::UnitX(), Vector3::UnitY()};
    for (int k = 0; k < 3; ++k)
      J.row(static_cast<Eigen::Index>(3 * i) + k) << axes[k].transpose(),
          arm.cross(axes[k]).transpose();
    problem.blocks.push_back(
        {.law = Law::coulomb, .offset = static_cast<int>(3 * i), .size = 3, .friction = friction});
  }
  problem.M = SparseRows::from_dense(M);
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(MatrixX::Zero(rows, rows));
  problem.p = p;
  problem.b = VectorX::Zero(rows);
  return problem;
}

const std::vector<Vector2> corners = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

// Solves from random points: how far velocities and loads are apart from an answer.
struct Spread {
  double motions = 0.0, loads = 0.0;
};
Spread spread(const ComplementarityProblem& problem, const Solution& answer) {
  std::mt19937_64 random(21);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  GaussSeidelSolver sweeps;
  Spread found;
  for (int start = 0; start < 40; ++start) {
    Solution other = answer;
    for (double& x : other.lambda) x = 0.2 * unit(random);
    if (sweeps.solve(problem, other).status != SolveStatus::solved) continue;
    found.motions = std::max(found.motions, (other.u - answer.u).cwiseAbs().maxCoeff());
    found.loads = std::max(found.loads, (other.lambda - answer.lambda).cwiseAbs().maxCoeff());
  }
  return found;
}

TEST(FrictionBound, a_box_that_slides_straight_has_one_motion_although_its_loads_are_open) {
  Vector6 p;
  p << 2.0, 1.0, -0.1, 0.0, 0.0, 0.0;
  const ComplementarityProblem problem = patch(corners, 0.3, 0.3, p);
  const Solution answer = solved(problem);
  EXPECT_TRUE(FrictionBound().proves(problem, answer));
  const Spread found = spread(problem, answer);
  EXPECT_LT(found.motions, 1e-7);
  EXPECT_GT(found.loads, 1e-3);
}

TEST(FrictionBound, does_not_prove_a_box_that_turns_as_it_slides) {
  Vector6 p;
  p << 0.5, 0.0, -0.1, 0.0, 0.0, 0.3;
  const ComplementarityProblem problem = patch(corners, 0.3, 0.3, p);
  const Solution answer = solved(problem);
  EXPECT_FALSE(FrictionBound().proves(problem, answer));
  EXPECT_GT(spread(problem, answer).motions, 1e-4) << "its loads decide";
}

TEST(FrictionBound, a_box_that_sticks_on_a_slope_has_one_motion) {
  Vector6 p;
  p << 0.02, 0.01, -0.1, 0.0, 0.0, 0.0;
  const ComplementarityProblem problem = patch(corners, 0.3, 1.5, p);
  const Solution answer = solved(problem);
  EXPECT_TRUE(FrictionBound().proves(problem, answer));
  EXPECT_LT(answer.u.cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(spread(problem, answer).motions, 1e-7);
}

// Bodies on four to six feet that stand, slide and turn, with friction up to large: wherever the
// bound speaks, no start leads elsewhere.
TEST(FrictionBound, no_second_motion_below_it_where_loads_are_open) {
  std::mt19937_64 random(16);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int proved = 0, several = 0;
  for (int trial = 0; trial < 80; ++trial) {
    std::vector<Vector2> points = corners;
    for (Vector2& point : points)
      if (trial % 3 == 1) point += 0.3 * Vector2(unit(random), unit(random));
    for (int more = 0; more < trial % 3; ++more) points.emplace_back(unit(random), unit(random));
    Vector6 p;
    p << unit(random), unit(random), -0.1, 0.0, 0.0, trial % 2 == 0 ? 0.0 : unit(random);
    if (trial % 4 == 0) p.head<2>() *= 0.05;
    const double friction = 0.05 + (trial % 5 < 3 ? 0.4 : 1.5) * std::abs(unit(random));
    const ComplementarityProblem problem =
        patch(points, 0.1 + 0.5 * std::abs(unit(random)), friction, p);
    Solution answer{VectorX::Zero(6), VectorX::Zero(problem.rows())};
    if (AutoSolver().solve(problem, answer).status != SolveStatus::solved) continue;
    const double motions = spread(problem, answer).motions;
    several += motions > 1e-5;
    if (!FrictionBound().proves(problem, answer)) continue;
    ++proved;
    EXPECT_LT(motions, 1e-7) << trial;
  }
  EXPECT_GE(proved, 10);  // neither is empty
  EXPECT_GE(several, 10);
}

TEST(FrictionBound, monotone_laws_have_one_motion) {
  std::mt19937_64 random(5);
  FrictionBound bound;
  for (int trial = 0; trial < 20; ++trial) {
    const ComplementarityProblem pile = scenes::random_pile(random, 3, 8, 2, Law::second_order);
    EXPECT_TRUE(bound.proves(pile, solved(pile))) << trial;
  }
  const ComplementarityProblem motor = scenes::motor_and_support();
  EXPECT_TRUE(bound.proves(motor, solved(motor)));
}

TEST(FrictionBound, says_nothing_of_a_singular_or_indefinite_mass) {
  ComplementarityProblem problem = planar(square_rows(), Vector3(0.0, -0.1, 0.0), 2.0 / 3.0, 0.5);
  const Solution solution = solved(problem);
  EXPECT_TRUE(FrictionBound().proves(problem, solution));
  problem.M.values[2] = 0.0;
  EXPECT_FALSE(FrictionBound().proves(problem, solution));
  problem.M.values[2] = -1.0;
  EXPECT_FALSE(FrictionBound().proves(problem, solution));
}

TEST(FrictionBound, does_not_prove_painleves_rod) {
  // A rod at 60°, the lower end sliding: W_nn = 1 + 12 cos²/4 = 1.75, W_nt = 1.299 for length 1.
  MatrixX J(2, 3);
  J << 0, 1, -0.25, 1, 0, 0.5 * std::sin(M_PI / 3.0);
  ComplementarityProblem problem = planar(J, Vector3(-1.0, 0.1, 0.0), 1.0 / 12.0, 2.0);
  FrictionBound bound;
  int several = 0;
  for (const double q : {-0.05, 0.01, 0.05, 0.2}) {
    problem.p[1] = q;
    const AllSolutions all = all_solutions(problem);
    several += all.solutions.size() > 1;
    if (all.solutions.size() < 2) continue;
    for (const FoundSolution& one : all.solutions)
      EXPECT_FALSE(bound.proves(problem, one.solution)) << q;
  }
  EXPECT_GE(several, 1);
}

// The claim itself, on problems with large friction: where the bound proves one motion from any of
// the solutions, there is no other. The second route is the enumeration, which knows no bound.
struct Tally {
  int problems = 0, proved = 0, several = 0;
};

void compare(const ComplementarityProblem& problem, Tally& tally) {
  const AllSolutions all = all_solutions(problem, {.seconds = 1e9});
  ++tally.problems;
  double apart = 0.0;
  for (const FoundSolution& one : all.solutions)
    for (const FoundSolution& other : all.solutions)
      apart = std::max(apart, (one.solution.u - other.solution.u).cwiseAbs().maxCoeff());
  tally.several += apart > 1e-6;
  FrictionBound bound;
  for (const FoundSolution& one : all.solutions) {
    if (!bound.proves(problem, one.solution)) continue;
    ++tally.proved;
    EXPECT_LT(apart, 1e-6) << "problem " << tally.problems << ", ratio " << bound.ratio();
    if (one.dimension > 0) {
      const OpenDirections open = LocalUniqueness()(problem, one.solution);
      EXPECT_EQ(open.motions, 0) << "problem " << tally.problems;
    }
  }
}

TEST(FrictionBound, no_second_motion_below_it_in_planar_problems_with_large_friction) {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> friction(0.05, 4.0);
  Tally tally;
  for (int trial = 0; trial < 600; ++trial) {
    const RandomContacts what{.bodies = 1 + trial % 2,
                              .contacts = 1 + trial % 3,
                              .directions = 0,
                              .friction = friction(random) * (trial % 5 == 0 ? 0.2 : 1.0),
                              .mass_ratio = trial % 4 == 0 ? 100.0 : 1.0,
                              .largest_gap = trial % 2 == 0 ? 0.5 : 0.0,
                              .copies = trial % 7 == 0 ? 2 : 1};
    compare(random_contacts(what, random), tally);
  }
  EXPECT_GE(tally.proved, 100);
  EXPECT_GE(tally.several, 10);
}

TEST(FrictionBound, no_second_motion_below_it_under_pyramids) {
  std::mt19937_64 random(14);
  std::uniform_real_distribution<double> friction(0.05, 3.0);
  Tally tally;
  for (int trial = 0; trial < 150; ++trial) {
    const RandomContacts what{.bodies = 1,
                              .contacts = 1 + trial % 2,
                              .directions = trial % 3 == 0 ? 2 : 4,
                              .friction = friction(random) * (trial % 2 == 0 ? 0.2 : 1.0),
                              .largest_gap = 0.3};
    compare(random_contacts(what, random), tally);
  }
  EXPECT_GE(tally.proved, 30);
}

TEST(FrictionBound, no_second_motion_below_it_from_any_start_in_space) {
  std::mt19937_64 random(15);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  GaussSeidelSolver sweeps;
  FrictionBound bound;
  int proved = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const ComplementarityProblem problem = scenes::random_pile(random, 3, 3, 1);
    const Solution answer = solved(problem);
    if (!bound.proves(problem, answer)) continue;
    ++proved;
    for (int start = 0; start < 5; ++start) {
      Solution other = answer;
      for (double& x : other.lambda) x = 5.0 * unit(random);
      if (sweeps.solve(problem, other).status != SolveStatus::solved) continue;
      EXPECT_LT((other.u - answer.u).cwiseAbs().maxCoeff(), 1e-7) << trial;
    }
  }
  EXPECT_GE(proved, 10);
}

}  // namespace
}  // namespace vinci
