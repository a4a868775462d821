// SPDX-License-Identifier: Apache-2.0
#include "vinci/selection/pyramid_form.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/regular_polygon.h"
#include "vinci/proofs/friction_sets.h"

namespace vinci {
namespace {

// Of the largest entry of a direction's row: printed numbers of ten digits pass, and the judge sees
// what they lack.
constexpr double same = 1e-9;

}  // namespace

bool PyramidForm::occurs(const ComplementarityProblem& problem) {
  return std::any_of(problem.blocks.begin(), problem.blocks.end(),
                     [&](const Block& block) { return is_slip_row(problem, block); });
}

bool PyramidForm::fits(const ComplementarityProblem& problem) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  nonnegative_.assign(rows, 0);
  column_counts_.assign(rows, 0);
  for (std::size_t k = 0; k < problem.C.values.size(); ++k)
    if (problem.C.values[k] != 0.0)
      ++column_counts_[static_cast<std::size_t>(problem.C.indices[k])];
  for (const Block& block : problem.blocks) {
    if (block.law == Law::second_order || block.law == Law::moments) return false;
    if (block.law != Law::nonnegative) continue;
    if (is_slip_row(problem, block)) {
      if (!fits_pyramid(problem, block.offset)) return false;
    } else {
      nonnegative_[static_cast<std::size_t>(block.offset)] = 1;
    }
  }
  return true;
}

// The rows before σ are looked at; those of a pyramid are used up.
bool PyramidForm::fits_pyramid(const ComplementarityProblem& problem, int sigma) {
  const SparseRows& C = problem.C;
  int first = sigma, count = 0, normal = -1;
  for (int k = C.starts[sigma]; k < C.starts[sigma + 1]; ++k) {
    const double value = C.values[k];
    const int row = C.indices[k];
    if (value == 0.0) continue;
    if (row > sigma || !nonnegative_[static_cast<std::size_t>(row)]) return false;
    if (value == -1.0) {
      first = std::min(first, row);
      ++count;
    } else if (value > 0.0 && normal < 0) {
      normal = row;
    } else {
      return false;
    }
  }
  if (count < 2 || first + count != sigma) return false;
  if (normal >= 0 ? normal != first - 1 || problem.b[sigma] != 0.0 : !(problem.b[sigma] >= 0.0))
    return false;
  if (column_counts_[static_cast<std::size_t>(sigma)] != count) return false;
  for (int row = first; row < sigma; ++row) {
    bool joined = false;
    for (int k = C.starts[row]; k < C.starts[row + 1]; ++k)
      joined = joined || (C.indices[k] == sigma && C.values[k] == 1.0);
    if (!joined) return false;
  }
  for (int row = normal >= 0 ? normal : first; row < sigma; ++row)
    nonnegative_[static_cast<std::size_t>(row)] = 0;
  return is_regular(problem, first, count, sigma);
}

namespace {

double largest_of(const SparseRows& rows, int first, int end, int without = -1) {
  double largest = 0.0;
  for (int k = rows.starts[first]; k < rows.starts[end]; ++k)
    if (rows.indices[k] != without) largest = std::max(largest, std::abs(rows.values[k]));
  return largest;
}

// A direction by the first two: row first + j = one · row first + second · row first + 1.
struct Share {
  int first, j;
  double one, second;
};

// The largest entry of what is left. Columns ascend; zeros need not be stored.
double deviation(const SparseRows& rows, const Share& share, int without = -1) {
  const int row[3] = {share.first + share.j, share.first, share.first + 1};
  const double factor[3] = {1.0, -share.one, -share.second};
  int at[3], end[3];
  for (int i = 0; i < 3; ++i) {
    at[i] = rows.starts[row[i]];
    end[i] = rows.starts[row[i] + 1];
  }
  double largest = 0.0;
  for (;;) {
    int column = rows.cols;
    for (int i = 0; i < 3; ++i)
      if (at[i] < end[i]) column = std::min(column, rows.indices[at[i]]);
    if (column == rows.cols) return largest;
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
      if (at[i] < end[i] && rows.indices[at[i]] == column) sum += factor[i] * rows.values[at[i]++];
    if (column != without) largest = std::max(largest, std::abs(sum));
  }
}

}  // namespace

bool PyramidForm::is_regular(const ComplementarityProblem& problem, int first, int count,
                             int sigma) {
  const SparseRows &J = problem.J, &C = problem.C;
  const VectorX& b = problem.b;
  const double largest_velocity = b.segment(first, count).cwiseAbs().maxCoeff();
  const double largest =
      std::max(largest_of(J, first, first + 2), largest_of(C, first, first + 2, sigma));
  const Vector2 next = polygon_corner(count, 1);
  for (int j = count == 2 ? 1 : 2; j < count; ++j) {
    const Vector2 corner = polygon_corner(count, j);
    const double second = count == 2 ? 0.0 : corner.y() / next.y();
    const Share share{first, j, corner.x() - second * next.x(), second};
    // Rows 0 and 1 are close together where there are many directions.
    const double most = same * (1.0 + std::abs(share.one) + std::abs(second));
    const double left = b[first + j] - share.one * b[first] - second * b[first + 1];
    if (deviation(J, share) > most * largest || deviation(C, share, sigma) > most * largest ||
        std::abs(left) > most * largest_velocity)
      return false;
  }
  return true;
}

}  // namespace vinci
