// SPDX-License-Identifier: Apache-2.0
// Loads of many contacts by the central path, beside answers by hand and the judge.
#include "vinci/newton/cone_path.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/statics.h"

namespace vinci {
namespace {

using namespace test;

// As far as the shift of the path settles in every case, over |q|; velocities are right to ten
// times as much here.
constexpr double settled = 1e-6, right = 1e-5;

struct Answer {
  Solution solution;
  ConePath::Outcome outcome;
  Residual judged;
  double norm = 0.0;
};

Answer follow(const ComplementarityProblem& problem, double tolerance, const VectorX& guess = {}) {
  Judge judge;
  judge.prepare(problem);
  ScaledContacts contacts;
  EXPECT_TRUE(contacts.read(problem, judge));
  Answer answer;
  answer.norm = judge.free_norm();
  VectorX x;
  if (guess.size() > 0) contacts.load(guess, x);
  ConePath path;
  answer.outcome =
      path.run(contacts, {.target = tolerance * answer.norm, .unit = answer.norm, .steps = 60}, x);
  answer.solution = {VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
  contacts.store(x, answer.solution.lambda);
  answer.judged = judge.measure(problem, answer.solution);
  answer.solution.u = judge.u();
  return answer;
}

// A body of mass 2 and inertia 0.5 in the plane, velocities (v_x, v_y, ω), on points along it.
ComplementarityProblem body_on(const std::vector<double>& points, double friction,
                               const VectorX& velocity) {
  const auto count = static_cast<int>(points.size());
  MatrixX J = MatrixX::Zero(2 * count, 3);
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i) {
    J.row(2 * i) << 0, 1, points[static_cast<std::size_t>(i)];
    J.row(2 * i + 1) << 1, 0, 0.1;
    blocks.push_back(rubbing(2 * i, 2, friction));
  }
  const MatrixX M = numbers({2, 2, 0.5}).asDiagonal();
  ComplementarityProblem problem = statics(J, M * velocity, VectorX::Zero(2 * count), blocks);
  problem.M = SparseRows::from_dense(M);
  return problem;
}

// Two corners and equal loads: friction slows the slide by μ times what stops the fall.
TEST(ConePath, slides_with_the_friction_of_its_load) {
  const Answer answer = follow(body_on({-1.0, 1.0}, 0.3, numbers({3.0, -1.0, 0.0})), settled);
  const VectorX& lambda = answer.solution.lambda;
  EXPECT_NEAR(lambda[0] + lambda[2], 2.0, right);
  EXPECT_NEAR(lambda[1] + lambda[3], -0.6, right);
  EXPECT_NEAR(answer.solution.u[0], 3.0 - 0.3, right);
}

// Its own distance is what the judge measures, also far from an answer: closer than the hundredth
// of the tolerance that its users leave.
TEST(ConePath, measures_as_the_judge_does) {
  for (const double friction : {0.0, 0.05, 0.6, 3.0})
    for (const double tolerance : {1.0, 0.1, 1e-2, 1e-3, 1e-6}) {
      const Answer answer =
          follow(body_on({-1.0, -0.2, 0.7, 1.1}, friction, numbers({1.0, -2.0, 0.4})), tolerance);
      EXPECT_NEAR(answer.outcome.distance / answer.norm, answer.judged.relative, 1e-3 * tolerance)
          << friction;
      EXPECT_LE(answer.judged.relative, 1.001 * tolerance) << friction;
    }
}

TEST(ConePath, costs_less_where_less_is_asked) {
  const ComplementarityProblem problem =
      body_on({-1.0, -0.4, 0.3, 1.0}, 0.5, numbers({0.3, -1.0, 0.2}));
  const int rough = follow(problem, 1e-1).outcome.steps,
            usual = follow(problem, 1e-3).outcome.steps;
  EXPECT_LT(rough, usual);
  EXPECT_LT(usual, follow(problem, 1e-6).outcome.steps);
}

// Two bodies, one on the other, held together by an equality: they move as one.
TEST(ConePath, holds_equalities_beside_contacts) {
  MatrixX J(3, 2);
  J << 1, 0, -1, 1, 1, -1;
  ComplementarityProblem problem =
      statics(J, numbers({-1.0, 2.0}), VectorX::Zero(3),
              {touching(0), touching(1), {.law = Law::equality, .offset = 2}});
  problem.M = SparseRows::from_dense(numbers({1.0, 4.0}).asDiagonal());
  const Answer answer = follow(problem, settled);
  EXPECT_LE(answer.judged.relative, 1.001 * settled);
  EXPECT_NEAR(answer.solution.u[0], 0.2, right);
  EXPECT_NEAR(answer.solution.u[1], 0.2, right);
}

TEST(ConePath, goes_on_from_loads_of_before) {
  const ComplementarityProblem problem =
      body_on({-1.0, -0.4, 0.3, 1.0}, 0.5, numbers({2.0, -1.0, 0.2}));
  const Answer cold = follow(problem, 1e-6);
  const Answer warm = follow(problem, 1e-6, cold.solution.lambda);
  EXPECT_LE(warm.judged.relative, 1.001e-6);
  EXPECT_LE(warm.outcome.steps, cold.outcome.steps);
}

TEST(ScaledContacts, refuses_what_its_cones_are_not) {
  ComplementarityProblem problem = body_on({-1.0, 1.0}, 0.3, numbers({3.0, -1.0, 0.0}));
  problem.blocks[0].law = Law::second_order;
  Judge judge;
  judge.prepare(problem);
  EXPECT_FALSE(ScaledContacts().read(problem, judge));
}

}  // namespace
}  // namespace vinci
