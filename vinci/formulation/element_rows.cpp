// SPDX-License-Identifier: Apache-2.0
// Rows of elements, or what they add to M and p.
#include "vinci/formulation/element_rows.h"

#include <algorithm>
#include <cmath>

#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/pair_columns.h"

namespace vinci {
namespace {

// The row of J over the free entries, by ascending column: take(column, value).
template <class Take>
void visit(const RowSpace& space, const ElementRow& row, Take take) {
  const Model& model = space.model;
  const std::span<const Pose> poses = space.poses;
  if (hangs(space.tree, row.body_a) || hangs(space.tree, row.body_b)) {
    const auto end = [&](int body, const Vector3& point) -> PairColumns::End {
      return {body,
              body < 0 ? point : Vector3(point - poses[body] * model.bodies[body].mass.center)};
    };
    PairColumns columns;
    columns.find(*space.tree, end(row.body_a, row.point_a), end(row.body_b, row.point_b));
    for (const auto& column : columns.columns()) take(column.unknown, row.axis.dot(column.linear));
    return;
  }
  struct Side {
    int body;
    const Vector3* point;
    double sign;
  };
  Side sides[] = {{row.body_a, &row.point_a, -1.0}, {row.body_b, &row.point_b, 1.0}};
  const auto offset = [&](const Side& side) {
    return side.body < 0 ? -1 : model.bodies[side.body].velocity_offset;
  };
  if (offset(sides[0]) > offset(sides[1])) std::swap(sides[0], sides[1]);
  for (const Side& side : sides) {
    if (side.body < 0) continue;
    const Body& body = model.bodies[side.body];
    const Vector3 arm = *side.point - poses[side.body] * body.mass.center;
    const Vector3 moment = arm.cross(row.axis);
    for (int i = 0; i < body.velocity_size; ++i) {
      const int entry = body.velocity_offset + i, column = model.free_index[entry];
      if (column < 0) continue;
      const int coordinate = model.coordinate[entry];
      take(column, side.sign * (coordinate < 3 ? row.axis[coordinate] : moment[coordinate - 3]));
    }
  }
}

// Mean velocity over the step of b against a along the axis by the prescribed coordinates alone.
double prescribed_rate(const ElementStep& step, const ElementRow& row) {
  const auto velocity = [&](int b, const Vector3& point) -> Vector3 {
    if (b < 0) return Vector3::Zero();
    return driven_velocity(step.model, b, step.state.poses[b], step.placed[b], point, step.h);
  };
  return row.axis.dot(velocity(row.body_b, row.point_b) - velocity(row.body_a, row.point_a));
}

bool can_respond(const ElementStep& step, const ElementRow& row) {
  double largest = 0.0;
  visit({step.model, step.state.poses, {}, step.tree}, row,
        [&](int, double value) { largest = std::max(largest, std::abs(value)); });
  return largest > 1e-12;  // the axis is a unit vector: below this it is rounding
}

// Rows across the axes, which no force holds when the step begins.
void add_sideways(World world, std::vector<ElementRow>& rows) {
  for (std::size_t i = 0, count = rows.size(); i < count; ++i) {
    if (rows[i].sideways == 0.0) continue;
    ElementRow row = rows[i];
    row.stretch = row.damping = 0.0;
    row.stiffness = row.sideways;
    const Vector3 axis = rows[i].axis;
    if (world == World::planar) {
      row.axis = Vector3(-axis.y(), axis.x(), 0.0);
      rows.push_back(row);
      continue;
    }
    row.axis = axis.unitOrthogonal();
    rows.push_back(row);
    row.axis = axis.cross(row.axis);
    rows.push_back(row);
  }
}

}  // namespace

void find_elements(const ElementStep& step, std::vector<ElementTerms>& elements) {
  elements.clear();
  if (step.model.elements.empty()) return;
  std::vector<ElementRow>& rows = step.scratch;
  for (std::size_t i = 0; i < step.model.elements.size(); ++i) {
    rows.clear();
    step.model.elements[i]->rows(step.model, step.state, rows);
    if (!step.momentum) add_sideways(step.model.world, rows);
    std::int64_t point = 0;
    for (const ElementRow& row : rows) {
      const double resistance = step.h * row.stiffness + row.damping;
      if (resistance > 0.0 && can_respond(step, row)) {
        const double rest = row.stiffness * row.stretch / resistance;
        elements.push_back({element_key(static_cast<int>(i)), point, row,
                            prescribed_rate(step, row) + rest, rest,
                            1.0 / (step.time * resistance)});
      }
      ++point;
    }
  }
}

ElementGain element_gain(const Model& model, const ElementWork& work) {
  double gained = 0.0, stored = 0.0, size = 0.0;
  EntityKey last;
  for (std::size_t i = 0; i < work.elements.size(); ++i) {
    const ElementTerms& terms = work.elements[i];
    // λ w is what the element gives, w = −C λ − k s/(h k + c).
    const double given = work.impulses[i] * (terms.compliance * work.impulses[i] + terms.rest);
    gained -= given;
    size += std::abs(given);
    if (i > 0 && terms.key == last) continue;
    last = terms.key;
    const Element& element = *model.elements[terms.key.ids[0]];
    const double before = element.potential(work.start), after = element.potential(work.end);
    gained += after - before;
    stored += before;
    size += before + after;
  }
  constexpr double rounding = 1e-12;
  return {gained > rounding * size ? gained : 0.0, stored};
}

void write_elements(const RowSpace& space, std::span<const ElementTerms> elements,
                    ComplementarityProblem& problem) {
  for (const ElementTerms& element : elements) {
    const int row = problem.J.rows;
    visit(space, element.row, [&](int column, double value) { problem.J.push(column, value); });
    problem.J.end_row();
    problem.C.push(row, element.compliance);
    problem.C.end_row();
    problem.b[row] = element.bias;
    problem.blocks.push_back({.law = Law::equality, .offset = row, .size = 1});
  }
}

void condense_elements(const RowSpace& space, std::span<const ElementTerms> elements,
                       ComplementarityProblem& problem) {
  if (elements.empty()) return;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < problem.M.rows; ++i)
    for (int k = problem.M.starts[i]; k < problem.M.starts[i + 1]; ++k)
      entries.emplace_back(i, problem.M.indices[k], problem.M.values[k]);
  std::vector<std::pair<int, double>> own;
  for (const ElementTerms& element : elements) {
    own.clear();
    visit(space, element.row, [&](int column, double value) { own.emplace_back(column, value); });
    const double stiffness = 1.0 / element.compliance;
    for (const auto& [i, a] : own) {
      problem.p[i] -= stiffness * element.bias * a;
      for (const auto& [j, b] : own) entries.emplace_back(i, j, stiffness * a * b);
    }
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor, int> M(space.model.free_count,
                                                      space.model.free_count);
  M.setFromTriplets(entries.begin(), entries.end());
  problem.M = SparseRows::from(M);
}

}  // namespace vinci
