// SPDX-License-Identifier: Apache-2.0
// The independent second route: all solutions of a small mixed problem w = W λ + q, found by trying
// every combination of the pieces of its laws and solving the linear system of each.
#pragma once

#include <vector>

#include <Eigen/LU>

#include "vinci/complementarity/problem.h"

namespace vinci {

// One linear piece of a block's law: for each of its rows the equation a λ + c w + e λ_first = g.
struct Piece {
  struct Row {
    double lambda, w, of_first, value;
  };
  std::vector<Row> rows;
};

inline std::vector<Piece> pieces(const Block& block) {
  const Piece::Row held{0.0, 1.0, 0.0, 0.0}, off{1.0, 0.0, 0.0, 0.0};
  switch (block.law) {
    case Law::equality:
      return {{std::vector<Piece::Row>(static_cast<std::size_t>(block.size), held)}};
    case Law::nonnegative:
      return {{{off}}, {{held}}};
    case Law::box:
      return {{{held}}, {{{1.0, 0.0, 0.0, block.lower}}}, {{{1.0, 0.0, 0.0, block.upper}}}};
    default:  // planar coulomb: open, stick, slip to either side
      return {{{off, off}},
              {{held, held}},
              {{held, {1.0, 0.0, -block.friction, 0.0}}},
              {{held, {1.0, 0.0, block.friction, 0.0}}}};
  }
}

// Whether (λ, w) obeys the law to `slack`.
inline bool obeys(const Block& block, const double* lambda, const double* w, double slack) {
  switch (block.law) {
    case Law::equality:
      for (int i = 0; i < block.size; ++i)
        if (std::abs(w[i]) > slack) return false;
      return true;
    case Law::nonnegative:
      return lambda[0] >= -slack && w[0] >= -slack && std::min(lambda[0], w[0]) <= slack;
    case Law::box:
      if (lambda[0] < block.lower - slack || lambda[0] > block.upper + slack) return false;
      if (w[0] > slack) return lambda[0] <= block.lower + slack;
      return w[0] >= -slack || lambda[0] >= block.upper - slack;
    default:
      if (lambda[0] < -slack || w[0] < -slack || std::min(lambda[0], w[0]) > slack) return false;
      const double bound = block.friction * lambda[0];
      if (std::abs(lambda[1]) > bound + slack) return false;
      if (w[1] > slack) return std::abs(lambda[1] + bound) <= slack;
      return w[1] >= -slack || std::abs(lambda[1] - bound) <= slack;
  }
}

inline std::vector<VectorX> all_solutions(const std::vector<Block>& blocks, const MatrixX& W,
                                          const VectorX& q, double slack = 1e-9) {
  std::vector<std::vector<Piece>> choices;
  for (const Block& block : blocks) choices.push_back(pieces(block));
  std::vector<std::size_t> digit(blocks.size(), 0);
  std::vector<VectorX> found;
  const auto m = q.size();
  for (;;) {
    MatrixX A = MatrixX::Zero(m, m);
    VectorX g(m);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const Piece& piece = choices[k][digit[k]];
      for (int i = 0; i < blocks[k].size; ++i) {
        const int row = blocks[k].offset + i;
        const Piece::Row& equation = piece.rows[static_cast<std::size_t>(i)];
        A.row(row) += equation.w * W.row(row);
        A(row, row) += equation.lambda;
        A(row, blocks[k].offset) += equation.of_first;
        g[row] = equation.value - equation.w * q[row];
      }
    }
    const Eigen::FullPivLU<MatrixX> lu(A);
    if (lu.isInvertible()) {
      const VectorX lambda = lu.solve(g), w = W * lambda + q;
      bool good = true;
      for (const Block& block : blocks)
        good = good && obeys(block, &lambda[block.offset], &w[block.offset], slack);
      if (good) found.push_back(lambda);
    }
    std::size_t k = 0;
    while (k < digit.size() && ++digit[k] == choices[k].size()) digit[k++] = 0;
    if (k == digit.size()) return found;
  }
}

// Distance from λ to the nearest of the solutions; infinite where there is none.
inline double distance(const VectorX& lambda, const std::vector<VectorX>& solutions) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const VectorX& solution : solutions)
    nearest = std::min(nearest, (lambda - solution).cwiseAbs().maxCoeff());
  return nearest;
}

}  // namespace vinci
