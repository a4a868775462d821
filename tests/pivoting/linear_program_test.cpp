// SPDX-License-Identifier: Apache-2.0
// Small linear programs against the best of all their corners.
#include "vinci/pivoting/linear_program.h"

#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace vinci {
namespace {

// max c·x over G x >= h by looking at every corner; −infinity if there is none.
double best_corner(const MatrixX& G, const VectorX& h, const VectorX& c) {
  double best = -std::numeric_limits<double>::infinity();
  const int m = static_cast<int>(G.rows());
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < i; ++j)
      for (int k = 0; k < j; ++k) {
        Matrix3 A;
        A << G.row(i), G.row(j), G.row(k);
        if (std::abs(A.determinant()) < 1e-9) continue;
        const Vector3 x = A.inverse() * Vector3(h[i], h[j], h[k]);
        if ((G * x - h).minCoeff() > -1e-9) best = std::max(best, c.dot(x));
      }
  return best;
}

TEST(LinearProgram, the_maximum_is_the_best_corner_and_the_point_keeps_every_constraint) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<> draw(-1.0, 1.0);
  int optimal = 0, infeasible = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int extra = 1 + trial % 8;
    MatrixX G(6 + extra, 3);
    VectorX h(6 + extra);
    G.topRows(6) << MatrixX::Identity(3, 3), -MatrixX::Identity(3, 3);
    h.head(6).setConstant(-1.0);
    for (int i = 0; i < extra; ++i) {
      G.row(6 + i) << draw(engine), draw(engine), draw(engine);
      // Half of them through the origin, as in cones: corners that many planes share.
      h[6 + i] = i % 2 == 0 ? 0.0 : 0.7 * draw(engine);
    }
    const VectorX c = Vector3(draw(engine), draw(engine), draw(engine));
    LinearProgram program;
    program.reset(3);
    for (int i = 0; i < G.rows(); ++i) program.add_at_least(G.row(i).transpose(), h[i]);
    VectorX x;
    const LinearProgram::Status status = program.maximise(c, x);
    const double best = best_corner(G, h, c);
    if (std::isinf(best)) {
      ++infeasible;
      EXPECT_EQ(status, LinearProgram::Status::infeasible) << trial;
      continue;
    }
    ++optimal;
    ASSERT_EQ(status, LinearProgram::Status::optimal) << trial;
    EXPECT_GE((G * x - h).minCoeff(), -1e-8) << trial;
    EXPECT_NEAR(c.dot(x), best, 1e-8) << trial;
  }
  EXPECT_GT(optimal, 500);
  EXPECT_GT(infeasible, 50);
}

}  // namespace
}  // namespace vinci
