// SPDX-License-Identifier: Apache-2.0
// A compiled model as JSON: all that a viewer needs to draw the bodies at their poses.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "vinci/geometry/curve.h"
#include "vinci/geometry/triangle_mesh.h"
#include "vinci/model/element.h"
#include "vinci/model/friction_law.h"
#include "vinci/model/signal.h"
#include "vinci/recording/recording_layout.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

Json numbers(const Vector3& v) {
  return {v.x(), v.y(), v.z()};
}

// A polygon that draws the curve.
template <class Curve>
Json outline(const Curve& curve) {
  Json vertices = Json::array();
  for (const Vector2& v : outline_points(curve, 128)) vertices.push_back({v.x(), v.y()});
  return vertices;
}

struct ShapeJson {
  Json operator()(const Circle& s) const { return {{"radius", s.radius}}; }
  Json operator()(const Polygon& s) const {
    Json vertices = Json::array();
    for (const Vector2& v : s.vertices) vertices.push_back({v.x(), v.y()});
    return {{"vertices", vertices}, {"pieces", s.pieces}};
  }
  Json operator()(const HalfPlane&) const { return Json::object(); }
  Json operator()(const Capsule& s) const {
    return {{"half_axis", numbers(s.half_axis)}, {"radius", s.radius}};
  }
  Json operator()(const Sphere& s) const { return {{"radius", s.radius}}; }
  Json operator()(const Box& s) const { return {{"half_extents", numbers(s.half_extents)}}; }
  Json operator()(const Cylinder& s) const {
    return {{"radius", s.radius}, {"half_height", s.half_height}};
  }
  Json operator()(const Polyhedron& s) const {
    Json vertices = Json::array();
    for (const Vector3& v : s.vertices) vertices.push_back(numbers(v));
    return {{"vertices", vertices}, {"faces", s.faces}};
  }
  Json operator()(const HalfSpace&) const { return Json::object(); }
  Json operator()(const Superellipse& s) const {
    return {{"axes", {s.axes.x(), s.axes.y()}}, {"exponent", s.exponent}, {"vertices", outline(s)}};
  }
  Json operator()(const ImplicitCurve& s) const {
    return {{"function", s.function.text()}, {"vertices", outline(s)}};
  }
  Json operator()(const Mesh&) const { return Json::object(); }
  Json operator()(const HeightField&) const { return Json::object(); }
  Json operator()(const Superquadric& s) const {
    return {{"axes", numbers(s.axes)}, {"e1", s.e1}, {"e2", s.e2}};
  }
};

Json triangles_json(const TriangleMesh& mesh) {
  Json vertices = Json::array();
  for (const Vector3& v : mesh.vertices) vertices.push_back(numbers(v));
  return {{"vertices", vertices}, {"triangles", mesh.triangles}, {"closed", mesh.closed}};
}

// Shapes that share their triangles name them by number: each mesh stands there once.
void name_meshes(const Model& model, Json& json) {
  std::map<const TriangleMesh*, std::size_t> known;
  for (std::size_t i = 0; i < model.shapes.size(); ++i) {
    const TriangleMesh* mesh = triangles_of(model.shapes[i].shape);
    if (!mesh) continue;
    const auto [at, added] = known.emplace(mesh, known.size());
    if (added) json["meshes"].push_back(triangles_json(*mesh));
    json["shapes"][i]["mesh"] = at->second;
  }
}

Json pose_json(const Pose& pose) {
  const Quaternion& q = pose.rotation;
  return {{"position", numbers(pose.position)}, {"rotation", {q.w(), q.x(), q.y(), q.z()}}};
}

const char* name_of(FrictionFrame frame) {
  constexpr const char* names[] = {"world", "a", "b"};
  return names[static_cast<int>(frame)];
}

// Coefficients as they were written, with the frame of their place: of the world or of the body
// with material a or b.
Json law_json(const FrictionLaw& law) {
  Json json = {{"threshold_speed", law.threshold}, {"terms", Json::array()}};
  for (const FrictionTerm& term : law.terms)
    json["terms"].push_back({{"along", term.along.text()},
                             {"across", term.across.text()},
                             {"kinetic_along", term.kinetic_along.text()},
                             {"kinetic_across", term.kinetic_across.text()},
                             {"place", name_of(term.frame)}});
  if (law.axis)
    json["axis"] = {{"direction", numbers(law.axis->direction)}, {"of", name_of(law.axis->frame)}};
  return json;
}

// The way that a surface which runs has gone since 0 s, m along the axes of its shape, at times
// `step` s apart to the end of the run: to move marks on it. One stretch of 1 s if it is steady.
Json surface_way(const Simulation& simulation, const PlacedShape& placed) {
  constexpr std::int64_t most = 1000;
  constexpr int pieces = 8;  // of Simpson's rule
  const auto steady = [](const Expression& one) { return one.is_constant(); };
  const bool even =
      std::all_of(placed.surface_velocity.begin(), placed.surface_velocity.end(), steady);
  const std::int64_t frames =
      even
          ? 1
          : std::clamp<std::int64_t>(simulation.total_steps() / simulation.output_every(), 1, most);
  const double end = static_cast<double>(simulation.total_steps()) * simulation.step_size();
  const double step = even || !(end > 0.0) ? 1.0 : end / static_cast<double>(frames);
  const auto velocity = [&](double time) {
    Vector3 v = Vector3::Zero();
    const double values[] = {time};
    for (std::size_t i = 0; i < placed.surface_velocity.size(); ++i)
      v[static_cast<int>(i)] = placed.surface_velocity[i].value(values);
    return v;
  };
  Vector3 way = Vector3::Zero();
  Json points = {numbers(way)};
  for (std::int64_t k = 0; k < frames; ++k) {
    const double piece = step / pieces;
    for (int i = 0; i < pieces; ++i) {
      const double from = static_cast<double>(k) * step + i * piece;
      way += piece / 6.0 *
             (velocity(from) + 4.0 * velocity(from + 0.5 * piece) + velocity(from + piece));
    }
    if (!way.allFinite()) break;
    points.push_back(numbers(way));
  }
  return {{"step", step}, {"points", points}};
}

const char* name_of(MotorKind kind) {
  constexpr const char* names[] = {"none", "effort", "velocity", "position"};
  return names[static_cast<int>(kind)];
}

// Limits that there are not are null.
Json joint_json(const Joint& joint) {
  Json json = {{"name", joint.name},
               {"kind", to_string(joint.kind)},
               {"bodies", {joint.body_a, joint.body_b}},
               {"frames", {pose_json(joint.frame_a), pose_json(joint.frame_b)}},
               {"pitch", joint.pitch},
               {"freedoms", Json::array()}};
  for (const JointFreedom& freedom : joint.freedoms)
    json["freedoms"].push_back({{"lower", freedom.lower},
                                {"upper", freedom.upper},
                                {"friction", freedom.friction},
                                {"damping", freedom.damping},
                                {"stiffness", freedom.stiffness},
                                {"motor", name_of(freedom.motor.kind)},
                                {"motor_limit", freedom.motor.limit}});
  return json;
}

void add_joints(const Model& model, Json& json) {
  for (const Joint& joint : model.joints) json["joints"].push_back(joint_json(joint));
  for (const Coupling& coupling : model.couplings)
    json["couplings"].push_back({{"name", coupling.name},
                                 {"joints", {coupling.joint_a, coupling.joint_b}},
                                 {"freedoms", {coupling.freedom_a, coupling.freedom_b}},
                                 {"ratio", coupling.ratio},
                                 {"offset", coupling.offset},
                                 {"breakaway", coupling.breakaway}});
}

// An expression as it was written, with the names of what its variables read.
Json function_json(const Model& model, const CoordinateFunction& function) {
  Json reads = Json::array();
  for (const CoordinateRead& read : function.reads) reads.push_back(signal_name(model, read));
  return {{"text", function.expression.text()}, {"reads", reads}};
}

void add_constraints(const Model& model, Json& json) {
  for (const UserConstraint& one : model.constraints) {
    Json entry = {{"name", one.name},
                  {"kind", one.kind == UserConstraint::Kind::link ? "link" : "contact"},
                  {"function", function_json(model, one.function)},
                  {"anchored", one.anchored}};
    if (one.stabilisation)
      entry.update(
          {{"damping", one.stabilisation->damping}, {"springs", one.stabilisation->springs}});
    if (one.with >= 0) entry["with"] = one.with;
    if (one.machine >= 0) entry.update({{"machine", one.machine}, {"on", one.on}});
    json["constraints"].push_back(std::move(entry));
  }
  for (const Machine& machine : model.machines) {
    Json transitions = Json::array();
    for (const Machine::Transition& one : machine.transitions)
      transitions.push_back({{"from", one.from},
                             {"to", one.to},
                             {"guard", function_json(model, one.guard)},
                             {"direction", one.direction}});
    json["machines"].push_back({{"name", machine.name},
                                {"states", machine.states},
                                {"initial", machine.initial},
                                {"transitions", transitions}});
  }
}

}  // namespace

std::string model_json(const Simulation& simulation) {
  const Model& model = simulation.model();
  Json json;
  json["title"] = model.title;
  json["world"] = to_string(model.world);
  json["gravity"] = numbers(model.gravity);
  json["parameters"] = model.parameters;
  json["set_parameters"] = simulation.set_parameters();
  json["code_parameters"] = simulation.code_parameters();
  json["bodies"] = Json::array();
  for (const Body& body : model.bodies)
    json["bodies"].push_back({{"name", body.name},
                              {"freedom", to_string(body.freedom)},
                              {"mass", body.mass.mass},
                              {"center", numbers(body.mass.center)},
                              {"velocity_offset", body.velocity_offset},
                              {"velocity_size", body.velocity_size}});
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    for (const Support& support : model.bodies[i].supports)
      json["bodies"][i]["supports"].push_back({{"point", numbers(support.point)},
                                               {"load", support.load},
                                               {"friction", support.friction},
                                               {"viscosity", support.viscosity}});
  for (const auto& element : model.elements) {
    Json one = {{"name", element->name()}, {"kind", element->kind()}, {"anchors", Json::array()}};
    for (const Anchor& anchor : {element->a(), element->b()})
      one["anchors"].push_back({{"body", anchor.body}, {"point", numbers(anchor.point)}});
    for (const auto& [name, value] : element->numbers()) one["numbers"][name] = value;
    for (const ElementColumn& column : element->columns())
      one["columns"].push_back({{"name", column.name}, {"unit", column.unit}});
    json["elements"].push_back(std::move(one));
  }
  add_joints(model, json);
  add_constraints(model, json);
  json["materials"] = Json::array();
  for (const Material& material : model.materials) json["materials"].push_back(material.name);
  for (std::size_t i = 0; i < model.materials.size(); ++i)
    if (const std::optional<Layer>& layer = model.materials[i].layer) {
      json["layers"].push_back({{"material", i},
                                {"stiffness", layer->stiffness},
                                {"damping", layer->damping},
                                {"tangential_stiffness", layer->tangential_stiffness},
                                {"tangential_damping", layer->tangential_damping},
                                {"coupling_stiffness", layer->coupling}});
      if (layer->thickness) json["layers"].back()["thickness"] = *layer->thickness;
    }
  json["surfaces"] = Json::array();
  for (std::size_t a = 0; a < model.materials.size(); ++a)
    for (std::size_t b = a; b < model.materials.size(); ++b) {
      const Surface& surface = model.surface(static_cast<int>(a), static_cast<int>(b));
      json["surfaces"].push_back({{"materials", {a, b}},
                                  {"friction", surface.friction},
                                  {"restitution", surface.restitution}});
      if (surface.law) json["surfaces"].back()["law"] = law_json(*surface.law);
      if (const ContactMoments& moments = surface.moments; moments.any())
        json["surfaces"].back().update({{"rolling_friction", moments.rolling},
                                        {"torsional_friction", moments.torsion},
                                        {"patch_arm", moments.radius}});
    }
  json["shapes"] = Json::array();
  for (const PlacedShape& placed : model.shapes) {
    Json shape = {{"body", placed.body}, {"material", placed.material}};
    shape["kind"] = kind_of(placed.shape);
    shape["offset"] = pose_json(placed.offset);
    shape.update(std::visit(ShapeJson{}, placed.shape));
    if (!placed.surface_velocity.empty()) shape["surface_way"] = surface_way(simulation, placed);
    json["shapes"].push_back(std::move(shape));
  }
  name_meshes(model, json);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace vinci
