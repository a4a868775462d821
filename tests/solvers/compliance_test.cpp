// SPDX-License-Identifier: Apache-2.0
// Contacts that yield: C = S⁻¹ ⊗ G couples the points of a patch, in normal and tangential
// direction. Every solver that takes such a problem solves it.
#include <random>

#include <gtest/gtest.h>

#include "tests/support/trials.h"
#include "vinci/complementarity/solver.h"
#include "vinci/solvers/builtin.h"

namespace vinci::test {
namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double lower, double upper) {
  return lower + (upper - lower) * static_cast<double>(random() >> 11) * 0x1p-53;
}

// Patches of one to six points between planar bodies and a floor, of all stiffnesses.
struct Patches {
  MatrixX M, J, C;
  VectorX p, b;
  std::vector<double> friction;

  explicit Patches(Random& random) {
    const int bodies = 1 + static_cast<int>(random() % 3);
    const int patches = 1 + static_cast<int>(random() % 3);
    const int points = 1 + static_cast<int>(random() % 6);
    const int n = 3 * bodies, rows = 2 * patches * points;
    M = MatrixX::Zero(n, n);
    p.resize(n);
    for (int i = 0; i < n; ++i) {
      M(i, i) = (i % 3 == 2 ? 0.01 : 1.0) * uniform(random, 0.5, 2.0);
      p[i] = M(i, i) * uniform(random, -1.0, 1.0);
    }
    J = MatrixX::Zero(rows, n);
    C = MatrixX::Zero(rows, rows);
    b.resize(rows);
    for (int k = 0; k < patches; ++k) {
      const int above = 3 * static_cast<int>(random() % static_cast<unsigned>(bodies));
      const int below = 3 * static_cast<int>(random() % static_cast<unsigned>(bodies));
      const double angle = uniform(random, 0.0, 2.0 * M_PI);
      const Vector2 normal(std::cos(angle), std::sin(angle)), tangent(-normal.y(), normal.x());
      const Vector2 arm = 0.1 * Vector2(uniform(random, -1.0, 1.0), uniform(random, -1.0, 1.0));
      friction.push_back(random() % 4 == 0 ? 0.0 : uniform(random, 0.1, 1.0));
      for (int i = 0; i < points; ++i) {
        const int row = 2 * (k * points + i);
        const Vector2 point = arm + 0.005 * i * tangent;
        const auto write = [&](int r, const Vector2& axis, int body, double sign) {
          J(r, body) += sign * axis.x();
          J(r, body + 1) += sign * axis.y();
          J(r, body + 2) += sign * (point.x() * axis.y() - point.y() * axis.x());
        };
        write(row, normal, above, 1.0);
        write(row + 1, tangent, above, 1.0);
        if (below != above) write(row, normal, below, -1.0), write(row + 1, tangent, below, -1.0);
        b[row] = uniform(random, -0.5, 0.2);
        b[row + 1] = uniform(random, -0.2, 0.2);
      }
      couple(random, k, points);
    }
  }

  void couple(Random& random, int patch, int points) {
    const double ratio = random() % 2 ? uniform(random, 0.0, 3.0) : 0.0;
    MatrixX share = MatrixX::Identity(points, points);
    for (int i = 0; i + 1 < points; ++i)
      share.block<2, 2>(i, i) += ratio * (Matrix2() << 1.0, -1.0, -1.0, 1.0).finished();
    const MatrixX inverse = points * share.inverse();
    // From softer than a body is light to nearly rigid.
    const double size = std::pow(10.0, uniform(random, -4.0, 1.0));
    const double other = uniform(random, 0.5, 2.0), cross = uniform(random, -0.6, 0.6);
    Matrix2 yield;
    yield << 1.0, cross, cross, other;
    yield *= size;
    const int first = 2 * patch * points;
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < points; ++j)
        C.block<2, 2>(first + 2 * i, first + 2 * j) = inverse(i, j) * yield;
  }

  int count() const { return static_cast<int>(b.size()) / 2; }
  double friction_of(int contact) const {
    return friction[contact / (count() / static_cast<int>(friction.size()))];
  }

  // Coulomb blocks, or two directions and σ each.
  ComplementarityProblem problem(bool pyramid) const {
    ComplementarityProblem result;
    const int size = pyramid ? 4 : 2;
    MatrixX spread = MatrixX::Zero(size * count(), 2 * count());
    MatrixX extra = MatrixX::Zero(size * count(), size * count());
    for (int i = 0; i < count(); ++i) {
      const int row = size * i;
      spread(row, 2 * i) = 1.0;
      spread(row + 1, 2 * i + 1) = 1.0;
      if (!pyramid) {
        const double mu = friction_of(i);
        result.blocks.push_back({.law = Law::coulomb, .offset = row, .size = 2, .friction = mu});
        continue;
      }
      spread(row + 2, 2 * i + 1) = -1.0;
      extra(row + 1, row + 3) = extra(row + 2, row + 3) = 1.0;
      extra(row + 3, row) = friction_of(i);
      extra(row + 3, row + 1) = extra(row + 3, row + 2) = -1.0;
      for (int k = 0; k < 4; ++k)
        result.blocks.push_back({.law = Law::nonnegative, .offset = row + k, .size = 1});
    }
    result.M = SparseRows::from_dense(M);
    result.J = SparseRows::from_dense(spread * J);
    result.C = SparseRows::from_dense(spread * C * spread.transpose() + extra);
    result.p = p;
    result.b = spread * b;
    return result;
  }
};

// 90, 102: the rounds of the augmented Lagrangian, a fixed point on μ |w_T|, settle nowhere.
Trials unsettled(const std::string& solver) {
  return solver == "augmented-lagrangian" ? Trials{90, 102} : Trials{};
}

TEST(Compliance, every_solver_that_takes_coupled_patches_solves_them) {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  for (const auto& entry : registry.entries()) {
    Random random(20040515);
    const auto solver = entry.make(OptionValues(entry.options));
    int taken = 0;
    test::Trials unsolved;
    for (int round = 0; round < 60; ++round) {
      const Patches patches(random);
      for (const bool pyramid : {false, true}) {
        const ComplementarityProblem problem = patches.problem(pyramid);
        ASSERT_EQ(problem.why_invalid(), "");
        if (!solver->why_not(problem).empty()) continue;
        Solution solution;
        solution.u = VectorX::Zero(problem.unknowns());
        solution.lambda = VectorX::Zero(problem.rows());
        const SolveReport report = solver->solve(problem, solution);
        const bool right = residual(problem, solution).relative <= 1e-10;
        EXPECT_TRUE(right || report.status != SolveStatus::solved) << entry.name;
        ++taken;
        if (!right) unsolved.push_back(2 * round + pyramid);
      }
    }
    EXPECT_GT(taken, 0) << entry.name;
    // `small` promises nothing but to say so: it leaves what it cannot do to others.
    if (entry.name == "small")
      EXPECT_LT(static_cast<int>(unsolved.size()), taken);
    else
      EXPECT_EQ(unsolved, unsettled(entry.name)) << entry.name;
  }
}

}  // namespace
}  // namespace vinci::test
