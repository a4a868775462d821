// SPDX-License-Identifier: Apache-2.0
// What the frame of a solve does around a method: guess, refusal, best answer, verdict.
#include "vinci/complementarity/solve_frame.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace vinci {
namespace {

// w = λ − 1 under 0 <= λ ⟂ w >= 0, with a unit mass: the solution is λ = 1, u = 0.
ComplementarityProblem one_contact() {
  ComplementarityProblem problem;
  problem.M = problem.J = SparseRows::from_dense(MatrixX::Ones(1, 1));
  problem.C.reset(1);
  problem.C.end_row();
  problem.p = -VectorX::Ones(1);
  problem.b = VectorX::Zero(1);
  problem.blocks = {{.law = Law::nonnegative}};
  return problem;
}

// A method whose answers are given.
class Scripted final : public SolveFrame {
 public:
  explicit Scripted(const Accuracy& accuracy = {}) : SolveFrame("scripted", accuracy) {}

  std::vector<double> answers;
  Ending ending_of_run;
  const char* reason = nullptr;
  std::string words;
  VectorX guess;

 private:
  std::string refusal(const ComplementarityProblem&) const override { return words; }
  const char* prepare(const ComplementarityProblem&) override { return reason; }
  Ending run(const ComplementarityProblem& problem, Solution& solution) override {
    guess = solution.lambda;
    for (const double answer : answers) {
      ++iterations_;
      solution.lambda.setConstant(answer);
      const Residual residual = judge_.measure(problem, solution);
      offer(solution.lambda, residual, iterations_ % 2 == 0 ? &judge_.u() : nullptr);
    }
    return ending_of_run;
  }
};

TEST(SolveFrame, the_best_answer_is_returned_with_the_velocities_that_follow_from_it) {
  for (const std::vector<double>& answers :
       {std::vector<double>{0.5, 0.9, 0.2}, {0.9, 0.5}, {0.2, 0.9}}) {
    Scripted method;
    method.answers = answers;
    Solution solution;
    const SolveReport report = method.solve(one_contact(), solution);
    EXPECT_EQ(solution.lambda[0], 0.9);
    EXPECT_NEAR(solution.u[0], -0.1, 1e-15);
    EXPECT_NEAR(report.residual.relative, 0.1, 1e-15);
    EXPECT_EQ(report.iterations, static_cast<int>(answers.size()));
    EXPECT_STREQ(report.solver, "scripted");
  }
}

TEST(SolveFrame, the_judge_decides_what_is_solved_whatever_the_method_says) {
  for (const SolveStatus said : {SolveStatus::inaccurate, SolveStatus::limit}) {
    Scripted method;
    method.ending_of_run = {said, "as it says"};
    Solution solution;
    method.answers = {1.0};
    EXPECT_EQ(method.solve(one_contact(), solution).status, SolveStatus::solved);
    method.answers = {0.9};
    const SolveReport report = method.solve(one_contact(), solution);
    EXPECT_EQ(report.status, said);
    EXPECT_STREQ(report.note, "as it says");
    method.ask({0.2});
    EXPECT_EQ(method.solve(one_contact(), solution).status, SolveStatus::solved);
  }
}

TEST(SolveFrame, an_answer_at_the_resolution_of_doubles_is_settled_but_not_solved) {
  Scripted method(Accuracy{0.0});
  method.ending_of_run = {SolveStatus::limit, ""};
  method.answers = {1.0 + std::numeric_limits<double>::epsilon()};
  Solution solution;
  const SolveReport report = method.solve(one_contact(), solution);
  EXPECT_EQ(report.status, SolveStatus::inaccurate);
  EXPECT_STREQ(report.note, at_resolution);
}

TEST(SolveFrame, a_guess_of_no_use_is_zero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const VectorX& bad :
       {VectorX(), VectorX(VectorX::Ones(3)), VectorX(VectorX::Constant(1, nan))}) {
    Scripted method;
    Solution solution{bad, bad};
    const SolveReport report = method.solve(one_contact(), solution);
    EXPECT_EQ(method.guess, VectorX::Zero(1));
    EXPECT_NEAR(report.residual.relative, 1.0, 1e-15);  // nothing was offered: the guess is judged
    EXPECT_EQ(solution.u.size(), 1);
  }
  Scripted method;
  Solution solution{VectorX::Ones(1), VectorX::Ones(1)};
  method.solve(one_contact(), solution);
  EXPECT_EQ(method.guess, VectorX::Ones(1));
}

TEST(SolveFrame, a_refused_problem_has_its_reason_and_the_guess_as_it_was) {
  Scripted method;
  method.reason = "not today";
  Solution solution{VectorX::Zero(1), VectorX::Constant(1, 0.25)};
  const SolveReport report = method.solve(one_contact(), solution);
  EXPECT_EQ(report.status, SolveStatus::refused);
  EXPECT_STREQ(report.note, "not today");
  EXPECT_EQ(solution.lambda[0], 0.25);
  EXPECT_NEAR(report.residual.relative, 0.75, 1e-15);
}

TEST(SolveFrame, why_not_asks_for_mistakes_then_the_method_then_the_mass) {
  Scripted method;
  ComplementarityProblem problem = one_contact();
  EXPECT_EQ(method.why_not(problem), "");
  problem.M.values[0] = 0.0;
  EXPECT_NE(method.why_not(problem).find("M is singular"), std::string::npos);
  method.words = "no contacts, please";
  EXPECT_EQ(method.why_not(problem), "no contacts, please");
  problem.p[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(method.why_not(problem), problem.why_invalid());
  Solution solution;
  EXPECT_EQ(method.solve(problem, solution).status, SolveStatus::refused);
}

TEST(Accuracy, everything_follows_from_one_tolerance) {
  for (const double tolerance : {1e-14, 1e-11, 1e-8, 1e-3}) {
    const Accuracy accuracy{tolerance};
    EXPECT_DOUBLE_EQ(accuracy.acceptable(), 10.0 * tolerance);
    EXPECT_DOUBLE_EQ(accuracy.near(), 5.0 * std::min(tolerance, 1e-11));
    EXPECT_DOUBLE_EQ(accuracy.zero(), 100.0 * std::max(tolerance, 1e-11));
    Residual residual;
    residual.relative = tolerance;
    EXPECT_TRUE(accuracy.is_solved(residual) && accuracy.is_settled(residual));
    residual.rounding = 200.0 * tolerance;  // chance
    EXPECT_TRUE(!accuracy.is_solved(residual) && accuracy.is_settled(residual));
    residual.relative = 100.0 * tolerance;
    EXPECT_TRUE(accuracy.is_settled(residual));
    residual.rounding = tolerance;
    EXPECT_FALSE(accuracy.is_settled(residual));
  }
  EXPECT_EQ(Accuracy{}.tolerance, 1e-11);
}

}  // namespace
}  // namespace vinci
