// SPDX-License-Identifier: Apache-2.0
// The Newton methods on problems of any form (no u, or C beside u) and semismooth-newton with each
// of its maps: closed forms, the same answer in every form, matrices that are singular or not
// symmetric, extreme friction, mass ratios and units.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/contact_examples.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/zero.h"
#include "vinci/complementarity/residual.h"
#include "vinci/complementarity/solver.h"
#include "vinci/linear/frontal_lu.h"
#include "vinci/newton/law_maps.h"
#include "vinci/newton/semismooth_newton.h"
#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

MatrixX dense(const SparseRows& rows) {
  return MatrixX(rows.view());
}

// The same problem without u: W and q in the place of C and b.
ComplementarityProblem local_form(const ComplementarityProblem& problem) {
  const MatrixX J = dense(problem.J);
  const Eigen::PartialPivLU<MatrixX> M(dense(problem.M));
  ComplementarityProblem local;
  const int m = problem.rows();
  local.M.reset(0), local.J.reset(0);
  for (int i = 0; i < m; ++i) local.J.end_row();
  local.C = SparseRows::from_dense(J * M.solve(J.transpose()) + dense(problem.C));
  local.b = problem.b + J * M.solve(problem.p);
  local.p.resize(0);
  local.blocks = problem.blocks;
  return local;
}

// w = W λ + q with W = D, one mean diagonal a block: contact problems without any coupling.
ComplementarityProblem uncoupled(const std::vector<Block>& blocks, const VectorX& q,
                                 double scale = 1.0) {
  ComplementarityProblem problem = lcp(scale * MatrixX::Identity(q.size(), q.size()), q);
  problem.blocks = blocks;
  return problem;
}

struct Method {
  const char* label;
  const char* solver;
  const char* map = nullptr;
};

class AnyForm : public testing::TestWithParam<Method> {
 protected:
  std::unique_ptr<Solver> solver() const {
    SolverRegistry registry("solver");
    add_builtin_solvers(registry);
    OptionValues options(registry.at(GetParam().solver).options);
    if (GetParam().map) options.set("map", std::string(GetParam().map));
    return registry.make(GetParam().solver, options);
  }
  // λ and w from zero, as another judge sees them.
  struct Answer {
    VectorX lambda, w;
    SolveReport report;
  };
  Answer solve(const ComplementarityProblem& problem, double tolerance = 1e-12) const {
    Solution solution = zero(problem);
    Answer answer;
    answer.report = solver()->solve(problem, solution);
    Judge judge;
    const Residual residual = judge(problem, solution);
    EXPECT_LE(residual.relative, std::max(tolerance, residual.rounding)) << GetParam().label;
    answer.lambda = solution.lambda;
    answer.w = judge.w();
    return answer;
  }
  bool takes(const ComplementarityProblem& problem) const {
    return solver()->why_not(problem).empty();
  }
};

INSTANTIATE_TEST_SUITE_P(
    Solvers, AnyForm,
    testing::Values(Method{"interior_point", "interior-point"},
                    Method{"augmented_lagrangian", "augmented-lagrangian"},
                    Method{"alart_curnier", "semismooth-newton", "alart-curnier"},
                    Method{"jean_moreau", "semismooth-newton", "jean-moreau"},
                    Method{"natural", "semismooth-newton", "natural"},
                    Method{"fischer_burmeister", "semismooth-newton", "fischer-burmeister"}),
    [](const auto& chosen) { return std::string(chosen.param.label); });

// w = λ + q: λ is the projection of −q, in closed form for each law.
TEST_P(AnyForm, laws_without_coupling_have_their_closed_forms) {
  const std::vector<Block> blocks = {
      {.law = Law::equality, .offset = 0, .size = 2},
      {.law = Law::nonnegative, .offset = 2},
      {.law = Law::nonnegative, .offset = 3},
      {.law = Law::box, .offset = 4, .lower = -1.0, .upper = 2.0},
      {.law = Law::box, .offset = 5, .lower = -infinity, .upper = 2.0},
      {.law = Law::box, .offset = 6, .lower = -1.0, .upper = 2.0},
      {.law = Law::coulomb, .offset = 7, .size = 3, .friction = 0.5},    // slides
      {.law = Law::coulomb, .offset = 10, .size = 3, .friction = 0.5},   // sticks
      {.law = Law::coulomb, .offset = 13, .size = 3, .friction = 0.5},   // parts
      {.law = Law::coulomb, .offset = 16, .size = 2, .friction = 0.5},   // slides in the plane
      {.law = Law::coulomb, .offset = 18, .size = 3, .friction = 0.0}};  // no friction
  VectorX q(21), expected(21);
  q << 3, -1, -2, 2, -0.5, -5, 4, -2, 3, 4, -2, 0.3, -0.4, 1, 2, 3, -1, 7, -1, 5, 2;
  expected << -3, 1, 2, 0, 0.5, 2, -1, 2, -0.6, -0.8, 2, -0.3, 0.4, 0, 0, 0, 1, -0.5, 1, 0, 0;
  const ComplementarityProblem problem = uncoupled(blocks, q);
  ASSERT_EQ(solver()->why_not(problem), "");
  EXPECT_LT((solve(problem).lambda - expected).norm(), 1e-10);
}

// W = [a c; c b] in the plane, w_n = 0 and λ_t = ∓μ λ_n: λ_n = −q_n/(a ∓ μ c).
TEST_P(AnyForm, planar_sliding_with_coupled_rows) {
  MatrixX W(2, 2);
  W << 2.0, 0.7, 0.7, 1.5;
  VectorX q(2);
  q << -1.0, 3.0;
  ComplementarityProblem problem = lcp(W, q);
  problem.blocks = {{.law = Law::coulomb, .offset = 0, .size = 2, .friction = 0.4}};
  const double normal = 1.0 / (2.0 - 0.4 * 0.7);
  const Answer answer = solve(problem);
  EXPECT_NEAR(answer.lambda[0], normal, 1e-12);
  EXPECT_NEAR(answer.lambda[1], -0.4 * normal, 1e-12);
}

TEST_P(AnyForm, local_form_answers_as_the_velocity_form) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 10; ++trial) {
    const ComplementarityProblem problem = scenes::random_pile(random, 5, 9, 3);
    const ComplementarityProblem local = local_form(problem);
    Solution with = zero(problem), without = zero(local);
    const auto method = solver();
    EXPECT_EQ(method->solve(problem, with).status, SolveStatus::solved) << trial;
    EXPECT_EQ(method->solve(local, without).status, SolveStatus::solved) << trial;
    Judge judge, other;
    judge(problem, with), other(local, without);
    // The impulses of repeated contacts are not unique; the motions of these problems are.
    EXPECT_LT((judge.w() - other.w()).norm(), 1e-8 * (1.0 + judge.w().norm())) << trial;
  }
}

TEST_P(AnyForm, compliance_beside_the_velocities_is_the_same_as_condensed) {
  std::mt19937_64 random(3);
  ComplementarityProblem problem = scenes::random_pile(random, 4, 8, 2);
  problem.C = SparseRows::from_dense(0.1 * MatrixX::Identity(problem.rows(), problem.rows()));
  // W is definite: the impulses themselves are unique, unless friction has several solutions.
  const Answer coupled = solve(problem), local = solve(local_form(problem));
  EXPECT_LT((coupled.lambda - local.lambda).norm(), 1e-8 * (1.0 + local.lambda.norm()));
}

TEST_P(AnyForm, matrices_that_are_not_symmetric_are_taken_as_they_are) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  ComplementarityProblem problem = local_form(scenes::random_pile(random, 4, 8, 1));
  MatrixX W = dense(problem.C);
  for (int i = 0; i < W.rows(); ++i)
    for (int j = 0; j < W.cols(); ++j) W(i, j) *= 1.0 + 1e-3 * unit(random);
  problem.C = SparseRows::from_dense(W);
  solve(problem);  // a symmetrised W would stall at 1e-4
}

TEST_P(AnyForm, a_hundred_copies_of_a_contact_share_its_load) {
  scenes::Body ball{{0.0, 0.0, 0.5}, 2.0, Vector3::Constant(0.2), {0.3, 0.0, -1.0}};
  const scenes::Point contact{-1, 0, {0.0, 0.0, 0.0}, Vector3::UnitZ(), 0.3};
  const std::vector<scenes::Point> one = {contact}, many(100, contact);
  const Answer single = solve(local_form(scenes::spatial_problem({ball}, one)));
  const Answer copies = solve(local_form(scenes::spatial_problem({ball}, many)));
  Vector3 sum = Vector3::Zero();
  for (int c = 0; c < 100; ++c) sum += copies.lambda.segment<3>(3 * c);
  EXPECT_LT((sum - single.lambda).norm(), 1e-9 * single.lambda.norm());
}

TEST_P(AnyForm, friction_from_nothing_to_enormous) {
  const auto ball_with = [](double friction) {
    const scenes::Body ball{{0.0, 0.0, 0.5}, 2.0, Vector3::Constant(0.2), {0.3, 0.1, -1.0}};
    const scenes::Point contact{-1, 0, {0.0, 0.0, 0.0}, Vector3::UnitZ(), friction};
    return local_form(scenes::spatial_problem({ball}, {contact}));
  };
  for (const double friction : {0.0, 1e-12, 1e3}) {
    SCOPED_TRACE(friction);
    const double slip = solve(ball_with(friction)).w.tail<2>().norm();
    EXPECT_NEAR(slip, friction < 1.0 ? std::hypot(0.3, 0.1) : 0.0, 1e-9);  // slides on, or rolls
  }
  // The natural map divides a normal velocity by μ: no answer at all measures 1e-8 here.
  const ComplementarityProblem enormous = ball_with(1e8);
  Solution solution = zero(enormous);
  const SolveReport report = solver()->solve(enormous, solution);
  const double measured = residual(enormous, solution).relative;
  EXPECT_LE(measured, 1e-8);
  EXPECT_EQ(report.status == SolveStatus::solved, measured <= 1e-12);
}

TEST_P(AnyForm, mass_ratios_of_a_hundred_million) {
  const auto stack = [](double ratio) {
    const std::vector<scenes::Body> bodies = {scenes::unit_box({0.0, 0.0, 0.5}),
                                              scenes::unit_box({0.0, 0.0, 1.5}, ratio)};
    std::vector<scenes::Point> points;
    for (int i = 0; i < 2; ++i) scenes::add_patch(points, i - 1, i, {0, 0, 1.0 * i}, 1, 1, 0.5);
    return scenes::spatial_problem(bodies, points);
  };
  for (const double ratio : {1e-8, 1e-4, 1e4}) {
    SCOPED_TRACE(ratio);
    const Answer answer = solve(local_form(stack(ratio)));
    EXPECT_LT(answer.w.norm(), 1e-11);  // at rest
    double load = 0.0;
    for (int c = 0; c < 4; ++c) load += answer.lambda[3 * c];
    EXPECT_NEAR(load, 9.81e-3 * (1.0 + ratio), 1e-9 * (1.0 + ratio));
  }
  // The heavy one on the light one: the terms of w cancel to 3e-7 of |q|, and that is where the
  // maps end; interior-point and augmented-lagrangian say that they did not come so far.
  const ComplementarityProblem heavy = stack(1e8);
  Solution solution = zero(heavy);
  EXPECT_NE(solver()->solve(heavy, solution).status, SolveStatus::solved);
  const Residual measured = residual(heavy, solution);
  if (GetParam().map) {
    EXPECT_LE(measured.relative, 2.0 * measured.rounding);
  }
}

TEST_P(AnyForm, units_that_change_by_powers_of_two_change_nothing) {
  std::mt19937_64 random(23);
  const ComplementarityProblem problem = local_form(scenes::random_pile(random, 4, 10, 2));
  Solution reference = zero(problem);
  const SolveReport first = solver()->solve(problem, reference);
  for (const int exponent : {-40, 40}) {
    const double mass = std::ldexp(1.0, exponent), speed = std::ldexp(1.0, -exponent / 2);
    ComplementarityProblem scaled = problem;
    for (double& value : scaled.C.values) value /= mass;
    scaled.b *= speed;
    Solution solution = zero(scaled);
    const SolveReport report = solver()->solve(scaled, solution);
    EXPECT_EQ(report.iterations, first.iterations);
    EXPECT_EQ((solution.lambda / (mass * speed) - reference.lambda).norm(), 0.0);
  }
}

TEST_P(AnyForm, friction_pyramids_are_solved) {
  std::mt19937_64 random(31);
  RandomContacts what;
  for (int trial = 0; trial < 10; ++trial) {
    const ComplementarityProblem problem = random_contacts(what, random);
    Solution solution = zero(problem);
    EXPECT_EQ(solver()->solve(problem, solution).status, SolveStatus::solved) << trial;
    EXPECT_LE(residual(problem, solution).relative, 1e-12) << trial;
  }
}

TEST_P(AnyForm, limits_hold_and_numbers_that_are_none_are_refused) {
  std::mt19937_64 random(5);
  ComplementarityProblem problem = local_form(scenes::random_pile(random, 4, 8, 2));
  Solution solution = zero(problem);
  const auto method = solver();
  method->limit_time(0.0);
  const SolveReport report = method->solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::limit);
  EXPECT_EQ(report.iterations, 0);
  problem.C.values[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(method->why_not(problem), "");
  EXPECT_EQ(method->solve(problem, solution).status, SolveStatus::refused);
}

TEST_P(AnyForm, a_settled_sequence_does_not_allocate) {
  if (!allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  std::mt19937_64 random(29);
  const ComplementarityProblem problem = local_form(scenes::random_pile(random, 4, 8, 2));
  const auto method = solver();
  Solution solution = zero(problem);
  for (int k = 0; k < 2; ++k) solution = zero(problem), method->solve(problem, solution);
  solution.lambda.setZero();
  const std::size_t before = allocations();
  method->solve(problem, solution);
  EXPECT_EQ(allocations() - before, 0u);
}

TEST(SemismoothNewton, converges_quadratically_where_the_problem_is_regular) {
  // Three coupled planar contacts, W diagonally dominant: plain Newton, one step after the other.
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  MatrixX W = 4.0 * MatrixX::Identity(9, 9);
  VectorX q(9);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) W(i, j) += 0.3 * unit(random);
    q[i] = i % 3 == 0 ? -1.0 - 0.3 * unit(random) : 1.5 * unit(random);
  }
  ComplementarityProblem problem = lcp(W, q);
  problem.blocks.clear();
  for (int c = 0; c < 3; ++c)
    problem.blocks.push_back({.law = Law::coulomb, .offset = 3 * c, .size = 3, .friction = 0.3});
  std::vector<double> residuals;
  for (int steps = 1; steps <= 12; ++steps) {
    SemismoothNewtonSolver::Settings settings;
    settings.max_iterations = steps;
    settings.proximity = 0.0;
    settings.polish = false;
    settings.tolerance = 1e-15;
    Solution solution = zero(problem);
    residuals.push_back(
        SemismoothNewtonSolver(settings).solve(problem, solution).residual.relative);
    if (residuals.back() < 1e-14) break;
  }
  // Once below 1e-2 the number of digits doubles, to rounding.
  ASSERT_LE(residuals.back(), 1e-14);
  int doubled = 0;
  for (std::size_t k = 1; k < residuals.size(); ++k) {
    if (residuals[k - 1] > 1e-2) continue;
    ++doubled;
    EXPECT_LE(residuals[k], std::max(10.0 * residuals[k - 1] * residuals[k - 1], 1e-14));
  }
  EXPECT_GE(doubled, 2);
}

TEST(SemismoothNewton, refuses_in_words_the_laws_that_a_map_does_not_cover) {
  const ComplementarityProblem cones = uncoupled(
      {{.law = Law::second_order, .offset = 0, .size = 3, .friction = 0.5}}, VectorX::Ones(3));
  const ComplementarityProblem balls =
      uncoupled({{.law = Law::ball, .offset = 0, .size = 2, .upper = 1.0}}, VectorX::Ones(2));
  SemismoothNewtonSolver::Settings settings;
  EXPECT_NE(SemismoothNewtonSolver(settings).why_not(cones).find("natural"), std::string::npos);
  settings.map = LawMap::fischer_burmeister;
  EXPECT_EQ(SemismoothNewtonSolver(settings).why_not(cones), "");
  EXPECT_NE(SemismoothNewtonSolver(settings).why_not(balls).find("ball"), std::string::npos);
}

TEST(LawMaps, derivatives_are_those_of_finite_differences) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Block blocks[] = {{.law = Law::coulomb, .size = 3, .friction = 0.7},
                          {.law = Law::coulomb, .size = 2, .friction = 0.3},
                          {.law = Law::second_order, .size = 3, .friction = 0.7},
                          {.law = Law::ball, .size = 2, .upper = 0.5},
                          {.law = Law::nonnegative},
                          {.law = Law::box, .lower = -0.4, .upper = 0.5},
                          {.law = Law::moments, .size = 5, .friction = 0.6, .rolling = 0.2}};
  for (const Block& block : blocks)
    for (const LawMap map : {LawMap::alart_curnier, LawMap::jean_moreau, LawMap::natural,
                             LawMap::fischer_burmeister}) {
      if (why_unmapped(map, block)) continue;
      for (int trial = 0; trial < 40; ++trial) {
        double at[10], phi[5], by_x[25], by_w[25];
        for (double& value : at) value = unit(random);
        const MapPoint point{.scale = 1.3, .length = 0.8};
        evaluate_map(map, block, point, at, at + 5, phi, by_x, by_w);
        const double step = 1e-6;
        for (int j = 0; j < 2 * block.size; ++j) {
          double ahead[5], behind[5];
          double& moved = at[j < block.size ? j : 5 + j - block.size];
          const double kept = moved;
          moved = kept + step;
          evaluate_map(map, block, point, at, at + 5, ahead, nullptr, nullptr);
          moved = kept - step;
          evaluate_map(map, block, point, at, at + 5, behind, nullptr, nullptr);
          moved = kept;
          const double* const column = j < block.size ? by_x + j : by_w + j - block.size;
          for (int i = 0; i < block.size; ++i)
            EXPECT_NEAR((ahead[i] - behind[i]) / (2.0 * step), column[i * block.size], 2e-4)
                << to_string(block.law) << " map " << static_cast<int>(map) << " trial " << trial;
        }
      }
    }
}

TEST(FrontalLu, solves_as_a_dense_factorisation_does) {
  std::mt19937_64 random(41);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const int count : {1, 7, 60, 300}) {
    std::vector<int> starts = {0};
    for (int b = 0; b < count; ++b) starts.push_back(starts.back() + 1 + b % 4);
    const int n = starts.back();
    std::uniform_int_distribution<int> pick(0, count - 1);
    std::vector<Eigen::Triplet<double>> entries;
    const auto fill = [&](int a, int b, double diagonal) {
      for (int i = starts[a]; i < starts[a + 1]; ++i)
        for (int j = starts[b]; j < starts[b + 1]; ++j)
          entries.emplace_back(i, j, unit(random) + (i == j ? diagonal : 0.0));
    };
    for (int b = 0; b < count; ++b) {
      fill(b, b, 6.0);
      const int other = pick(random);
      if (other != b) fill(b, other, 0.0), fill(other, b, 0.0);
    }
    FrontalLu::Matrix matrix(n, n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    VectorX x = VectorX::Random(n);
    const VectorX right = matrix * x;
    VectorX solution = right;
    FrontalLu lu;
    lu.analyse(matrix, starts);
    ASSERT_TRUE(lu.factor(matrix.valuePtr()));
    lu.solve(solution);
    EXPECT_LT((solution - x).norm(), 1e-10 * x.norm()) << n;
  }
}

}  // namespace
}  // namespace vinci
