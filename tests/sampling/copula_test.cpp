// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/copula.h"

#include <numeric>

#include <gtest/gtest.h>

#include "tests/sampling/statistics.h"
#include "vinci/base/error.h"
#include "vinci/sampling/design_points.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {
namespace {

double correlation_of(const VectorX& a, const VectorX& b) {
  const VectorX x = a.array() - a.mean(), y = b.array() - b.mean();
  return x.dot(y) / (x.norm() * y.norm());
}

VectorX ranks_of(const VectorX& values) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index i, Eigen::Index j) { return values[i] < values[j]; });
  VectorX ranks(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<double>(i);
  return ranks;
}

MatrixX correlated_points(const GaussianCopula& copula, std::uint64_t count) {
  MatrixX points = DesignPoints::monte_carlo(2, copula.dimensions()).points(0, count);
  for (Eigen::Index k = 0; k < points.cols(); ++k)
    copula.apply({points.col(k).data(), static_cast<std::size_t>(points.rows())});
  return points;
}

TEST(GaussianCopula, reproduces_correlations_of_normals_and_leaves_margins_uniform) {
  const GaussianCopula copula(3, {{0, 1, 0.8}, {2, 1, -0.3}});
  const MatrixX points = correlated_points(copula, 100000);
  const MatrixX normals = points.unaryExpr([](double u) { return normal_quantile(u); });
  EXPECT_NEAR(correlation_of(normals.row(0), normals.row(1)), 0.8, 0.005);
  EXPECT_NEAR(correlation_of(normals.row(1), normals.row(2)), -0.3, 0.01);
  EXPECT_NEAR(correlation_of(normals.row(0), normals.row(2)), 0.0, 0.01);
  for (Eigen::Index i = 0; i < 3; ++i) {
    const std::vector<double> row(points.row(i).begin(), points.row(i).end());
    EXPECT_GT(distance_probability(row, [](double x) { return x; }), 0.01);
  }
}

TEST(GaussianCopula, reproduces_correlations_of_ranks) {
  const GaussianCopula copula(2, {{0, 1, 0.6}}, CorrelationKind::spearman);
  EXPECT_NEAR(copula.correlations()(0, 1), 2.0 * std::sin(M_PI * 0.1), 1e-15);
  const MatrixX points = correlated_points(copula, 100000);
  EXPECT_NEAR(correlation_of(ranks_of(points.row(0)), ranks_of(points.row(1))), 0.6, 0.008);
}

TEST(GaussianCopula, numbers_without_correlation_keep_their_bits) {
  const GaussianCopula copula(4, {{1, 3, 0.5}});
  const std::vector<double> before = {0.1, 0.7, 1e-12, 0.3};
  std::vector<double> after = before;
  copula.apply(after);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[1], before[1]);
  EXPECT_EQ(after[2], before[2]);
  EXPECT_NEAR(after[3],
              normal_cdf(0.5 * normal_quantile(0.7) + std::sqrt(0.75) * normal_quantile(0.3)),
              1e-15);
}

TEST(GaussianCopula, coordinates_stay_between_0_and_1) {
  const GaussianCopula copula(3, {{0, 1, 0.9}, {0, 2, 0.9}, {1, 2, 0.9}});
  for (const double end : {0x1p-53, 1.0 - 0x1p-53}) {
    std::vector<double> point = {end, end, end};
    copula.apply(point);
    for (const double x : point) {
      EXPECT_GT(x, 0.0);
      EXPECT_LT(x, 1.0);
    }
  }
}

TEST(GaussianCopula, correlations_that_cannot_be_are_refused) {
  EXPECT_THROW(GaussianCopula(3, {{0, 1, 0.9}, {1, 2, 0.9}, {0, 2, -0.9}}), Error);
  EXPECT_THROW(GaussianCopula(2, {{0, 1, 1.0}}), Error);
  EXPECT_THROW(GaussianCopula(2, {{0, 1, NAN}}), Error);
  EXPECT_THROW(GaussianCopula(2, {{0, 2, 0.1}}), Error);
  EXPECT_THROW(GaussianCopula(2, {{1, 1, 0.1}}), Error);
  EXPECT_THROW(GaussianCopula(2, {{0, 1, 0.1}, {1, 0, 0.2}}), Error);
  EXPECT_THROW(GaussianCopula(MatrixX::Ones(1, 2)), Error);
  EXPECT_THROW(GaussianCopula((MatrixX(2, 2) << 1.0, 0.2, 0.1, 1.0).finished()), Error);
  std::vector<double> point(3);
  EXPECT_THROW(GaussianCopula(2, {}).apply(point), Error);
}

}  // namespace
}  // namespace vinci
