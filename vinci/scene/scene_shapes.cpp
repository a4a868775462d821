// SPDX-License-Identifier: Apache-2.0
// Shapes and placements from the scene tree; see scene_shapes.h.
#include "vinci/scene/scene_shapes.h"

#include <cmath>

#include <fmt/format.h>

#include "vinci/geometry/build.h"
#include "vinci/geometry/triangle_mesh.h"
#include "vinci/scene/scene_meshes.h"

namespace vinci {

double ShapeReader::number(const Node& parent, const char* key, double fallback) const {
  const Node* node = parent.find(key);
  return node ? numbers_(*node) : fallback;
}

Vector3 ShapeReader::vector(const Node& list) const {
  Vector3 result = Vector3::Zero();
  for (std::size_t i = 0; i < list.children.size() && i < 3; ++i)
    result[static_cast<int>(i)] = numbers_(list.children[i]);
  return result;
}

Vector3 ShapeReader::vector(const Node& parent, const char* key) const {
  const Node* node = parent.find(key);
  return node ? vector(*node) : Vector3::Zero();
}

Quaternion ShapeReader::spatial_rotation(const Node& node) const {
  if (const Node* axis = node.find("axis")) {
    const Vector3 direction = vector(*axis);
    const double length = direction.stableNorm();
    if (!(length > 0.0))
      throw Impossible{axis, "the axis has length 0; accepted: a direction, as in [0, 0, 1]"};
    const double half = 0.5 * numbers_(*node.find("angle"));
    const Vector3 imaginary = std::sin(half) / length * direction;
    return Quaternion(std::cos(half), imaginary.x(), imaginary.y(), imaginary.z()).normalized();
  }
  if (const Node* given = node.find("quaternion")) {
    const auto part = [&](std::size_t i) { return numbers_(given->children[i]); };
    const Quaternion q(part(0), part(1), part(2), part(3));
    constexpr double rounding = 1e-6;  // digits that people type
    if (!(std::abs(q.norm() - 1.0) <= rounding))
      throw Impossible{given,
                       fmt::format("the quaternion has length {:.7g}; accepted: a unit quaternion "
                                   "[w, x, y, z] (divide by its length)",
                                   q.norm())};
    return q.normalized();
  }
  const Vector3 rpy = 0.5 * vector(*node.find("rpy"));
  return rotation_about_z(2.0 * rpy.z()) *
         Quaternion(std::cos(rpy.y()), 0.0, std::sin(rpy.y()), 0.0) *
         Quaternion(std::cos(rpy.x()), std::sin(rpy.x()), 0.0, 0.0);
}

Quaternion ShapeReader::rotation(const Node& parent) const {
  if (const Node* node = parent.find("rotation")) return spatial_rotation(*node);
  if (const Node* node = parent.find("angle")) return rotation_about_z(numbers_(*node));
  return Quaternion::Identity();
}

Pose ShapeReader::placement(const Node& parent) const {
  return {vector(parent, "position"), rotation(parent)};
}

ShapeReader::Result ShapeReader::capsule(const Node& node) const {
  const double radius = number(node, "radius", 0.0);
  if (const Node* length = node.find("length")) {
    const double half = 0.5 * numbers_(*length);
    const bool planar = scene_.world == World::planar;
    return {Capsule{planar ? Vector3(half, 0.0, 0.0) : Vector3(0.0, 0.0, half), radius}, Pose()};
  }
  const Vector3 from = vector(node, "from"), to = vector(node, "to");
  if (from == to)
    throw Impossible{&node, fmt::format("both ends are the same point; accepted: two different "
                                        "points, or a {}",
                                        scene_.world == World::planar ? "circle" : "sphere")};
  return {Capsule{0.5 * (to - from), radius}, Pose{0.5 * (from + to), Quaternion::Identity()}};
}

// The frame whose y (in the plane) or z axis is the outward normal, by the shortest rotation.
ShapeReader::Result ShapeReader::half(const Node& node) const {
  const bool planar = scene_.world == World::planar;
  Pose offset{vector(node, "point"), rotation(node)};
  if (const Node* given = node.find("normal")) {
    Vector3 normal = vector(*given);
    const double length = normal.stableNorm();
    if (!(length > 0.0)) throw Impossible{given, "the normal has length 0; accepted: a direction"};
    normal /= length;
    if (planar) {
      offset.rotation = rotation_about_z(std::atan2(-normal.x(), normal.y()));
    } else {
      const double level = std::hypot(normal.x(), normal.y());
      const double half_tilt = 0.5 * std::atan2(level, normal.z());
      const Vector3 axis = level > 0.0 ? Vector3(-normal.y() / level, normal.x() / level, 0.0)
                                       : Vector3(1.0, 0.0, 0.0);
      const Vector3 imaginary = std::sin(half_tilt) * axis;
      offset.rotation =
          Quaternion(std::cos(half_tilt), imaginary.x(), imaginary.y(), 0.0).normalized();
    }
  }
  return {planar ? Shape(HalfPlane{}) : Shape(HalfSpace{}), offset};
}

ShapeReader::Result ShapeReader::polygon(const Node& node) const {
  std::vector<Vector2> vertices;
  if (node.key == "box") {
    const double x = 0.5 * numbers_(node.children[0]), y = 0.5 * numbers_(node.children[1]);
    vertices = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
  } else {
    for (const Node& child : node.children) vertices.push_back(vector(child).head<2>());
  }
  return {make_polygon(vertices), Pose()};
}

ShapeReader::Result ShapeReader::polyhedron(const Node& node) {
  std::vector<Vector3> points;
  if (node.is_list()) {
    for (const Node& child : node.children) points.push_back(vector(child));
    return {convex_hull(points), Pose()};
  }
  const std::string& file = node.find("file")->text;
  const double scale = number(node, "scale", 1.0);
  const auto made = hulls_.find({file, scale});
  if (made != hulls_.end()) return {made->second, Pose()};
  const auto mesh = scene_.mesh.find(file);
  if (mesh == scene_.mesh.end()) throw Impossible{&node, "the mesh was not read"};
  for (const Vector3& point : mesh->second) points.push_back(scale * point);
  return {hulls_.emplace(std::make_pair(file, scale), convex_hull(points)).first->second, Pose()};
}

ShapeReader::Result ShapeReader::mesh(const Node& node) {
  if (const Node* vertices = node.find("vertices")) {
    TriangleSoup soup;
    for (const Node& child : vertices->children) soup.points.push_back(vector(child));
    for (const Node& child : node.find("triangles")->children) {
      std::array<int, 3> corners{};
      for (std::size_t k = 0; k < 3; ++k) {
        const double number = numbers_(child.children[k]);
        if (!(number < static_cast<double>(soup.points.size())))
          throw Impossible{&child, fmt::format("a triangle names vertex {:.0f}; accepted: 0 to {}",
                                               number, soup.points.size() - 1)};
        corners[k] = static_cast<int>(number);
      }
      soup.triangles.push_back(corners);
    }
    return {make_mesh(soup), Pose()};
  }
  const std::string& file = node.find("file")->text;
  const double scale = number(node, "scale", 1.0);
  const auto read = scene_.triangles.find(file);
  if (read == scene_.triangles.end()) throw Impossible{&node, "the mesh was not read"};
  if (scale == 1.0) return {Mesh{read->second}, Pose()};
  const auto made = meshes_.find({file, scale});
  if (made != meshes_.end()) return {made->second, Pose()};
  TriangleSoup soup{read->second->vertices, read->second->triangles, {}};
  for (Vector3& point : soup.points) point *= scale;
  return {meshes_.emplace(std::make_pair(file, scale), make_mesh(soup)).first->second, Pose()};
}

ShapeReader::Result ShapeReader::height_field(const Node& node) const {
  const Vector2 size = vector(node, "size").head<2>();
  std::vector<double> heights;
  int columns = 0;
  if (const Node* function = node.find("function")) {
    const Node& points = *node.find("points");
    columns = static_cast<int>(std::min(numbers_(points.children[0]), 1e6));
    const int rows = static_cast<int>(std::min(numbers_(points.children[1]), 1e6));
    if (static_cast<double>(columns) * rows > static_cast<double>(max_heights))
      throw Impossible{&points, fmt::format("{} by {} points; accepted: at most {} together",
                                            columns, rows, max_heights)};
    const Expression height = numbers_.function(*function);
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < columns; ++i) {
        const double x = size.x() * (static_cast<double>(i) / (columns - 1) - 0.5);
        const double y = size.y() * (static_cast<double>(j) / (rows - 1) - 0.5);
        const double place[] = {x, y};
        heights.push_back(height.value(place));
        if (!std::isfinite(heights.back()))
          throw Impossible{function, fmt::format("the height at ({:.6g}, {:.6g}) is {}; accepted: "
                                                 "finite numbers",
                                                 x, y, heights.back())};
      }
    return {make_height_field(heights, columns, size), Pose()};
  }
  for (const Node& row : node.find("heights")->children) {
    const std::size_t before = heights.size();
    if (row.is_list())
      for (const Node& height : row.children) heights.push_back(numbers_(height));
    else if (!read_numbers(row.text, heights))
      throw Impossible{&row,
                       "a row of heights that is not of numbers; accepted: numbers with "
                       "blanks between them"};
    const std::size_t count = heights.size() - before;
    if (before == 0) columns = static_cast<int>(count);
    if (count != static_cast<std::size_t>(columns))
      throw Impossible{&row, fmt::format("a row of {} heights after rows of {}; accepted: rows of "
                                         "the same length",
                                         count, columns)};
  }
  return {make_height_field(heights, columns, size), Pose()};
}

ShapeReader::Result ShapeReader::superellipse(const Node& node) const {
  return {make_superellipse(vector(node, "axes").head<2>(), number(node, "exponent", 2.0)), Pose()};
}

ShapeReader::Result ShapeReader::superquadric(const Node& node) const {
  return {make_superquadric(vector(node, "axes"), number(node, "e1", 1.0), number(node, "e2", 1.0)),
          Pose()};
}

ShapeReader::Result ShapeReader::implicit(const Node& node) {
  const Node& function = *node.find("function");
  std::optional<Vector2> inside;
  std::vector<double> given;
  if (const Node* point = node.find("inside")) {
    inside = vector(*point).head<2>();
    given = {inside->x(), inside->y()};
  }
  const auto key = std::make_pair(function.text, given);
  const auto made = curves_.find(key);
  if (made != curves_.end()) return {made->second, Pose()};
  const ImplicitCurve curve = make_implicit_curve(numbers_.function(function), inside);
  return {curves_.emplace(key, curve).first->second, Pose()};
}

// `node` is the value of the key that names the kind.
ShapeReader::Result ShapeReader::make(const Node& node) {
  const bool planar = scene_.world == World::planar;
  const auto radius = [&] { return node.is_map() ? number(node, "radius", 0.0) : numbers_(node); };
  if (node.key == "circle") return {Circle{radius()}, Pose()};
  if (node.key == "sphere") return {Sphere{radius()}, Pose()};
  if (node.key == "capsule") return capsule(node);
  if (node.key == "half-plane" || node.key == "half-space") return half(node);
  if (node.key == "polyhedron") return polyhedron(node);
  if (node.key == "mesh") return mesh(node);
  if (node.key == "height-field") return height_field(node);
  if (node.key == "superellipse") return superellipse(node);
  if (node.key == "superquadric") return superquadric(node);
  if (node.key == "implicit") return implicit(node);
  if (node.key == "cylinder")
    return {Cylinder{number(node, "radius", 0.0), 0.5 * number(node, "height", 0.0)}, Pose()};
  if (node.key == "box" && !planar) return {Box{0.5 * vector(node)}, Pose()};
  return polygon(node);
}

ShapeReader::Result ShapeReader::shape(const Node& node) {
  const SceneValue& grammar =
      scene_grammar(scene_.world).find("bodies")->value.items[0].find("shapes")->value.items[0];
  for (const std::string& kind : grammar.one_of[0]) {
    const Node* value = node.find(kind);
    if (!value) continue;
    try {
      Result result = make(*value);
      result.offset = placement(node) * result.offset;
      return result;
    } catch (const Error& error) {
      throw Impossible{value, error.message()};
    }
  }
  throw Impossible{&node, "the shape has no kind"};
}

}  // namespace vinci
