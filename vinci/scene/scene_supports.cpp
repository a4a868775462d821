// SPDX-License-Identifier: Apache-2.0
// Supports: points or a sampled patch, and their loads.
#include "vinci/scene/scene_supports.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <fmt/format.h>

namespace vinci {
namespace {

bool contains(const Polygon& polygon, const Vector2& p) {
  bool inside = false;
  for (std::size_t i = 0, j = polygon.vertices.size() - 1; i < polygon.vertices.size(); j = i++) {
    const Vector2 &a = polygon.vertices[i], &b = polygon.vertices[j];
    if ((a.y() > p.y()) == (b.y() > p.y())) continue;
    if (p.x() < a.x() + (p.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x())) inside = !inside;
  }
  return inside;
}

bool contains(const Shape& shape, const Vector2& p) {
  if (const auto* circle = std::get_if<Circle>(&shape)) return p.norm() <= circle->radius;
  if (const auto* polygon = std::get_if<Polygon>(&shape)) return contains(*polygon, p);
  if (const auto* box = std::get_if<Box>(&shape))
    return std::abs(p.x()) <= box->half_extents.x() && std::abs(p.y()) <= box->half_extents.y();
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const Vector2 axis = capsule->half_axis.head<2>();
    const double along = std::clamp(p.dot(axis) / std::max(axis.squaredNorm(), 1e-300), -1.0, 1.0);
    return (p - along * axis).norm() <= capsule->radius;
  }
  return false;
}

// Centres of the cells of a square grid, about the middle of the body, that lie in a shape.
void sample(const Model& model, double spacing, const Node& where, Body& body) {
  Box3 around{Vector3::Constant(INFINITY), Vector3::Constant(-INFINITY)};
  const auto shapes = std::span(model.shapes)
                          .subspan(static_cast<std::size_t>(body.first_shape),
                                   static_cast<std::size_t>(body.shape_count));
  for (const PlacedShape& placed : shapes) {
    if (is_unbounded(placed.shape)) continue;
    const Box3 box = bounding_box(placed.shape, placed.offset);
    around.lower = around.lower.cwiseMin(box.lower);
    around.upper = around.upper.cwiseMax(box.upper);
  }
  const Vector3 size = around.upper - around.lower, middle = 0.5 * (around.upper + around.lower);
  const double columns = std::ceil(size.x() / spacing), rows = std::ceil(size.y() / spacing);
  if (!(columns * rows <= 100.0 * static_cast<double>(max_supports)))
    throw Impossible{&where, shapes.empty() ? "the body has no shape that could lie on the table"
                                            : "the grid is too fine; accepted: a larger spacing"};
  for (int i = 0; i < static_cast<int>(columns); ++i)
    for (int j = 0; j < static_cast<int>(rows); ++j) {
      const Vector3 point =
          middle + spacing * Vector3(i - 0.5 * (columns - 1.0), j - 0.5 * (rows - 1.0), 0.0);
      const bool inside = std::any_of(shapes.begin(), shapes.end(), [&](const PlacedShape& placed) {
        const Vector3 local = placed.offset.rotation.conjugate() * (point - placed.offset.position);
        return contains(placed.shape, local.head<2>());
      });
      if (inside) body.supports.push_back({Vector3(point.x(), point.y(), 0.0)});
    }
  if (body.supports.empty())
    throw Impossible{&where, "no point of the grid lies in the body; accepted: a smaller spacing"};
  if (body.supports.size() > max_supports)
    throw Impossible{&where, fmt::format("the grid has {} points in the body; at most {}",
                                         body.supports.size(), max_supports)};
}

// Weight on the table, N.
double weight_of(const SupportSources& from, const Node& where, const Body& body) {
  const Node* table = from.scene.root.find("table");
  if (!table)
    throw Impossible{&where,
                     "the load of the supports is not known; give `table: {gravity: 9.81}` at the "
                     "top of the scene, or `loads`"};
  return body.mass.mass * from.read.number(*table, "gravity", 9.81);
}

// Loads of equal springs.
void balance(double weight, const Node& where, Body& body) {
  const auto count = static_cast<Eigen::Index>(body.supports.size());
  double size = 0.0;
  for (const Support& support : body.supports)
    size = std::max(size, (support.point - body.mass.center).norm());
  if (size < 1e-9) size = 1.0;  // below the centre of mass, to rounding
  MatrixX rows(3, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Vector3 arm = body.supports[static_cast<std::size_t>(i)].point - body.mass.center;
    rows.col(i) << 1.0, arm.x() / size, arm.y() / size;
  }
  const Vector3 total(1.0, 0.0, 0.0);
  const VectorX share = rows.completeOrthogonalDecomposition().solve(total);
  constexpr double rounding = 1e-9;
  if ((rows * share - total).norm() > rounding || share.minCoeff() < -rounding)
    throw Impossible{&where, fmt::format("the body tips over: its centre of mass ({:.6g}, {:.6g}) "
                                         "does not lie between the supports; move them, or give "
                                         "`center` or `loads`",
                                         body.mass.center.x(), body.mass.center.y())};
  for (Eigen::Index i = 0; i < count; ++i)
    body.supports[static_cast<std::size_t>(i)].load = weight * std::max(0.0, share[i]);
}

// The pressure at every sample times the area that it stands for.
void press(const SupportSources& from, const Node& pressure, double area, Body& body) {
  std::vector<std::string> names{"x", "y"};
  std::vector<double> values{0.0, 0.0};
  for (const auto& [name, value] : from.numbers.values()) {
    if (name == "x" || name == "y") continue;
    names.push_back(name);
    values.push_back(value);
  }
  const auto expression = [&] {
    try {
      return Expression::parse(pressure.text, names);
    } catch (const Error& error) {
      throw Impossible{&pressure, error.message()};
    }
  }();
  for (Support& support : body.supports) {
    values[0] = support.point.x();
    values[1] = support.point.y();
    const double value = expression.value(values);
    if (!std::isfinite(value) || value < 0.0)
      throw Impossible{&pressure,
                       fmt::format("the pressure is {} Pa at ({:.6g}, {:.6g}); accepted: "
                                   "0 or more",
                                   value, values[0], values[1])};
    support.load = area * value;
  }
}

void read_loads(const SupportSources& from, const Node& node, Body& body) {
  if (const Node* loads = node.find("loads")) {
    if (loads->children.size() != body.supports.size())
      throw Impossible{loads, fmt::format("{} loads for {} points; accepted: one per point",
                                          loads->children.size(), body.supports.size())};
    for (std::size_t i = 0; i < body.supports.size(); ++i)
      body.supports[i].load = from.numbers(loads->children[i]);
    return;
  }
  const Node* patch = node.find("patch");
  if (!patch) return balance(weight_of(from, node, body), node, body);
  const double spacing = from.numbers(*patch);
  if (const Node* pressure = node.find("pressure"))
    return press(from, *pressure, spacing * spacing, body);
  const double weight = weight_of(from, node, body);
  for (Support& support : body.supports)
    support.load = weight / static_cast<double>(body.supports.size());
}

void read_coefficients(const SupportSources& from, const Node& node, Body& body) {
  const Node* table = from.scene.root.find("table");
  const auto of_table = [&](const char* key) {
    return table ? from.read.number(*table, key, 0.0) : 0.0;
  };
  const Node* friction = node.is_map() ? node.find("friction") : nullptr;
  if (friction && friction->is_list() && friction->children.size() != body.supports.size())
    throw Impossible{friction, fmt::format("{} coefficients for {} points; accepted: one per point",
                                           friction->children.size(), body.supports.size())};
  for (std::size_t i = 0; i < body.supports.size(); ++i) {
    Support& support = body.supports[i];
    support.friction = !friction             ? of_table("friction")
                       : friction->is_list() ? from.numbers(friction->children[i])
                                             : from.numbers(*friction);
    support.viscosity = node.is_map() ? from.read.number(node, "viscosity", of_table("viscosity"))
                                      : of_table("viscosity");
  }
}

}  // namespace

void read_supports(const SupportSources& from, const Node& node, Body& body) {
  const Node* supports = node.find("supports");
  if (!supports) return;
  if (body.freedom == Freedom::fixed)
    throw Impossible{supports, "a fixed body slides on nothing; remove it or `freedom: fixed`"};
  if (!(body.mass.mass > 0.0))
    throw Impossible{supports, "the body moves as prescribed, whatever rubs; remove it"};
  const Node* points = supports->is_list() ? supports : supports->find("points");
  if (points)
    for (const Node& point : points->children) body.supports.push_back({from.read.vector(point)});
  else
    sample(from.model, from.numbers(*supports->find("patch")), *supports->find("patch"), body);
  if (supports->is_list())
    balance(weight_of(from, *supports, body), *supports, body);
  else
    read_loads(from, *supports, body);
  read_coefficients(from, *supports, body);
}

}  // namespace vinci
