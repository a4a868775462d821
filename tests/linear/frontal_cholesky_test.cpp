// SPDX-License-Identifier: Apache-2.0
#include "vinci/linear/frontal_cholesky.h"

#include <random>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "vinci/base/math.h"

namespace vinci {
namespace {

using Link = FrontalCholesky::Link;

struct Graph {
  std::vector<Link> links;
  std::vector<int> starts = {0};
};

// Chains with links across, blocks of 1 to 6.
Graph some_graph(int count, std::mt19937_64& random) {
  Graph graph;
  for (int b = 0; b < count; ++b) graph.starts.push_back(graph.starts.back() + 1 + b % 6);
  for (int b = 0; b + 1 < count; ++b) {
    graph.links.emplace_back(b, b + 1);
    if (const int other = static_cast<int>(random() % static_cast<unsigned>(count)); other > b + 1)
      graph.links.emplace_back(other, b);  // either order
  }
  return graph;
}

TEST(FrontalCholesky, solves_as_a_dense_factorisation_does) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const int count : {1, 2, 9, 60, 200}) {
    const Graph graph = some_graph(count, random);
    const int n = graph.starts.back();
    FrontalCholesky factors;
    factors.analyse(graph.links, graph.starts);
    factors.clear();
    MatrixX dense = MatrixX::Zero(n, n);
    const auto size = [&](int b) { return graph.starts[b + 1] - graph.starts[b]; };
    for (int b = 0; b < count; ++b) {
      const MatrixX root = MatrixX::NullaryExpr(size(b), size(b), [&] { return unit(random); });
      const MatrixX block = root * root.transpose() + 40.0 * MatrixX::Identity(size(b), size(b));
      Eigen::Map<MatrixX>(factors.diagonal(b), size(b), size(b)) = block;
      dense.block(graph.starts[b], graph.starts[b], size(b), size(b)) = block;
    }
    for (std::size_t k = 0; k < graph.links.size(); ++k) {
      const int a = graph.links[k].first, b = graph.links[k].second;
      const MatrixX block = MatrixX::NullaryExpr(size(a), size(b), [&] { return unit(random); });
      Eigen::Map<MatrixX>(factors.between(k), size(a), size(b)) = block;
      dense.block(graph.starts[a], graph.starts[b], size(a), size(b)) = block;
      dense.block(graph.starts[b], graph.starts[a], size(b), size(a)) = block.transpose();
    }
    const VectorX right = VectorX::NullaryExpr(n, [&] { return unit(random); });
    VectorX x = right;
    ASSERT_TRUE(factors.factor());
    factors.solve(x.data());
    const VectorX expected = dense.llt().solve(right);
    EXPECT_LT((x - expected).norm(), 1e-12 * expected.norm()) << count;
  }
}

TEST(FrontalCholesky, says_that_a_matrix_is_not_positive) {
  FrontalCholesky factors;
  factors.analyse({{0, 1}}, {0, 1, 2});
  *factors.diagonal(0) = *factors.diagonal(1) = 1.0;
  *factors.between(0) = 2.0;
  EXPECT_FALSE(factors.factor());
}

}  // namespace
}  // namespace vinci
