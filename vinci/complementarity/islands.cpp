// SPDX-License-Identifier: Apache-2.0
// Connected components by union-find with path halving; the smaller index is the root, so that the
// numbering does not depend on the order of the entries.
#include "vinci/complementarity/islands.h"

#include <algorithm>
#include <numeric>

namespace vinci {

int Islands::root(int node) {
  while (parent_[node] != node) {
    parent_[node] = parent_[parent_[node]];
    node = parent_[node];
  }
  return node;
}

void Islands::join(int a, int b) {
  a = root(a);
  b = root(b);
  if (a < b)
    parent_[b] = a;
  else
    parent_[a] = b;
}

// The root of a row is kept at hand: most of what it meets hangs on it already.
void Islands::join_entries(const SparseRows& matrix, int row_shift, int column_shift) {
  for (int row = 0; row < matrix.rows; ++row) {
    int mine = root(row + row_shift);
    for (int k = matrix.starts[row]; k < matrix.starts[row + 1]; ++k) {
      const int node = matrix.indices[k] + column_shift;
      if (parent_[node] == mine || matrix.values[k] == 0.0) continue;
      const int other = root(node);
      if (other < mine)
        parent_[mine] = other, mine = other;
      else
        parent_[other] = mine;
      parent_[node] = mine;
    }
  }
}

int Islands::find(const ComplementarityProblem& problem) {
  row_count_ = problem.rows();
  parent_.resize(static_cast<std::size_t>(row_count_ + problem.unknowns()));
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const Block& block : problem.blocks)
    for (int i = 1; i < block.size; ++i) join(block.offset, block.offset + i);
  join_entries(problem.J, 0, row_count_);
  join_entries(problem.C, 0, 0);
  join_entries(problem.M, row_count_, row_count_);
  number_islands(problem);
  return count();
}

void Islands::number_islands(const ComplementarityProblem& problem) {
  const int m = row_count_, n = problem.unknowns();
  island_of_.assign(parent_.size(), -1);
  int islands = 0;
  for (const Block& block : problem.blocks)
    if (int& number = island_of_[root(block.offset)]; number < 0) number = islands++;
  const auto island = [&](int node) { return island_of_[root(node)]; };

  // Counting sorts, which keep the order of the whole.
  const auto group = [&](int items, std::vector<int>& starts, std::vector<int>& members,
                         auto&& island_of_item) {
    starts.assign(static_cast<std::size_t>(islands) + 1, 0);
    int grouped = 0;
    for (int i = 0; i < items; ++i)
      if (const int k = island_of_item(i); k >= 0) ++starts[k + 1], ++grouped;
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    members.resize(static_cast<std::size_t>(grouped));
    cursor_.assign(starts.begin(), starts.end());
    for (int i = 0; i < items; ++i)
      if (const int k = island_of_item(i); k >= 0) members[cursor_[k]++] = i;
  };
  group(static_cast<int>(problem.blocks.size()), block_starts_, blocks_,
        [&](int i) { return island(problem.blocks[i].offset); });
  group(m, row_starts_, rows_, [&](int i) { return island(i); });
  group(n, unknown_starts_, unknowns_, [&](int i) { return island(m + i); });

  local_row_.resize(static_cast<std::size_t>(m));
  local_unknown_.resize(static_cast<std::size_t>(n));
  for (int k = 0; k < islands; ++k) {
    for (int i = row_starts_[k]; i < row_starts_[k + 1]; ++i)
      local_row_[rows_[i]] = i - row_starts_[k];
    for (int i = unknown_starts_[k]; i < unknown_starts_[k + 1]; ++i)
      local_unknown_[unknowns_[i]] = i - unknown_starts_[k];
  }
}

// Rows [begin, end) of `rows`, their columns renumbered; entries of other islands are zeros.
void Islands::extract_rows(const SparseRows& from, const std::vector<int>& rows, int begin, int end,
                           const std::vector<int>& columns, int count, SparseRows& to) const {
  to.reset(count);
  for (int i = begin; i < end; ++i) {
    for (int k = from.starts[rows[i]]; k < from.starts[rows[i] + 1]; ++k)
      if (from.values[k] != 0.0) to.push(columns[from.indices[k]], from.values[k]);
    to.end_row();
  }
}

void Islands::extract(const ComplementarityProblem& problem, int island,
                      ComplementarityProblem& part) const {
  const int row = row_starts_[island], row_end = row_starts_[island + 1];
  const int unknown = unknown_starts_[island], unknown_end = unknown_starts_[island + 1];
  extract_rows(problem.M, unknowns_, unknown, unknown_end, local_unknown_, unknown_end - unknown,
               part.M);
  extract_rows(problem.J, rows_, row, row_end, local_unknown_, unknown_end - unknown, part.J);
  extract_rows(problem.C, rows_, row, row_end, local_row_, row_end - row, part.C);
  gather_rows(island, problem.b, part.b);
  gather_unknowns(island, problem.p, part.p);
  part.blocks.clear();
  for (int i = block_starts_[island]; i < block_starts_[island + 1]; ++i) {
    part.blocks.push_back(problem.blocks[blocks_[i]]);
    part.blocks.back().offset = local_row_[part.blocks.back().offset];
  }
}

void Islands::gather_rows(int island, const VectorX& whole, VectorX& part) const {
  part.resize(rows(island));
  for (int i = 0; i < part.size(); ++i) part[i] = whole[rows_[row_starts_[island] + i]];
}

void Islands::scatter_rows(int island, const VectorX& part, VectorX& whole) const {
  for (int i = 0; i < part.size(); ++i) whole[rows_[row_starts_[island] + i]] = part[i];
}

void Islands::gather_unknowns(int island, const VectorX& whole, VectorX& part) const {
  part.resize(unknowns(island));
  for (int i = 0; i < part.size(); ++i) part[i] = whole[unknowns_[unknown_starts_[island] + i]];
}

void Islands::scatter_unknowns(int island, const VectorX& part, VectorX& whole) const {
  for (int i = 0; i < part.size(); ++i) whole[unknowns_[unknown_starts_[island] + i]] = part[i];
}

}  // namespace vinci
