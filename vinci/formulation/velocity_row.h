// SPDX-License-Identifier: Apache-2.0
// A row of J: what the unknowns contribute to a sum of velocities of bodies. Several bodies may
// hang on the same unknowns.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "vinci/model/model.h"

namespace vinci {

class VelocityRow {
 public:
  void begin(int unknowns) {
    values_.resize(static_cast<std::size_t>(unknowns), 0.0);
    for (const int column : columns_) values_[static_cast<std::size_t>(column)] = 0.0;
    columns_.clear();
  }
  void add(int column, double value);
  // Adds l·v + a·ω of a body, v the velocity at a point of the world; nothing of the world itself.
  void add(const Model& model, std::span<const Pose> poses, int body, const Vector3& point,
           const Vector3& l, const Vector3& a);
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
};

}  // namespace vinci
