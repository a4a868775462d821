// SPDX-License-Identifier: Apache-2.0
// The problem form: the check that a problem is well formed.
#include "vinci/complementarity/problem.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace vinci {

std::string to_string(Law law) {
  switch (law) {
    case Law::equality:
      return "equality";
    case Law::nonnegative:
      return "nonnegative";
    case Law::box:
      return "box";
    case Law::ball:
      return "ball";
    case Law::coulomb:
      return "coulomb";
    case Law::second_order:
      return "second_order";
    case Law::moments:
      return "moments";
  }
  return "unknown";
}

namespace {

std::string why_invalid_matrix(const SparseRows& a, int rows, int cols, const char* name) {
  if (a.rows != rows || a.cols != cols)
    return fmt::format("{} is {} x {}, expected {} x {}", name, a.rows, a.cols, rows, cols);
  if (a.starts.size() != static_cast<std::size_t>(rows) + 1 || a.starts.front() != 0 ||
      static_cast<std::size_t>(a.starts.back()) != a.indices.size() ||
      a.indices.size() != a.values.size())
    return fmt::format("the row starts of {} do not fit its entries", name);
  for (int row = 0; row < rows; ++row) {
    if (a.starts[row] > a.starts[row + 1])
      return fmt::format("the row starts of {} descend at row {}", name, row);
    for (int k = a.starts[row], last = -1; k < a.starts[row + 1]; last = a.indices[k++]) {
      if (a.indices[k] < 0 || a.indices[k] >= cols)
        return fmt::format("{} has column {} in row {}, outside 0..{}", name, a.indices[k], row,
                           cols - 1);
      if (a.indices[k] <= last)
        return fmt::format("the columns of {} do not ascend in row {}", name, row);
      if (!std::isfinite(a.values[k]))
        return fmt::format("{}({}, {}) is {}", name, row, a.indices[k], a.values[k]);
    }
  }
  return {};
}

std::string why_invalid_vector(const VectorX& x, const char* name) {
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) return fmt::format("{}({}) is {}", name, i, x[i]);
  return {};
}

// Rows (n, t, r, s) of 1, 1..3, 0..2 and 0..1.
bool rows_fit(const Block& block) {
  if (block.tangents > 3 || block.spins > 1 || block.size > largest_contact) return false;
  const int others = block.size - 1 - block.spins;
  if (block.tangents == 0) return others == 2 || others == 4;
  return others >= block.tangents && others <= block.tangents + 2;
}

bool size_fits(const Block& block) {
  const int size = block.size;
  switch (block.law) {
    case Law::equality:
      return size >= 1;
    case Law::nonnegative:
    case Law::box:
      return size == 1;
    case Law::ball:
      return size == 1 || size == 2;
    case Law::coulomb:
    case Law::second_order:
      return size == 2 || size == 3;
    case Law::moments:
      return rows_fit(block);
  }
  return false;
}

std::string why_invalid_block(const Block& block, std::size_t number) {
  if (block.law == Law::moments && !size_fits(block))
    return fmt::format(
        "block {}: a moments block cannot have {} rows, {} of them tangents and {} spins", number,
        block.size, block.tangents, block.spins);
  if (!size_fits(block))
    return fmt::format("block {}: a {} block cannot have {} rows", number, to_string(block.law),
                       block.size);
  const bool cone =
      block.law == Law::coulomb || block.law == Law::second_order || block.law == Law::moments;
  if (cone && !(block.friction >= 0.0 && std::isfinite(block.friction)))
    return fmt::format("block {}: the friction coefficient is {}, expected finite and >= 0", number,
                       block.friction);
  if (block.law == Law::moments && !(block.rolling >= 0.0 && std::isfinite(block.rolling)))
    return fmt::format("block {}: the rolling resistance is {}, expected finite and >= 0", number,
                       block.rolling);
  if (block.law == Law::moments && !(block.torsion >= 0.0 && std::isfinite(block.torsion)))
    return fmt::format("block {}: the torsional friction is {}, expected finite and >= 0", number,
                       block.torsion);
  if (block.law == Law::ball && !(block.upper >= 0.0))
    return fmt::format("block {}: the radius of the ball is {}, expected >= 0", number,
                       block.upper);
  if (block.law == Law::box &&
      !(block.lower <= block.upper && block.lower < infinity && block.upper > -infinity))
    return fmt::format("block {}: the box is [{}, {}], which holds no number", number, block.lower,
                       block.upper);
  return {};
}

}  // namespace

std::string ComplementarityProblem::why_invalid() const {
  const int n = unknowns(), m = rows();
  std::string why = why_invalid_matrix(M, n, n, "M");
  if (why.empty()) why = why_invalid_matrix(J, m, n, "J");
  if (why.empty()) why = why_invalid_matrix(C, m, m, "C");
  if (why.empty()) why = why_invalid_vector(p, "p");
  if (why.empty()) why = why_invalid_vector(b, "b");
  int next = 0;
  for (std::size_t i = 0; why.empty() && i < blocks.size(); ++i) {
    why = why_invalid_block(blocks[i], i);
    if (why.empty() && (blocks[i].offset != next || blocks[i].size > m - next))
      why = fmt::format("block {} covers rows {}..{}, expected to start at row {} of {}", i,
                        blocks[i].offset, blocks[i].offset + blocks[i].size - 1, next, m);
    next += blocks[i].size;
  }
  if (why.empty() && next != m) why = fmt::format("the blocks cover {} of {} rows", next, m);
  return why;
}

}  // namespace vinci
