// SPDX-License-Identifier: Apache-2.0
// Sparse LU factors P A Q = L U, column by column [Gilbert, Peierls 1988], with threshold pivoting
// that prefers the diagonal, columns ordered by COLAMD or as given. Memory only grows; COLAMD's
// ordering is kept while the pattern stays as it was.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace vinci {

// An index as the containers of the standard library take it.
inline std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Compressed sparse columns.
struct SparseColumns {
  int rows = 0;
  std::vector<int> starts = {0}, indices;
  std::vector<double> values;

  int cols() const { return static_cast<int>(starts.size()) - 1; }
  void reset(int new_rows);  // no columns, keeps the memory
  void push(int row, double value) {
    indices.push_back(row);
    values.push_back(value);
  }
  void end_column() { starts.push_back(static_cast<int>(indices.size())); }
  // y += factor · column j
  void add_column(int j, double factor, double* y) const {
    for (int k = starts[at(j)]; k < starts[at(j) + 1]; ++k)
      y[indices[at(k)]] += factor * values[at(k)];
  }
};

class SparseLu {
 public:
  // What the rounding of a zero pivot can reach, of the largest entry of its column: ε = 2.2e-16
  // for each of the few hundred updates that an entry collects.
  static constexpr double singular_pivot = 1e-13;
  // A column whose pivot is at most `singular` times its largest entry depends on the others; it is
  // replaced by the unit column of its own index and listed in repaired(). False where that does
  // not help either.
  bool factor(const SparseColumns& A, double singular = singular_pivot,
              const std::vector<int>* order = nullptr);
  const std::vector<int>& repaired() const { return repaired_; }
  void solve(double* x);  // A x = right-hand side, in place
  std::size_t entries() const { return lower_indices_.size() + upper_indices_.size(); }

 private:
  void find_order(const SparseColumns& A);
  void reach(const SparseColumns& A, int column);
  int choose_pivot(int diagonal) const;
  void store_column(int k, int pivot);

  int size_ = 0, top_ = 0;
  std::vector<int> repaired_;
  std::vector<int> column_order_;                      // Q: the column eliminated at step k
  std::vector<int> pivot_row_;                         // P: the row of the pivot of step k
  std::vector<int> step_of_row_;                       // its inverse; −1: not pivoted yet
  std::vector<int> pattern_starts_, pattern_indices_;  // of the last ordering
  // L by columns, unit diagonal left out, rows as in A; U by columns, rows as steps.
  std::vector<int> lower_starts_, lower_indices_, upper_starts_, upper_indices_;
  std::vector<double> lower_values_, upper_values_, pivots_;
  std::vector<double> work_, permuted_;
  std::vector<int> stack_, position_, topological_, mark_;
};

}  // namespace vinci
