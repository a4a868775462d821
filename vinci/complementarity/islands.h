// SPDX-License-Identifier: Apache-2.0
// Islands: the parts of a problem that do not act on each other, i.e. the connected components of
// the graph of its blocks and unknowns with an edge for every entry of J, M and C that is not zero.
// Each is a problem of its own; their answers together are the answer of the whole.
#pragma once

#include <span>
#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci {

class Islands {
 public:
  // Finds the islands of a valid problem, numbered by their first block; returns how many hold a
  // block. Unknowns that no row acts on belong to none.
  int find(const ComplementarityProblem& problem);
  int count() const { return static_cast<int>(block_starts_.size()) - 1; }
  int rows(int island) const { return row_starts_[island + 1] - row_starts_[island]; }
  std::span<const int> rows_of(int island) const {
    return {rows_.data() + row_starts_[island], static_cast<std::size_t>(rows(island))};
  }
  int unknowns(int island) const { return unknown_starts_[island + 1] - unknown_starts_[island]; }

  // The part of `problem` (that of find()) on an island, in the order of the whole.
  void extract(const ComplementarityProblem& problem, int island,
               ComplementarityProblem& part) const;
  void gather_rows(int island, const VectorX& whole, VectorX& part) const;
  void scatter_rows(int island, const VectorX& part, VectorX& whole) const;
  void gather_unknowns(int island, const VectorX& whole, VectorX& part) const;
  void scatter_unknowns(int island, const VectorX& part, VectorX& whole) const;

 private:
  int root(int node);
  void join(int a, int b);
  void join_entries(const SparseRows& matrix, int row_shift, int column_shift);
  void number_islands(const ComplementarityProblem& problem);
  void extract_rows(const SparseRows& from, const std::vector<int>& rows, int begin, int end,
                    const std::vector<int>& columns, int count, SparseRows& to) const;

  int row_count_ = 0;
  std::vector<int> parent_;                           // per row, then per unknown
  std::vector<int> island_of_;                        // per root
  std::vector<int> block_starts_ = {0}, blocks_;      // per island: numbers of its blocks
  std::vector<int> row_starts_ = {0}, rows_;          // likewise its rows
  std::vector<int> unknown_starts_ = {0}, unknowns_;  // and its unknowns
  std::vector<int> local_row_, local_unknown_;        // place within the island
  std::vector<int> cursor_;
};

}  // namespace vinci
