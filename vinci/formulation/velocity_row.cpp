// SPDX-License-Identifier: Apache-2.0
// Rows of J gathered over bodies.
#include "vinci/formulation/velocity_row.h"

#include <cmath>

namespace vinci {

void VelocityRow::add(int column, double value) {
  if (std::find(columns_.begin(), columns_.end(), column) == columns_.end())
    columns_.push_back(column);
  values_[static_cast<std::size_t>(column)] += value;
}

void VelocityRow::add(const Tree& tree, int body, const Vector3& arm, const Vector3& l,
                      const Vector3& a) {
  if (body < 0) return;
  const Vector3 moment = arm.cross(l) + a;
  tree.columns(body, scratch_);
  for (const BodyColumn& column : scratch_)
    add(column.unknown, l.dot(column.twist.linear) + moment.dot(column.twist.angular));
}

double VelocityRow::largest() const {
  double largest = 0.0;
  for (const int column : columns_)
    largest = std::max(largest, std::abs(values_[static_cast<std::size_t>(column)]));
  return largest;
}

}  // namespace vinci
