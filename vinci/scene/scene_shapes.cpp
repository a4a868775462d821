// SPDX-License-Identifier: Apache-2.0
// Shapes and placements from the scene tree; see scene_shapes.h.
#include "vinci/scene/scene_shapes.h"

#include <cmath>

#include <fmt/format.h>

#include "vinci/geometry/build.h"

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
