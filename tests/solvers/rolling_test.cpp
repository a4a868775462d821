// SPDX-License-Identifier: Apache-2.0
// Contacts with rolling resistance: local solves, closed forms of balls and cylinders, and the
// agreement of independent solvers.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/rolling_scenes.h"
#include "tests/support/trials.h"
#include "tests/support/zero.h"
#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/laws.h"
#include "vinci/complementarity/local_solve.h"
#include "vinci/complementarity/residual.h"
#include "vinci/complementarity/solver.h"
#include "vinci/newton/projections.h"
#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

// Solves by the named solver and asks another judge.
VectorX solved(const char* name, const ComplementarityProblem& problem, double tolerance = 1e-11) {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  const auto solver = registry.make(name, OptionValues(registry.at(name).options));
  EXPECT_EQ(solver->why_not(problem), "") << name;
  Solution solution = zero(problem);
  const SolveReport report = solver->solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::solved) << name << " " << report.residual.relative;
  EXPECT_LE(residual(problem, solution).relative, tolerance) << name;
  return solution.u;
}

// ------------------------------------------------------------------------------------ local solves

struct Sweep {
  std::mt19937_64 random{23};
  std::normal_distribution<double> normal;
  MatrixX gauss(int rows, int cols) {
    return MatrixX::NullaryExpr(rows, cols, [&] { return normal(random); });
  }
  // Positive definite, then hostile in one of several ways.
  MatrixX block_matrix(int size, int kind) {
    const MatrixX A = gauss(size, size), one = MatrixX::Identity(size, size);
    MatrixX W = A * A.transpose();
    if (kind % 6 == 0) W += 0.1 * one;
    if (kind % 6 == 1) W *= std::pow(10.0, 3.0 * normal(random));
    if (kind % 6 == 2) {  // near singular: one direction 1e-8 as stiff
      const VectorX d = gauss(size, 1).normalized();
      const MatrixX P = one - (1.0 - 1e-4) * d * d.transpose();
      W = P * (W + one) * P;
    }
    if (kind % 6 == 3) {  // not symmetric, still positive
      const MatrixX B = gauss(size, size);
      W += one + 0.3 * (B - B.transpose());
    }
    if (kind % 6 == 4) W = VectorX::Constant(size, 1.7).asDiagonal();
    if (kind % 6 == 5) {  // another unit of length
      const double unit = std::pow(10.0, 2.0 * normal(random));
      W += 0.1 * one;
      W.bottomRows((size - 1) / 2) *= unit;
      W.rightCols((size - 1) / 2) *= unit;
    }
    return W;
  }
};

void run_local(int size, int count) {
  Sweep sweep;
  const double choices[] = {0.0, 1e-8, 0.1, 0.5, 2.0, 30.0};
  int failures = 0;
  for (int trial = 0; trial < count; ++trial) {
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> W =
        sweep.block_matrix(size, trial);
    const int k = (size - 1) / 2;
    const double scale = W.diagonal().head(1 + k).mean();
    const double length = law::moment_length(scale, W.diagonal().tail(k).mean(), {});
    Block block{.law = Law::moments, .size = size};
    block.friction = choices[trial / 6 % 6];
    block.rolling = choices[trial / 36 % 6] * length;
    VectorX q = sweep.gauss(size, 1) * std::pow(10.0, trial % 7 - 3);
    if (trial % 11 == 0) q.tail(size - 1).setZero();
    q.tail(k) /= length;
    double lambda[5] = {};
    failures += !solve_local(block, W.data(), q.data(), lambda);
    const Eigen::Map<const VectorX> l(lambda, size);
    const VectorX w = W * l + q;
    VectorX terms = W.cwiseAbs() * l.cwiseAbs() + q.cwiseAbs(), r(size);
    terms.tail(k) *= length;
    natural_map(block, scale, lambda, w.data(), r.data(), length);
    const double twice = 1.0 + block.friction + block.rolling / length;
    ASSERT_LE(r.norm(), 1e-12 * terms.norm() * twice)
        << "trial " << trial << " mu " << block.friction << " mu_r " << block.rolling << "\n"
        << W << "\n"
        << q.transpose();
  }
  EXPECT_EQ(failures, 0);
}

TEST(RollingLocal, contacts_in_space_are_exact) {
  run_local(5, 100000);
}
TEST(RollingLocal, contacts_in_the_plane_are_exact) {
  run_local(3, 100000);
}

TEST(RollingLocal, a_contact_that_nothing_moves_is_open_or_reported) {
  const double W[25] = {}, apart[5] = {0.1, 1.0, 0.0, 2.0, 0.0}, into[5] = {-0.1, 1.0, 0.0, 0.0, 0};
  Block block{.law = Law::moments, .size = 5};
  block.friction = 0.5;
  block.rolling = 0.1;
  double lambda[5];
  EXPECT_TRUE(solve_local(block, W, apart, lambda));
  EXPECT_EQ(lambda[0], 0.0);
  EXPECT_FALSE(solve_local(block, W, into, lambda));
}

TEST(RollingLocal, a_contact_that_only_the_moment_cannot_move_is_solved) {
  // W_RR = 0: the moment does no work on itself; without angular velocity none is needed.
  const double W[9] = {1.0, 0.2, 0.0, 0.2, 2.0, 0.0, 0.0, 0.0, 0.0}, still[3] = {-1.0, 0.3, 0.0},
               turning[3] = {-1.0, 0.3, 0.7};
  Block block{.law = Law::moments, .size = 3};
  block.friction = 0.5;
  block.rolling = 0.1;
  double lambda[3];
  EXPECT_TRUE(solve_local(block, W, still, lambda));
  EXPECT_TRUE(solve_local(block, W, turning, lambda));
  EXPECT_NEAR(lambda[2], -0.1 * lambda[0], 1e-15);
}

// ------------------------------------------------------------------------------------ closed forms

constexpr double gravity = 9.81, h = 1e-3;

struct Ball {
  double radius = 0.1, mass = 2.0, inertia_factor = 0.4;  // I = factor m R²
};

// What one step from rest does on an incline: at rest, rolling without slip, or sliding.
struct Expected {
  double velocity, spin;  // down the incline, and about the axis of rolling down
};

// Down the incline m a = m g sin − T, I α = T R − M with |T| <= μ N, |M| <= μ_r N, N = m g cos.
Expected incline(const Ball& ball, double slope, double mu, double mu_r) {
  const double c = ball.inertia_factor, R = ball.radius;
  const double pull = gravity * std::sin(slope), press = gravity * std::cos(slope);
  const double drag = std::min(mu_r / R * press, pull);  // M/(R m)
  if (std::tan(slope) <= std::min(mu_r / R, mu)) return {0.0, 0.0};
  // Rolling: a = R α, friction T/m = (c g sin + M/(R m))/(1 + c).
  if ((c * pull + drag) / (1.0 + c) <= mu * press && mu_r / R * press <= pull) {
    const double a = (pull - drag) / (1.0 + c);
    return {h * a, h * a / R};
  }
  // Sliding; it turns only where μ R exceeds μ_r.
  const double a = pull - mu * press;
  const double alpha = std::max(0.0, mu * press - mu_r / R * press) / (c * R);
  return {h * a, h * alpha};
}

TEST(RollingClosedForm, a_ball_on_an_incline_rests_rolls_or_slides) {
  const Ball ball;
  for (const char* solver : {"gauss-seidel", "auto"})
    for (const double slope : {0.02, 0.1, 0.3, 0.6, 1.2})
      for (const double mu : {0.0, 0.05, 0.2, 0.8})
        for (const double mu_r : {0.0, 1e-4, 0.004, 0.02, 0.07}) {
          const ComplementarityProblem problem =
              rolling::ball_on_incline(ball.radius, ball.mass, slope, mu, mu_r);
          const VectorX u = solved(solver, problem);
          const Expected expected = incline(ball, slope, mu, mu_r);
          // Down the incline is +x; rolling down turns about +y.
          EXPECT_NEAR(u[0], expected.velocity, 1e-12) << slope << " " << mu << " " << mu_r;
          EXPECT_NEAR(u[4], expected.spin, 1e-10) << slope << " " << mu << " " << mu_r;
          EXPECT_NEAR(u[2], 0.0, 1e-12);
          EXPECT_NEAR(u[1], 0.0, 1e-12);
          EXPECT_NEAR(u[3], 0.0, 1e-10);
        }
}

// Its rounds are a fixed point on μ|w_t| + μ_r|w_r|, which need not converge at the edge of
// sliding; it says so where it does not.
TEST(RollingClosedForm, the_augmented_lagrangian_solves_most_inclines_and_owns_up_to_the_others) {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  int trial = -1;
  test::Trials unsolved;
  for (const double slope : {0.02, 0.1, 0.3, 0.6, 1.2})
    for (const double mu : {0.0, 0.05, 0.2, 0.8})
      for (const double mu_r : {0.0, 1e-4, 0.004, 0.02, 0.07}) {
        const ComplementarityProblem problem = rolling::ball_on_incline(0.1, 2.0, slope, mu, mu_r);
        Solution solution = zero(problem);
        ++trial;
        if (registry.make("augmented-lagrangian")->solve(problem, solution).status !=
            SolveStatus::solved)
          unsolved.push_back(trial);
        else
          EXPECT_NEAR(solution.u[0], incline({}, slope, mu, mu_r).velocity, 1e-12);
      }
  EXPECT_EQ(unsolved, test::Trials{96});  // slope 1.2, μ = 0.8, μ_r = 0.1 mm: rolls, hardly
}

TEST(RollingClosedForm, a_cylinder_in_the_plane_by_pivoting_and_by_sweeps) {
  Ball cylinder;
  cylinder.inertia_factor = 0.5;
  for (const char* solver : {"lemke", "gauss-seidel", "auto"})
    for (const double slope : {0.05, 0.2, 0.5, 1.1})
      for (const double mu : {0.0, 0.1, 0.7})
        for (const double mu_r : {0.0, 0.002, 0.03}) {
          const ComplementarityProblem problem =
              rolling::cylinder_on_incline(cylinder.radius, cylinder.mass, slope, mu, mu_r);
          const VectorX u = solved(solver, problem);
          const Expected expected = incline(cylinder, slope, mu, mu_r);
          EXPECT_NEAR(u[0], expected.velocity, 1e-12)
              << solver << slope << " " << mu << " " << mu_r;
          EXPECT_NEAR(u[2], expected.spin, 1e-10) << solver << slope << " " << mu << " " << mu_r;
        }
}

TEST(RollingClosedForm, a_rolling_ball_spins_down_and_stays) {
  // On the level a = −(μ_r/R) g/(1 + c) until it rests.
  const double radius = 0.1, mass = 2.0, mu_r = 0.005, v0 = 0.05;
  const double a = mu_r / radius * gravity / 1.4;
  ComplementarityProblem problem = rolling::ball_on_incline(radius, mass, 0.0, 0.5, mu_r);
  const VectorX inertia = VectorX::NullaryExpr(
      6, [&](Eigen::Index i) { return problem.M.values[static_cast<std::size_t>(i)]; });
  const VectorX weight = problem.p;
  VectorX u = VectorX::Zero(6);
  u[0] = v0;
  u[4] = v0 / radius;
  for (int step = 1; step <= 250; ++step) {
    problem.p = inertia.cwiseProduct(u) + weight;
    u = solved("gauss-seidel", problem);
    const double expected = std::max(0.0, v0 - a * h * step);
    ASSERT_NEAR(u[0], expected, 1e-11) << step;
    ASSERT_NEAR(u[4], expected / radius, 1e-10) << step;
  }
  EXPECT_EQ(std::max(0.0, v0 - a * h * 250), 0.0);
}

// --------------------------------------------------------------------------- agreement of solvers

TEST(RollingSolvers, agree_on_random_piles_in_space) {
  std::mt19937_64 random(3);
  int compared = 0;
  test::Trials different;
  for (int trial = 0; trial < 30; ++trial) {
    const ComplementarityProblem problem =
        rolling::random_pile(random, 1 + trial % 6, 1 + trial % 12, trial % 3 == 0 ? 3 : 1);
    std::vector<VectorX> answers;
    for (const char* name : {"gauss-seidel", "augmented-lagrangian", "auto"}) {
      SolverRegistry registry("solver");
      add_builtin_solvers(registry);
      const auto solver = registry.make(name, OptionValues(registry.at(name).options));
      Solution solution = zero(problem);
      const SolveReport report = solver->solve(problem, solution);
      EXPECT_EQ(report.residual.relative, residual(problem, solution).relative);
      if (std::string(name) == "auto") {
        EXPECT_EQ(report.status, SolveStatus::solved) << trial << " " << report.residual.relative;
      }
      if (report.status == SolveStatus::solved) answers.push_back(solution.u);
    }
    for (std::size_t i = 1; i < answers.size(); ++i) {
      ++compared;
      if ((answers[i] - answers[0]).norm() >= 1e-7 * (1.0 + answers[0].norm()))
        different.push_back(trial);
    }
  }
  EXPECT_GE(compared, 50);
  EXPECT_EQ(different, test::Trials{20});  // two motions, both certified: the law allows it
}

TEST(RollingSolvers, pivoting_and_sweeps_agree_on_random_piles_in_the_plane) {
  std::mt19937_64 random(4);
  test::Trials unsolved, different;
  for (int trial = 0; trial < 60; ++trial) {
    const ComplementarityProblem problem =
        rolling::random_planar_pile(random, 1 + trial % 5, 1 + trial % 9);
    const VectorX exact = solved("lemke", problem);
    Solution other = zero(problem);
    SolverRegistry registry("solver");
    add_builtin_solvers(registry);
    if (registry.make("gauss-seidel")->solve(problem, other).status != SolveStatus::solved)
      unsolved.push_back(trial);
    else if ((other.u - exact).norm() >= 1e-7 * (1.0 + exact.norm()))
      different.push_back(trial);
  }
  EXPECT_EQ(unsolved, test::Trials{});
  EXPECT_EQ(different, (test::Trials{16, 17, 25, 40}));  // two motions, both certified
}

TEST(RollingSolvers, without_rolling_resistance_the_motion_is_coulombs) {
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 10; ++trial) {
    ComplementarityProblem problem = rolling::random_pile(random, 4, 6, 1);
    for (Block& block : problem.blocks) block.rolling = 0.0;
    const ComplementarityProblem coulomb = rolling::without_moments(problem);
    EXPECT_LE((solved("gauss-seidel", problem) - solved("gauss-seidel", coulomb)).norm(), 1e-9);
  }
}

TEST(RollingSolvers, no_solver_takes_it_for_something_else) {
  const ComplementarityProblem problem = rolling::ball_on_incline(0.1, 2.0, 0.3, 0.4, 0.01);
  const VectorX expected = solved("gauss-seidel", problem);
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  for (const auto& entry : registry.entries()) {
    const auto solver = registry.make(entry.name);
    Solution solution = zero(problem);
    const SolveReport report = solver->solve(problem, solution);
    if (!solver->why_not(problem).empty()) {
      EXPECT_EQ(report.status, SolveStatus::refused) << entry.name;
    } else {
      EXPECT_EQ(report.status, SolveStatus::solved) << entry.name;
      EXPECT_LE((solution.u - expected).norm(), 1e-9) << entry.name;
    }
  }
}

TEST(RollingMaps, derivatives_are_those_of_finite_differences) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const int size : {3, 5})
    for (const Projection projection : {Projection::cone, Projection::coulomb})
      for (const double length : {1.0, 0.3})
        for (int trial = 0; trial < 100; ++trial) {
          Block block{.law = Law::moments, .size = size};
          block.friction = 0.7;
          block.rolling = 0.4;
          double y[5], derivative[25];
          for (double& x : y) x = unit(random);
          projection_derivative(block, projection, y, derivative, length);
          const double step = 1e-6;
          for (int j = 0; j < size; ++j) {
            double ahead[5], behind[5];
            std::copy(y, y + 5, ahead), std::copy(y, y + 5, behind);
            ahead[j] += step, behind[j] -= step;
            apply_projection(block, projection, ahead, length),
                apply_projection(block, projection, behind, length);
            for (int i = 0; i < size; ++i)
              EXPECT_NEAR((ahead[i] - behind[i]) / (2.0 * step), derivative[i * size + j], 1e-4)
                  << "trial " << trial;
          }
        }
}

}  // namespace
}  // namespace vinci
