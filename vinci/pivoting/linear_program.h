// SPDX-License-Identifier: Apache-2.0
// Small dense linear programs: maximise c·x over A x = a, G x >= h, x free in sign. Dictionary form
// of the simplex method in two phases; Bland's rule once the largest gain has not ended it
// [Chvátal 1983]. For problems of up to some hundred rows.
#pragma once

#include <vector>

#include "vinci/base/math.h"
#include "vinci/pivoting/pivoting.h"

namespace vinci {

class LinearProgram {
 public:
  enum class Status : char { optimal, infeasible, unbounded, failed };
  // Constraints nearer than this to being satisfied are, with rows scaled to a largest entry of 1:
  // ten times what counts as rounding of an entry, 1e-10, which is ε for the million operations
  // that a program of a hundred rows makes.
  static constexpr double tolerance = 1e-9;

  void reset(int variables);
  void add_equality(const VectorX& row, double value);  // row·x = value
  void add_at_least(const VectorX& row, double value);  // row·x >= value
  // x receives the point reached: of the maximum, or any feasible one where unbounded.
  Status maximise(const VectorX& objective, VectorX& x);
  Status find_point(VectorX& x) { return maximise(VectorX::Zero(variables_), x); }

 private:
  void add(const VectorX& row, double value, bool equality);
  void load(const VectorX& objective);
  bool eliminate_equalities();
  void eliminate_variables();
  bool make_feasible();
  Status climb(int goal);
  int entering(int goal, bool bland) const;
  int leaving(int column, bool bland) const;
  void exchange(int row, int column);

  // Labels: x_j is j, the slack of constraint i is variables + i, the auxiliary variable of the
  // first phase is the last.
  int variables_ = 0;
  std::vector<double> rows_, values_;
  std::vector<char> equality_;
  Dictionary<double> table_;
  std::vector<int> basic_, nonbasic_;
  std::vector<char> dead_;  // per column: fixed at zero
};

}  // namespace vinci
