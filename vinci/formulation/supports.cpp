// SPDX-License-Identifier: Apache-2.0
// Rows of supports.
#include "vinci/formulation/supports.h"

#include <cmath>

#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/pair_columns.h"

namespace vinci {
namespace {

// Velocity of the support along an axis of the plane, over the free entries of its body: column and
// value.
template <class Take>
void visit(const RowSpace& space, int b, const Vector3& arm, const Vector2& axis, Take take) {
  const Model& model = space.model;
  const Body& body = model.bodies[b];
  if (hangs(space.tree, b)) {
    PairColumns columns;
    columns.find(*space.tree, {}, {b, arm});
    for (const auto& column : columns.columns())
      take(column.unknown, axis.dot(column.linear.head<2>()));
    return;
  }
  for (int i = 0; i < body.velocity_size; ++i) {
    const int column = model.free_index[body.velocity_offset + i];
    if (column < 0) continue;
    take(column, i < 2 ? axis[i] : arm.x() * axis.y() - arm.y() * axis.x());
  }
}

// Whether a free coordinate moves the support.
bool can_slide(const RowSpace& space, int body, const Vector3& arm) {
  double largest = 0.0;
  for (const Vector2& axis : {Vector2(1.0, 0.0), Vector2(0.0, 1.0)})
    visit(space, body, arm, axis,
          [&](int, double value) { largest = std::max(largest, std::abs(value)); });
  return largest > 1e-12 * (1.0 + arm.norm());
}

}  // namespace

void find_supports(const RowSpace& space, const std::vector<Pose>& placed, double h, double time,
                   std::vector<SupportPoint>& supports) {
  const Model& model = space.model;
  const std::span<const Pose> poses = space.poses;
  supports.clear();
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    const Vector3 center =
        body.supports.empty() ? Vector3::Zero() : Vector3(poses[b] * body.mass.center);
    for (int k = 0; k < static_cast<int>(body.supports.size()); ++k) {
      const Support& support = body.supports[k];
      SupportPoint point{b, k, poses[b] * support.point};
      point.limit = support.friction * support.load * time;
      if (point.limit == 0.0 || !can_slide(space, b, point.point - center)) continue;
      point.prescribed = driven_velocity(model, b, poses[b], placed[b], point.point, h).head<2>();
      supports.push_back(point);
    }
  }
}

int support_row_count(const ConeForm& form) {
  return has_directions(form) ? direction_count(World::spatial, form) + 1 : 2;
}

void write_supports(const RowSpace& space, std::span<const SupportPoint> supports,
                    ComplementarityProblem& problem) {
  const ConeForm& form = space.form;
  for (const SupportPoint& support : supports) {
    const Vector3 arm =
        support.point - space.poses[support.body] * space.model.bodies[support.body].mass.center;
    const int first = problem.J.rows;
    const auto write = [&](const Vector2& axis) {
      problem.b[problem.J.rows] = axis.dot(support.prescribed);
      visit(space, support.body, arm, axis,
            [&](int column, double value) { problem.J.push(column, value); });
      problem.J.end_row();
    };
    if (!has_directions(form)) {
      for (const Vector2& axis : {Vector2(1.0, 0.0), Vector2(0.0, 1.0)}) {
        write(axis);
        problem.C.end_row();
      }
      problem.blocks.push_back(
          {.law = Law::ball, .offset = first, .size = 2, .upper = support.limit});
      continue;
    }
    const int directions = direction_count(World::spatial, form), sigma = first + directions;
    for (int j = 0; j < directions; ++j) {
      write(cone_direction(World::spatial, form, j));
      problem.C.push(sigma, 1.0);
      problem.C.end_row();
    }
    problem.J.end_row();  // σ does not see u
    problem.b[sigma] = support.limit;
    for (int j = 0; j < directions; ++j) problem.C.push(first + j, -1.0);
    problem.C.end_row();
    for (int row = first; row <= sigma; ++row)
      problem.blocks.push_back({.law = Law::nonnegative, .offset = row, .size = 1});
  }
}

Vector3 support_impulse(const ConeForm& form, Eigen::Ref<const VectorX> lambda) {
  if (!has_directions(form)) return {0.0, lambda[0], lambda[1]};
  Vector3 impulse = Vector3::Zero();
  for (int j = 0; j < direction_count(World::spatial, form); ++j)
    impulse.tail<2>() += lambda[j] * cone_direction(World::spatial, form, j);
  return impulse;
}

}  // namespace vinci
