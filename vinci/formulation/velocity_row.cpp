// SPDX-License-Identifier: Apache-2.0
// Rows of J gathered over bodies.
#include "vinci/formulation/velocity_row.h"

#include <cmath>

#include "vinci/kinematics/body_columns.h"

namespace vinci {

void VelocityRow::add(int column, double value) {
  double& sum = values_[static_cast<std::size_t>(column)];
  if (std::find(columns_.begin(), columns_.end(), column) == columns_.end())
    columns_.push_back(column);
  sum += value;
}

void VelocityRow::add(const Model& model, std::span<const Pose> poses, int body,
                      const Vector3& point, const Vector3& l, const Vector3& a) {
  if (body < 0) return;
  const Body& own = model.bodies[static_cast<std::size_t>(body)];
  const Vector3 arm = point - poses[static_cast<std::size_t>(body)] * own.mass.center;
  const Vector3 moment = arm.cross(l) + a;
  visit_columns(model, poses, body,
                [&](int column, const Vector3& linear, const Vector3& angular) {
                  add(column, l.dot(linear) + moment.dot(angular));
                });
}

double VelocityRow::largest() const {
  double largest = 0.0;
  for (const int column : columns_)
    largest = std::max(largest, std::abs(values_[static_cast<std::size_t>(column)]));
  return largest;
}

}  // namespace vinci
