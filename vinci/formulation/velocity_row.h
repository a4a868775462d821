// SPDX-License-Identifier: Apache-2.0
// A row of J: what the unknowns contribute to a sum of velocities of bodies. In reduced coordinates
// several bodies hang on the same unknowns.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "vinci/kinematics/recursive.h"

namespace vinci {

class VelocityRow {
 public:
  void begin(int unknowns) {
    values_.resize(static_cast<std::size_t>(unknowns), 0.0);
    for (const int column : columns_) values_[static_cast<std::size_t>(column)] = 0.0;
    columns_.clear();
  }
  void add(int column, double value);
  // Adds l·v + a·ω of a body (−1: the world, which adds nothing), v the velocity at the end of an
  // arm from its centre of mass.
  void add(const Tree& tree, int body, const Vector3& arm, const Vector3& l, const Vector3& a);
  // take(column, value) by ascending columns.
  template <class Take>
  void visit(Take take) {
    std::sort(columns_.begin(), columns_.end());
    for (const int column : columns_) take(column, values_[static_cast<std::size_t>(column)]);
  }
  double largest() const;

 private:
  std::vector<double> values_;  // per unknown; 0 where no column is
  std::vector<int> columns_;    // that were added to
  std::vector<BodyColumn> scratch_;
};

}  // namespace vinci
