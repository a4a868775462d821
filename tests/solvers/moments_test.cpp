// SPDX-License-Identifier: Apache-2.0
// Contacts with moments of all shapes: local solves against a slow second method, and the agreement
// of solvers.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/moment_scenes.h"
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

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Numbers {
  std::mt19937_64 engine{31};
  std::normal_distribution<double> normal;
  MatrixX gauss(int rows, int cols) {
    return MatrixX::NullaryExpr(rows, cols, [&] { return normal(engine); });
  }
};

// The moments and friction at a given normal impulse, by small projected steps.
VectorX slow_others(const Block& block, const Rows& W, const VectorX& q, double normal,
                    const VectorX& start) {
  const int others = block.size - 1;
  const MatrixX A = W.bottomRightCorner(others, others);
  const VectorX c = q.tail(others) + normal * W.col(0).tail(others);
  const double step = 1.0 / A.norm();
  VectorX x = start;
  for (int k = 0; k < 20000; ++k) {
    const VectorX before = x;
    x -= step * (A * x + c);
    for (const law::Ball& ball : law::balls_of(block))
      law::project_ball(ball.count, x.data() + ball.first - 1, ball.limit * normal);
    if ((x - before).norm() <= 1e-16 * (1.0 + x.norm())) break;
  }
  return x;
}

// By halving of the normal impulse.
VectorX slow_local(const Block& block, const Rows& W, const VectorX& q) {
  VectorX lambda = VectorX::Zero(block.size), others = VectorX::Zero(block.size - 1);
  if (q[0] >= 0.0) return lambda;
  double low = 0.0, high = 1.0;
  const auto gap = [&](double normal) {
    others = slow_others(block, W, q, normal, others);
    return W(0, 0) * normal + W.row(0).tail(block.size - 1).dot(others) + q[0];
  };
  while (gap(high) < 0.0) high *= 2.0;
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (low + high);
    (gap(middle) < 0.0 ? low : high) = middle;
  }
  lambda[0] = high;
  lambda.tail(block.size - 1) = slow_others(block, W, q, high, others);
  return lambda;
}

// Friction small beside the couplings of W, so that the answer is one alone.
TEST(MomentsLocal, agrees_with_small_projected_steps) {
  Numbers numbers;
  for (const moments::Shape& shape : moments::all_shapes())
    for (int trial = 0; trial < 12; ++trial) {
      const int size = shape.size();
      const MatrixX A = numbers.gauss(size, size);
      const Rows W = 0.1 * A * A.transpose() + MatrixX::Identity(size, size);
      VectorX q = numbers.gauss(size, 1);
      q[0] = -std::abs(q[0]);
      const Block block = moments::block_of(shape, 0.3, 0.2, 0.1);
      VectorX lambda(size);
      EXPECT_TRUE(solve_local(block, W.data(), q.data(), lambda.data()));
      const VectorX slow = slow_local(block, W, q);
      EXPECT_LE((lambda - slow).norm(), 1e-8 * (1.0 + slow.norm()))
          << shape.tangents << shape.rolls << shape.spins << " trial " << trial;
    }
}

// Positive definite, and hostile in one of several ways.
MatrixX hostile(Numbers& numbers, int size, int moments, int kind) {
  const MatrixX A = numbers.gauss(size, size), one = MatrixX::Identity(size, size);
  MatrixX W = A * A.transpose();
  if (kind % 5 == 0) W += 0.1 * one;
  if (kind % 5 == 1) W *= std::pow(10.0, 3.0 * numbers.normal(numbers.engine));
  if (kind % 5 == 2) {
    const VectorX d = numbers.gauss(size, 1).normalized();
    const MatrixX P = one - (1.0 - 1e-4) * d * d.transpose();
    W = P * (W + one) * P;
  }
  if (kind % 5 == 3) {
    const MatrixX B = numbers.gauss(size, size);
    W += one + 0.3 * (B - B.transpose());
  }
  if (kind % 5 == 4) {  // another unit of length
    const double unit = std::pow(10.0, 2.0 * numbers.normal(numbers.engine));
    W += 0.1 * one;
    W.bottomRows(moments) *= unit;
    W.rightCols(moments) *= unit;
  }
  return W;
}

TEST(MomentsLocal, contacts_of_every_shape_are_exact) {
  Numbers numbers;
  const double choices[] = {0.0, 1e-8, 0.1, 0.5, 2.0, 30.0};
  int failures = 0, trials = 0;
  for (const moments::Shape& shape : moments::all_shapes())
    for (int trial = 0; trial < 1500; ++trial) {
      const int size = shape.size(), others = shape.rolls + shape.spins;
      const Rows W = hostile(numbers, size, others, trial);
      const double scale = W.diagonal().head(size - others).mean();
      const double length = others > 0 ? std::sqrt(scale / W.diagonal().tail(others).mean()) : 1.0;
      const Block block =
          moments::block_of(shape, choices[trial / 5 % 6], choices[trial / 30 % 6] * length,
                            choices[trial / 180 % 6] * length);
      VectorX q = numbers.gauss(size, 1) * std::pow(10.0, trial % 7 - 3);
      q.tail(others) /= length;
      VectorX lambda(size), r(size);
      failures += !solve_local(block, W.data(), q.data(), lambda.data());
      ++trials;
      const VectorX w = W * lambda + q;
      VectorX terms = W.cwiseAbs() * lambda.cwiseAbs() + q.cwiseAbs();
      terms.tail(others) *= length;
      natural_map(block, scale, lambda.data(), w.data(), r.data(), length);
      double twice = 1.0;
      for (const law::Ball& ball : law::scaled(law::balls_of(block), length)) twice += ball.limit;
      EXPECT_LE(r.norm(), 1e-11 * terms.norm() * twice)
          << shape.tangents << shape.rolls << shape.spins << " trial " << trial;
    }
  EXPECT_EQ(trials, 17 * 1500);
  EXPECT_EQ(failures, 0);
}

TEST(MomentsMaps, derivatives_are_those_of_finite_differences) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const moments::Shape& shape : moments::all_shapes())
    for (const Projection projection : {Projection::cone, Projection::coulomb})
      for (const double length : {1.0, 0.3})
        for (int trial = 0; trial < 20; ++trial) {
          const int size = shape.size();
          const Block block = moments::block_of(shape, 0.7, 0.4, 0.2);
          double y[largest_contact], derivative[largest_contact * largest_contact];
          for (double& x : y) x = unit(random);
          projection_derivative(block, projection, y, derivative, length);
          const double step = 1e-6;
          for (int j = 0; j < size; ++j) {
            double ahead[largest_contact], behind[largest_contact];
            std::copy(y, y + size, ahead), std::copy(y, y + size, behind);
            ahead[j] += step, behind[j] -= step;
            apply_projection(block, projection, ahead, length);
            apply_projection(block, projection, behind, length);
            for (int i = 0; i < size; ++i)
              EXPECT_NEAR((ahead[i] - behind[i]) / (2.0 * step), derivative[i * size + j], 1e-4);
          }
        }
}

struct MomentAnswer {
  SolveReport report;
  Solution solution;
};

MomentAnswer answer(const SolverRegistry& registry, const char* name,
                    const ComplementarityProblem& problem) {
  const auto solver = registry.make(name, OptionValues(registry.at(name).options));
  MomentAnswer result{{}, zero(problem)};
  result.report = solver->solve(problem, result.solution);
  EXPECT_EQ(result.report.residual.relative, residual(problem, result.solution).relative) << name;
  return result;
}

TEST(MomentsSolvers, agree_on_500_random_systems) {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  std::mt19937_64 random(11);
  int compared = 0;
  test::Trials unsolved, different;
  for (int trial = 0; trial < 500; ++trial) {
    ComplementarityProblem problem = moments::random_pile(random, 1 + trial % 4, 1 + trial % 6);
    for (Block& block : problem.blocks) block.friction *= 0.5;
    const MomentAnswer first = answer(registry, "auto", problem);
    if (first.report.status != SolveStatus::solved) unsolved.push_back(trial);
    for (const char* name : {"gauss-seidel", "augmented-lagrangian"}) {
      const MomentAnswer other = answer(registry, name, problem);
      if (other.report.status != SolveStatus::solved) continue;
      ++compared;
      if ((other.solution.u - first.solution.u).norm() >= 1e-7 * (1.0 + first.solution.u.norm()))
        different.push_back(trial);
    }
  }
  EXPECT_EQ(unsolved, test::Trials{});
  EXPECT_GE(compared, 950);
  EXPECT_EQ(different, test::Trials{316});  // two motions, both certified: the law allows it
}

TEST(MomentsSolvers, stacks_of_ten_balls_to_1e_10) {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  for (const moments::Shape& shape :
       {moments::Shape{2, 2, 0}, {2, 0, 1}, {2, 2, 1}, {3, 0, 0}, {3, 2, 0}})
    for (const double push : {0.0, 1e-3, 0.02, 0.3}) {
      const ComplementarityProblem problem = moments::stack_of_balls(10, shape, push);
      const auto solver = registry.make("auto", OptionValues(registry.at("auto").options));
      Solution solution = zero(problem);
      const SolveReport report = solver->solve(problem, solution);
      EXPECT_EQ(report.status, SolveStatus::solved)
          << shape.tangents << shape.rolls << shape.spins << " push " << push;
      EXPECT_LE(residual(problem, solution).relative, 1e-10);
    }
}

TEST(MomentsSolvers, no_solver_takes_it_for_something_else) {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  for (const moments::Shape& shape : moments::all_shapes()) {
    std::mt19937_64 random(3);
    const ComplementarityProblem problem = moments::stack_of_balls(2, shape, 0.02);
    const MomentAnswer expected = answer(registry, "auto", problem);
    ASSERT_EQ(expected.report.status, SolveStatus::solved);
    for (const auto& entry : registry.entries()) {
      const auto solver = registry.make(entry.name);
      Solution solution = zero(problem);
      const SolveReport report = solver->solve(problem, solution);
      if (!solver->why_not(problem).empty()) {
        EXPECT_EQ(report.status, SolveStatus::refused) << entry.name;
      } else if (report.status == SolveStatus::solved) {
        EXPECT_LE((solution.u - expected.solution.u).norm(), 1e-8) << entry.name;
      }
    }
  }
}

}  // namespace
}  // namespace vinci
