// SPDX-License-Identifier: Apache-2.0
// Bodies from the scene tree: drives, shapes, mass, placement. What cannot be is said at the key
// that causes it, with a way out.
#include "vinci/scene/scene_body.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "vinci/geometry/triangle_mesh.h"
#include "vinci/model/actuation.h"
#include "vinci/scene/scene_supports.h"

namespace vinci {

namespace {

constexpr std::size_t yaw = 5;

// Coordinate that a key of `motion` or `force` means.
std::size_t coordinate_of(const std::string& key) {
  if (key == "x") return 0;
  if (key == "y") return 1;
  if (key == "z") return 2;
  if (key == "roll" || key == "torque-x") return 3;
  if (key == "pitch" || key == "torque-y") return 4;
  return yaw;  // angle, yaw, torque, torque-z
}

bool has_coordinate(Freedom freedom, std::size_t coordinate) {
  if (freedom == Freedom::planar) return coordinate < 2 || coordinate == yaw;
  return freedom == Freedom::spatial;
}

bool fully_prescribed(const Body& body) {
  for (std::size_t i = 0; i < coordinate_count; ++i)
    if (has_coordinate(body.freedom, i) && !body.drives[i].prescribed) return false;
  return body.freedom != Freedom::fixed;
}

void refuse_key(const Node& node, const char* key, const std::string& message) {
  if (const Node* child = node.find(key)) throw Impossible{child, message};
}

void refuse_coordinate(const Node& key, Freedom freedom, const char* accepted) {
  if (!has_coordinate(freedom, coordinate_of(key.key)))
    throw Impossible{
        &key, fmt::format("a body of planar freedom has no '{}'; accepted: {}", key.key, accepted)};
}

bool is_positive_definite(const Matrix3& matrix) {
  return Eigen::SelfAdjointEigenSolver<Matrix3>(matrix, Eigen::EigenvaluesOnly)
             .eigenvalues()
             .minCoeff() > 0.0;
}

}  // namespace

void BodyReader::read_motion(const Node& node, Body& body) const {
  const Node* motion = node.find("motion");
  if (!motion) return;
  if (body.freedom == Freedom::fixed)
    throw Impossible{motion, "a fixed body does not move; remove `freedom: fixed` or `motion`"};
  bool turns = false;
  for (const Node& key : motion->children) {
    refuse_coordinate(key, body.freedom, "x, y, yaw");
    const std::size_t coordinate = coordinate_of(key.key);
    body.drives[coordinate] = {true, numbers_.function(key)};
    turns = turns || coordinate >= 3;
  }
  // In space a rotation is prescribed as a whole; angles not given are zero.
  for (std::size_t i = 3; turns && body.freedom == Freedom::spatial && i < coordinate_count; ++i)
    body.drives[i].prescribed = true;
}

void BodyReader::read_force(const Node& node, Body& body) const {
  const Node* force = node.find("force");
  if (!force) return;
  if (body.freedom == Freedom::fixed)
    throw Impossible{force, "a force on a fixed body moves nothing; remove it"};
  for (const Node& key : force->children) {
    refuse_coordinate(key, body.freedom, "x, y, torque-z");
    const std::size_t coordinate = coordinate_of(key.key);
    if (body.drives[coordinate].prescribed)
      throw Impossible{&key, "`motion` prescribes this coordinate; give one of them"};
    Expression expression = numbers_.function(key);
    if (coordinate >= 3 && body.freedom == Freedom::spatial && expression.uses(position_variable))
      throw Impossible{&key,
                       "'q' has no value for a rotation in space; accepted: an expression of t "
                       "and v (the angular velocity about this axis)"};
    body.drives[coordinate].expression = std::move(expression);
    model_.drags = model_.drags || reads_velocity(body.drives[coordinate]);
  }
}

bool BodyReader::read_shapes(const Node& node, Body& body) {
  body.first_shape = static_cast<int>(model_.shapes.size());
  const Node* shapes = node.find("shapes");
  bool fine = true;
  for (std::size_t i = 0; shapes && i < shapes->children.size(); ++i) {
    const Node& shape = shapes->children[i];
    try {
      ShapeReader::Result result = read_.shape(shape);
      const Node* name = shape.find("material");
      const auto material = std::find_if(
          model_.materials.begin(), model_.materials.end(),
          [&](const Material& m) { return m.name == (name ? name->text : "default"); });
      const double half = half_thickness(result.shape);
      model_.shapes.push_back({std::move(result.shape), result.offset,
                               static_cast<int>(model_.bodies.size()),
                               static_cast<int>(material - model_.materials.begin()), half});
      if (const Node* runs = shape.find("surface-velocity")) {
        for (const Node& component : runs->children)
          model_.shapes.back().surface_velocity.push_back(numbers_.function(component));
        model_.conveys = true;
      }
    } catch (const Impossible& mistake) {
      mistakes_.add(*mistake.where, mistake.message);
      fine = false;
    }
  }
  body.shape_count = static_cast<int>(model_.shapes.size()) - body.first_shape;
  return fine;
}

// Of the shapes with their densities; unbounded ones count nothing.
MassProperties BodyReader::shapes_mass(const Node& node, const Body& body) const {
  const Extent extent = scene_.world == World::planar ? Extent::planar : Extent::spatial;
  std::vector<MassProperties> parts;
  for (int i = 0; i < body.shape_count; ++i) {
    const PlacedShape& placed = model_.shapes[static_cast<std::size_t>(body.first_shape + i)];
    if (is_unbounded(placed.shape)) continue;
    const Node& shape = node.find("shapes")->children[static_cast<std::size_t>(i)];
    const double density = read_.number(shape, "density", 1000.0);
    if (density > 0.0)
      parts.push_back(transformed(mass_properties(placed.shape, density, extent), placed.offset));
  }
  if (parts.empty()) return {};
  return combined(parts);
}

Matrix3 BodyReader::given_inertia(const Node& node, bool is_physical) const {
  Matrix3 inertia = Matrix3::Zero();
  if (node.is_scalar()) {  // planar; the flat sheet's other entries
    const double z = numbers_(node);
    inertia.diagonal() << 0.5 * z, 0.5 * z, z;
    return inertia;
  }
  const bool rows = node.children[0].is_list();
  for (int i = 0; i < 3; ++i) {
    const Node& row = node.children[static_cast<std::size_t>(i)];
    if (row.is_list() != rows)
      throw Impossible{&node, "numbers and rows mixed; accepted: [Ixx, Iyy, Izz] or a 3×3 list"};
    if (rows)
      inertia.row(i) = read_.vector(row).transpose();
    else
      inertia(i, i) = numbers_(row);
  }
  constexpr double rounding = 1e-9;  // relative, of numbers typed by hand
  const double size = inertia.cwiseAbs().maxCoeff();
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > rounding * size)
    throw Impossible{&node, "the inertia is not symmetric; accepted: Ixy = Iyx and so on"};
  inertia = (0.5 * (inertia + inertia.transpose())).eval();
  const Vector3 principal =
      Eigen::SelfAdjointEigenSolver<Matrix3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(principal[0] > 0.0))
    throw Impossible{&node,
                     fmt::format("the inertia is not positive definite (a principal moment is "
                                 "{:.6g}); accepted: three positive principal moments",
                                 principal[0])};
  if (is_physical && principal[0] + principal[1] < (1.0 - rounding) * principal[2])
    throw Impossible{&node,
                     fmt::format("no body has the principal moments {:.6g}, {:.6g} and {:.6g}: two "
                                 "of them are together never less than the third",
                                 principal[0], principal[1], principal[2])};
  return inertia;
}

// What has one side only is ground, which others move on.
void BodyReader::refuse_ground(const Node& node, const Body& body) const {
  for (int i = 0; i < body.shape_count; ++i) {
    const Shape& shape = model_.shapes[static_cast<std::size_t>(body.first_shape + i)].shape;
    const TriangleMesh* mesh = triangles_of(shape);
    if (!mesh || mesh->closed) continue;
    const Node& where = node.find("shapes")->children[static_cast<std::size_t>(i)];
    if (std::holds_alternative<HeightField>(shape))
      throw Impossible{&where,
                       "a height field is ground; accepted: on a body with `freedom: fixed`, or "
                       "whose whole motion is prescribed"};
    const auto border = std::find_if(mesh->edges.begin(), mesh->edges.end(),
                                     [](const auto& edge) { return edge.right < 0; });
    const Vector3& at = mesh->vertices[static_cast<std::size_t>(border->tail)];
    throw Impossible{
        &where, fmt::format("the mesh is open: {} edges belong to one triangle only, the first "
                            "at ({:.6g}, {:.6g}, {:.6g}) of triangle {}; accepted: a closed "
                            "mesh, or `freedom: fixed`",
                            mesh->border_edges, at.x(), at.y(), at.z(), border->left + 1)};
  }
}

void BodyReader::read_mass(const Node& node, Body& body) const {
  const Node *mass = node.find("mass"), *inertia = node.find("inertia"),
             *center = node.find("center"), *shapes = node.find("shapes");
  const auto has_density = [](const Node& shape) { return shape.has("density"); };
  const bool driven = body.freedom == Freedom::fixed || fully_prescribed(body);
  const bool weighs =
      mass || inertia ||
      (shapes && std::any_of(shapes->children.begin(), shapes->children.end(), has_density));
  if (!driven) refuse_ground(node, body);
  if (!driven || (weighs && body.freedom != Freedom::fixed)) {
    body.mass = shapes_mass(node, body);
    const bool made_of_shapes = body.mass.mass > 0.0;
    if (mass) {
      if (made_of_shapes) body.mass.inertia *= numbers_(*mass) / body.mass.mass;
      body.mass.mass = numbers_(*mass);
    }
    const Node* check = node.find("inertia-check");
    const bool is_physical = !check || check->text != "definite";
    if (inertia) body.mass.inertia = given_inertia(*inertia, is_physical);
  }
  if (center) body.mass.center = read_.vector(*center);
  if (!std::isfinite(body.mass.mass) || !body.mass.inertia.allFinite() ||
      !body.mass.center.allFinite())
    throw Impossible{&node, "the mass of the body is beyond all numbers; its shapes are too large"};
  if (driven) return;
  if (!(body.mass.mass > 0.0))
    throw Impossible{&node,
                     "the body moves freely but has no mass (half-planes and half-spaces have "
                     "none); give shapes with a density, or `mass` "
                     "and `inertia`, or `freedom: fixed`"};
  const bool turns = !body.drives[yaw].prescribed;
  const bool inert = body.freedom == Freedom::planar ? body.mass.planar_inertia() > 0.0
                                                     : is_positive_definite(body.mass.inertia);
  if (turns && !inert)
    throw Impossible{&node,
                     "the body turns freely but has no inertia; give `inertia`, or shapes with a "
                     "density"};
}

void BodyReader::check_planar(const Node& node, const Body& body) const {
  constexpr double rounding = 1e-12;
  const Quaternion& rotation = body.initial_pose.rotation;
  if (std::hypot(rotation.x(), rotation.y()) > rounding)
    throw Impossible{&node, "a body of planar freedom starts tilted; accepted: rotations about z"};
  if (body.initial_twist.linear.z() != 0.0)
    throw Impossible{node.find("velocity"),
                     "a body of planar freedom moves along z; accepted: [x, y, 0]"};
  if (body.initial_twist.angular.x() != 0.0 || body.initial_twist.angular.y() != 0.0)
    throw Impossible{node.find("spin"),
                     "a body of planar freedom turns about x or y; accepted: [0, 0, z]"};
}

void BodyReader::read_placement(const Node& node, Body& body) const {
  body.initial_pose = read_.placement(node);
  if (body.freedom == Freedom::fixed) {
    for (const char* key : {"velocity", "spin"})
      refuse_key(node, key, "a fixed body does not move; remove it or `freedom: fixed`");
    return;
  }
  if (fully_prescribed(body))
    for (const char* key : {"velocity", "spin"})
      refuse_key(node, key, "the body's velocity follows from `motion`; remove it");
  body.initial_twist.linear = read_.vector(node, "velocity");
  if (const Node* spin = node.find("spin"))
    body.initial_twist.angular =
        spin->is_list() ? read_.vector(*spin) : Vector3(0.0, 0.0, numbers_(*spin));
  if (body.freedom == Freedom::planar && !node.has("pose")) check_planar(node, body);
  const bool carried =
      body.drives[0].prescribed || body.drives[1].prescribed || body.drives[2].prescribed;
  if (carried && !body.drives[yaw].prescribed) {
    constexpr double rounding = 1e-12;
    if (body.mass.center.norm() > rounding * std::min(1.0, body.bounding_radius))
      throw Impossible{
          node.find("motion"),
          fmt::format("the position is prescribed and the rotation free, but the "
                      "centre of mass lies off the body's origin, at ({:.6g}, {:.6g}, "
                      "{:.6g}); move the shapes so that it lies there, give `center`, "
                      "or prescribe the rotation too",
                      body.mass.center.x(), body.mass.center.y(), body.mass.center.z())};
    body.mass.center.setZero();
  }
}

bool BodyReader::add(const Node& node) {
  Body body;
  body.name = node.key;
  const Node* freedom = node.find("freedom");
  body.freedom = scene_.world == World::planar ? Freedom::planar : Freedom::spatial;
  if (freedom) body.freedom = freedom_named(freedom->text).value_or(Freedom::spatial);
  bool fine = read_shapes(node, body);
  const auto attempt = [&](auto&& part) {
    try {
      part();
    } catch (const Impossible& mistake) {
      mistakes_.add(*mistake.where, mistake.message);
      fine = false;
    } catch (const Error& error) {
      mistakes_.add(node, error.message());
      fine = false;
    }
  };
  attempt([&] { read_motion(node, body); });
  attempt([&] { read_force(node, body); });
  if (fine) attempt([&] { read_mass(node, body); });
  if (fine) attempt([&] { read_supports({scene_, numbers_, read_, model_}, node, body); });
  for (int i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
    PlacedShape& placed = model_.shapes[static_cast<std::size_t>(i)];
    attempt([&] { place_core(placed); });
    const double reach =
        (placed.offset.position - body.mass.center).norm() + bounding_radius(placed.shape);
    body.bounding_radius = std::max(body.bounding_radius, reach);
  }
  attempt([&] {
    read_placement(node, body);
    const Vector3 position = body.initial_pose.position;
    place_prescribed(body, 0.0, body.initial_pose);
    // The scene places frames: a prescribed rotation leaves the frame's free position alone.
    for (int i = 0; i < 3; ++i)
      if (!body.drives[static_cast<std::size_t>(i)].prescribed)
        body.initial_pose.position[i] = position[i];
  });
  model_.bodies.push_back(std::move(body));
  return fine;
}

// Where the rigid core of a soft shape begins. Cores of bodies that meet never pass each other:
// both have more than nothing behind them.
void BodyReader::place_core(PlacedShape& placed) const {
  constexpr double usual = 0.25, most = 0.45;  // of the thickness
  const std::optional<Layer>& layer =
      model_.materials[static_cast<std::size_t>(placed.material)].layer;
  placed.layer_depth = 0.0;
  if (!layer) return;
  const double thickness = least_thickness(placed.shape);
  placed.layer_depth = layer->thickness.value_or(usual * thickness);
  if (placed.layer_depth > most * thickness)
    throw Error(fmt::format(
        "the layer of material '{}' is {:.6g} m thick, a {} of the body {:.6g} m; accepted: a "
        "`thickness` of at most {:.6g} m, so that a core is left",
        model_.materials[static_cast<std::size_t>(placed.material)].name, placed.layer_depth,
        kind_of(placed.shape), thickness, most * thickness));
}

// Lowest coordinate along the surface's normal of the body's shapes, in a frame at the body's
// origin that is parallel to the surface; `rotation` is the body's in that frame.
double BodyReader::lowest_point(const Body& body, const Quaternion& rotation) const {
  const int axis = scene_.world == World::planar ? 1 : 2;
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = body.first_shape; i < body.first_shape + body.shape_count; ++i) {
    const PlacedShape& placed = model_.shapes[static_cast<std::size_t>(i)];
    const Pose pose = Pose{Vector3::Zero(), rotation} * placed.offset;
    lowest = std::min(lowest, bounding_box(placed.shape, pose).lower[axis]);
  }
  return lowest;
}

void BodyReader::stand(const Node& node, Body& body, const Node& support_node,
                       const Body& support) const {
  const Node& pose = *node.find("pose");
  const Node& on = *pose.find("on");
  if (support_node.has("pose"))
    throw Impossible{&on, "this body is itself placed by `pose`; accepted: one with a position"};
  const PlacedShape* surface = nullptr;
  for (int i = 0; i < support.shape_count && !surface; ++i) {
    const PlacedShape& placed = model_.shapes[static_cast<std::size_t>(support.first_shape + i)];
    if (is_unbounded(placed.shape)) surface = &placed;
  }
  const bool planar = scene_.world == World::planar;
  if (!surface)
    throw Impossible{&on, fmt::format("{} has no surface to stand on; accepted: a body with a {}",
                                      in_quotes(on.text), planar ? "half-plane" : "half-space")};
  const Quaternion turned = read_.rotation(node);
  const double lowest = lowest_point(body, turned);
  if (!std::isfinite(lowest))
    throw Impossible{&pose, "the body has no bounded shape that could stand; give `position`"};
  const Node& at = *pose.find("at");
  const double height = read_.number(pose, "height", 0.0) - lowest;
  const Vector3 along = at.is_list() ? read_.vector(at) : Vector3(numbers_(at), 0.0, 0.0);
  const Pose frame = support.initial_pose * surface->offset;
  body.initial_pose.position =
      frame * (planar ? Vector3(along.x(), height, 0.0) : Vector3(along.x(), along.y(), height));
  body.initial_pose.rotation = (frame.rotation * turned).normalized();
  if (body.freedom == Freedom::planar) check_planar(node, body);
}

bool BodyReader::stand(const Node& bodies) const {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < bodies.children.size(); ++i) index[bodies.children[i].key] = i;
  bool fine = true;
  for (std::size_t i = 0; i < bodies.children.size(); ++i) {
    const Node* pose = bodies.children[i].find("pose");
    if (!pose) continue;
    const std::size_t support = index.at(pose->find("on")->text);
    try {
      stand(bodies.children[i], model_.bodies[i], bodies.children[support], model_.bodies[support]);
    } catch (const Impossible& mistake) {
      mistakes_.add(*mistake.where, mistake.message);
      fine = false;
    }
  }
  return fine;
}

}  // namespace vinci
