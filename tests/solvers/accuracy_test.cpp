// SPDX-License-Identifier: Apache-2.0
// The tolerance that is asked for is the one that is used: a looser one is met with less work, a
// tighter one is tried for.
#include <gtest/gtest.h>

#include "tests/support/contact_examples.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/statics.h"
#include "tests/support/zero.h"
#include "vinci/newton/active_set_polish.h"
#include "vinci/solvers/auto_solver.h"
#include "vinci/solvers/builtin.h"
#include "vinci/solvers/quasi_static.h"

namespace vinci {
namespace {

// A problem that the solver takes.
ComplementarityProblem problem_for(const std::string& solver) {
  if (solver == "lemke" || solver == "principal-pivoting") {
    MatrixX A = MatrixX::Constant(6, 6, -0.3);
    A.diagonal().setConstant(2.0);
    return lcp(A, (VectorX(6) << -1, 2, -3, 0.5, -0.1, 1).finished());
  }
  return solver == "small" ? scenes::box_stack(2) : scenes::box_stack(4);
}

class EverySolver : public testing::TestWithParam<std::string> {
 protected:
  SolveReport solve(double tolerance) const {
    SolverRegistry registry("solver");
    add_builtin_solvers(registry);
    OptionValues options(registry.at(GetParam()).options);
    options.set("tolerance", tolerance);
    const ComplementarityProblem problem = problem_for(GetParam());
    Solution solution = zero(problem);
    return registry.make(GetParam(), options)->solve(problem, solution);
  }
};

TEST_P(EverySolver, meets_the_tolerance_asked_and_spends_no_more_on_a_looser_one) {
  int iterations = 0;
  for (const double tolerance : {0.9, 1e-2, 1e-5, 1e-8, 1e-11}) {
    const SolveReport report = solve(tolerance);
    EXPECT_EQ(report.status, SolveStatus::solved) << tolerance << ": " << report.note;
    EXPECT_LE(report.residual.relative, tolerance);
    EXPECT_GE(report.iterations, iterations) << tolerance;
    iterations = report.iterations;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EverySolver,
                         testing::Values("auto", "small", "gauss-seidel", "admm",
                                         "augmented-lagrangian", "interior-point",
                                         "semismooth-newton", "quadratic-cone", "lemke",
                                         "principal-pivoting"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

std::vector<std::string> tried(const AutoSolver& solver) {
  std::vector<std::string> names;
  for (const Attempt& attempt : solver.attempts()) names.emplace_back(attempt.solver);
  return names;
}

// The interior point leaves rounding above 1e-14 but far below 5e-11, where the cascade once ended
// whatever was asked.
TEST(Cascade, a_tighter_tolerance_is_tried_for_by_the_methods_after_the_interior_point) {
  const ComplementarityProblem problem = scenes::brick_wall(4, 4);
  AutoSolver::Settings settings;
  AutoSolver usual(settings);
  Solution solution = zero(problem);
  ASSERT_EQ(usual.solve(problem, solution).status, SolveStatus::solved);
  const std::size_t few = tried(usual).size();

  settings.tolerance = 1e-18;  // out of reach
  AutoSolver tight(settings);
  solution = zero(problem);
  const SolveReport report = tight.solve(problem, solution);
  EXPECT_NE(report.status, SolveStatus::solved);
  EXPECT_LE(report.residual.relative, 1e-11);
  const std::vector<std::string> names = tried(tight);
  const bool settled = Accuracy{1e-18}.is_settled(report.residual);
  EXPECT_TRUE(settled || names.size() > few);
  const auto found = std::find(names.begin(), names.end(), "augmented-lagrangian");
  EXPECT_TRUE(settled || found != names.end());
}

TEST(Cascade, a_looser_tolerance_ends_earlier_and_is_no_excuse_for_what_misses_it) {
  const ComplementarityProblem problem = scenes::brick_wall(6, 6);
  int before = 0;
  for (const double tolerance : {1e-2, 1e-5, 1e-11}) {
    AutoSolver::Settings settings;
    settings.tolerance = tolerance;
    AutoSolver solver(settings);
    Solution solution = zero(problem);
    const SolveReport report = solver.solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::solved) << tolerance;
    EXPECT_LE(report.residual.relative, tolerance);
    EXPECT_GE(report.iterations, before);
    before = report.iterations;
  }
  EXPECT_GT(before, 0);
}

TEST(ActiveSetPolish, stops_at_the_accuracy_asked) {
  const ComplementarityProblem problem = scenes::box_stack(3);
  int before = 0;
  for (const double tolerance : {0.9, 1e-4, 1e-12}) {
    Judge judge;
    judge.prepare(problem);
    DelassusOperator op;
    ASSERT_TRUE(op.prepare(problem));
    Solution solution = zero(problem);
    solution.lambda.setConstant(2e-3);
    const Residual start = judge.measure(problem, solution);
    ActiveSetPolish polish;
    const Residual reached =
        polish.improve(problem, op, judge, {{tolerance}, 20, nullptr, nullptr}, solution, start);
    EXPECT_LE(reached.relative, std::max(tolerance, 1e-12));
    EXPECT_GE(polish.steps(), before) << tolerance;
    before = polish.steps();
  }
  EXPECT_GT(before, 0);
}

using test::lying;
using test::numbers;
using test::statics;
using test::touching;

// Two bodies pushed one behind the other, on a table: the damped problem is not yet the answer.
ComplementarityProblem pushed_row() {
  MatrixX J(4, 2);
  J << 1, 0, -1, 1, 1, 0, 0, 1;
  return statics(J, numbers({0, 0}), numbers({-0.1, 0, 0, 0}),
                 {touching(0), touching(1), lying(2, 1, 2.0), lying(3, 1, 3.0)});
}

SolveReport solve_statics(const Accuracy& accuracy) {
  const ComplementarityProblem problem = pushed_row();
  EXPECT_EQ(problem.why_invalid(), "");
  AutoSolver solver;
  solver.ask(accuracy);
  Solution solution = zero(problem);
  return QuasiStatic()
      .solve(problem, SparseRows::from_dense(MatrixX::Identity(2, 2)), solver, solution, accuracy)
      .solve;
}

TEST(QuasiStatic, is_content_with_the_accuracy_of_the_run) {
  const SolveReport usual = solve_statics({});
  EXPECT_EQ(usual.status, SolveStatus::solved);
  EXPECT_LE(usual.residual.relative, 1e-11);
  // The damping of the first round is a thousandth of the forces: one per cent needs no more.
  const SolveReport loose = solve_statics({1e-2});
  EXPECT_EQ(loose.status, SolveStatus::solved);
  EXPECT_LE(loose.residual.relative, 1e-2);
  EXPECT_GT(loose.residual.relative, 1e-9);
  // Nothing reaches 0 but exact numbers: all rounds are tried.
  const SolveReport tight = solve_statics({0.0});
  EXPECT_GE(tight.iterations, usual.iterations);
  EXPECT_LE(tight.residual.relative, usual.residual.relative);
}

}  // namespace
}  // namespace vinci
