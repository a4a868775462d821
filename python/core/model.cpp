// SPDX-License-Identifier: Apache-2.0
// Compiled scenes, their bodies and shapes.
#include <algorithm>

#include <fmt/format.h>

#include "python/core/core.h"
#include "vinci/geometry/triangle_mesh.h"
#include "vinci/model/friction_law.h"

namespace vinci::python {
namespace {

// A body of a model, which it keeps alive.
struct BodyHandle {
  std::shared_ptr<const Model> model;
  int index = 0;
  const Body& operator*() const { return model->bodies[static_cast<std::size_t>(index)]; }
};

template <class Vector>
py::list points(const std::vector<Vector>& vertices) {
  py::list list;
  for (const Vector& v : vertices) list.append(std::vector<double>(v.data(), v.data() + v.size()));
  return list;
}

// The sizes of a shape, as the models of recordings name them; m.
struct ShapeSizes {
  py::dict operator()(const Circle& s) const { return py::dict("radius"_a = s.radius); }
  py::dict operator()(const Polygon& s) const {
    return py::dict("vertices"_a = points(s.vertices), "pieces"_a = s.pieces);
  }
  py::dict operator()(const HalfPlane&) const { return {}; }
  py::dict operator()(const Capsule& s) const {
    return py::dict("half_axis"_a = copied(s.half_axis), "radius"_a = s.radius);
  }
  py::dict operator()(const Sphere& s) const { return py::dict("radius"_a = s.radius); }
  py::dict operator()(const Box& s) const {
    return py::dict("half_extents"_a = copied(s.half_extents));
  }
  py::dict operator()(const Cylinder& s) const {
    return py::dict("radius"_a = s.radius, "half_height"_a = s.half_height);
  }
  py::dict operator()(const Polyhedron& s) const {
    return py::dict("vertices"_a = points(s.vertices), "faces"_a = s.faces);
  }
  py::dict operator()(const HalfSpace&) const { return {}; }
  py::dict operator()(const Superellipse& s) const {
    return py::dict("axes"_a = std::make_tuple(s.axes.x(), s.axes.y()), "exponent"_a = s.exponent);
  }
  py::dict operator()(const ImplicitCurve& s) const {
    return py::dict("function"_a = s.function.text());
  }
  py::dict operator()(const Mesh& s) const { return triangles(*s.surface); }
  py::dict operator()(const HeightField& s) const { return triangles(*s.surface); }

  static py::dict triangles(const TriangleMesh& mesh) {
    return py::dict("vertices"_a = points(mesh.vertices), "triangles"_a = mesh.triangles,
                    "closed"_a = mesh.closed);
  }
  py::dict operator()(const Superquadric& s) const {
    return py::dict("axes"_a = copied(s.axes), "e1"_a = s.e1, "e2"_a = s.e2);
  }
};

py::dict shape_dict(const Model& model, const PlacedShape& placed) {
  py::dict shape = std::visit(ShapeSizes{}, placed.shape);
  shape["kind"] = kind_of(placed.shape);
  shape["material"] = model.materials[static_cast<std::size_t>(placed.material)].name;
  shape["position"] = copied(placed.offset.position);
  shape["rotation"] = copied(placed.offset.rotation);
  return shape;
}

py::list shapes_of(const BodyHandle& body) {
  py::list list;
  for (int i = 0; i < (*body).shape_count; ++i)
    list.append(shape_dict(*body.model,
                           body.model->shapes[static_cast<std::size_t>((*body).first_shape + i)]));
  return list;
}

py::tuple bodies_of(const ModelHandle& handle) {
  py::tuple bodies(handle.model->bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    bodies[i] = BodyHandle{handle.model, static_cast<int>(i)};
  return bodies;
}

py::array inertia_of(const BodyHandle& body) {
  const Matrix3 inertia = (*body).mass.inertia.transpose();  // NumPy counts by rows
  return py::array_t<double>({3, 3}, inertia.data());
}

int material_index(const ModelHandle& handle, const std::string& name) {
  const auto& materials = handle.model->materials;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < materials.size(); ++i) {
    if (materials[i].name == name) return static_cast<int>(i);
    names.push_back(materials[i].name);
  }
  throw Error(fmt::format("there is no such material; accepted: {}", fmt::join(names, ", ")), name);
}

py::object layer_of(const ModelHandle& handle, const std::string& material) {
  const auto index = static_cast<std::size_t>(material_index(handle, material));
  const std::optional<Layer>& layer = handle.model->materials[index].layer;
  if (!layer) return py::none();
  return py::dict("stiffness"_a = layer->stiffness, "damping"_a = layer->damping,
                  "tangential_stiffness"_a = layer->tangential_stiffness,
                  "tangential_damping"_a = layer->tangential_damping,
                  "coupling_stiffness"_a = layer->coupling,
                  "thickness"_a = layer->thickness ? py::object(py::float_(*layer->thickness))
                                                   : py::object(py::none()));
}

py::dict surface_of(const ModelHandle& handle, const std::string& a, const std::string& b,
                    double speed, const py::object& point, double time) {
  const Surface& surface =
      handle.model->surface(material_index(handle, a), material_index(handle, b));
  py::dict found("friction"_a = surface.friction, "restitution"_a = surface.restitution);
  if (const ContactMoments& moments = surface.moments; moments.any()) {
    found["rolling_friction"] = moments.rolling;
    found["torsional_friction"] = moments.torsion;
    found["patch_arm"] = moments.radius;
  }
  if (!surface.law) return found;
  const VectorX place = vector_of(point, "point");
  if (place.size() != 3) throw Error("accepted: three coordinates in m", "point");
  const FrictionCoefficients now = surface.law->at(speed, {place, place, place, time});
  found["friction"] = now.along;
  if (surface.law->axis) found["friction_across"] = now.across;
  return found;
}

py::tuple prescribed_of(const BodyHandle& body) {
  py::list names;
  for (int i = 0; i < coordinate_count; ++i)
    if ((*body).drives[static_cast<std::size_t>(i)].prescribed)
      names.append(coordinate_name((*body).freedom, i));
  return names;
}

void add_body(py::module_& module) {
  py::class_<BodyHandle> body(module, "Body", R"(A body of a model.

>>> block = vinci.Scene.load(scenes / "block_on_incline.yaml").compile().body("block")
>>> round(block.mass, 6)
14.0
>>> block.velocity
slice(0, 3, None))");
  body.def_property_readonly("name", [](const BodyHandle& b) { return (*b).name; });
  body.def_property_readonly(
      "index", [](const BodyHandle& b) { return b.index; }, "Its row in poses.");
  body.def_property_readonly(
      "freedom", [](const BodyHandle& b) { return to_string((*b).freedom); },
      "'fixed', 'planar' or 'spatial'.");
  body.def_property_readonly(
      "mass", [](const BodyHandle& b) { return (*b).mass.mass; },
      "kg; 0 for fixed bodies and those prescribed as a whole that gave none.");
  body.def_property_readonly(
      "center", [](const BodyHandle& b) { return copied((*b).mass.center); },
      "Centre of mass in the body frame, m.");
  body.def_property_readonly("inertia", &inertia_of,
                             "Inertia about the centre of mass in body axes, 3 x 3, kg m^2.");
  body.def_property_readonly(
      "velocity",
      [](const BodyHandle& b) {
        return py::slice((*b).velocity_offset, (*b).velocity_offset + (*b).velocity_size,
                         std::nullopt);
      },
      "Its entries of the packed velocities: `state.velocities[body.velocity]` is (vx, vy, wz) of "
      "a planar body, (vx, vy, vz, wx, wy, wz) of a spatial one, m/s and rad/s.");
  body.def_property_readonly("prescribed", &prescribed_of,
                             "Names of its coordinates that are functions of time.");
  body.def_property_readonly(
      "shapes", &shapes_of,
      "Its shapes: `kind`, `material`, `position` (m) and `rotation` (w x y z) in the body frame, "
      "and the sizes of the kind in m.");
  body.def("__repr__", [](const BodyHandle& b) {
    return fmt::format("<vinci.Body '{}': {}, {:.6g} kg, {} shape{}>", (*b).name,
                       to_string((*b).freedom), (*b).mass.mass, (*b).shape_count,
                       (*b).shape_count == 1 ? "" : "s");
  });
}

}  // namespace

Bodies body_table(const Model& model) {
  auto table = std::make_shared<BodyTable>();
  for (const Body& body : model.bodies) {
    table->names.push_back(body.name);
    table->offsets.push_back(body.velocity_offset);
    table->sizes.push_back(body.velocity_size);
  }
  return table;
}

int body_index(const std::vector<std::string>& names, const py::handle& body) {
  const int count = static_cast<int>(names.size());
  if (py::isinstance<BodyHandle>(body)) return body_index(names, body.attr("name"));
  if (py::isinstance<py::str>(body)) {
    const auto name = body.cast<std::string>();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<int>(found - names.begin());
    const std::string guess = nearest(name, names);
    throw Error("there is no such body" + (guess.empty() ? "" : " (did you mean '" + guess + "'?)"),
                name);
  }
  int index = 0;
  try {
    index = body.cast<int>();
  } catch (const py::cast_error&) {
    throw Error("accepted: the name of a body or its number", "body");
  }
  if (index < 0 || index >= count)
    throw Error(fmt::format("there is no body {}; accepted: 0 to {}", index, count - 1), "body");
  return index;
}

void add_model(py::module_& module) {
  add_body(module);
  py::class_<ModelHandle> model(module, "Model", R"(A scene with numbers: what a simulation runs on.

Immutable. Made by `Scene.compile`, or found in `Simulation.model`.

>>> model = vinci.Scene.load(scenes / "stack.yaml").compile()
>>> model.velocity_count, len(model.bodies)
(30, 11))");
  model.def_property_readonly("title", [](const ModelHandle& m) { return m.model->title; });
  model.def_property_readonly(
      "world", [](const ModelHandle& m) { return to_string(m.model->world); },
      "'planar' or 'spatial'.");
  model.def_property_readonly(
      "gravity", [](const ModelHandle& m) { return copied(m.model->gravity); }, "m/s^2.");
  model.def_property_readonly("bodies", &bodies_of, "All bodies, in the order of poses.");
  model.def(
      "body",
      [](const ModelHandle& m, const py::object& name) {
        // The usual case makes no list of names: controllers ask in every step.
        if (py::isinstance<py::str>(name))
          if (const int found = m.model->find_body(name.cast<std::string>()); found >= 0)
            return BodyHandle{m.model, found};
        return BodyHandle{m.model, body_index(body_table(*m.model)->names, name)};
      },
      "name"_a, R"(The body of this name or number.

>>> vinci.Scene.load(scenes / "stack.yaml").compile().body("box-03").index
3)");
  model.def_property_readonly(
      "materials",
      [](const ModelHandle& m) {
        std::vector<std::string> names;
        for (const Material& material : m.model->materials) names.push_back(material.name);
        return names;
      },
      "Names of the materials.");
  model.def("surface", &surface_of, "a"_a, "b"_a, py::kw_only(), "speed"_a = 0.0,
            "point"_a = py::make_tuple(0.0, 0.0, 0.0), "time"_a = 0.0,
            R"(Friction and restitution of two materials that touch.

Friction may depend on the sliding speed (m/s), on the place (m, in the frame that it is written in)
and on time (s); where it has an axis, `friction` is along it and `friction_across` across it. NaN
where it is no number from 0 on.

>>> vinci.Scene.load(scenes / "stack.yaml").compile().surface("wood", "wood")
{'friction': 0.5, 'restitution': 0.0})");
  model.def("layer", &layer_of, "material"_a,
            R"(The visco-elastic layer of a material (N/m, N s/m), or None of a rigid one.

>>> vinci.Scene.load(scenes / "micro_slip.yaml").compile().layer("rubber")["stiffness"]
200000.0)");
  model.def_property_readonly(
      "parameters", [](const ModelHandle& m) { return m.model->parameters; },
      "Values that the parameters have here, by name; SI.");
  model.def_property_readonly(
      "velocity_count", [](const ModelHandle& m) { return m.model->velocity_count; },
      "Number of packed velocity entries.");
  model.def_property_readonly(
      "free",
      [](const ModelHandle& m) {
        py::array_t<bool> free(m.model->velocity_count);
        for (int i = 0; i < m.model->velocity_count; ++i)
          free.mutable_at(i) = m.model->free_index[static_cast<std::size_t>(i)] >= 0;
        return free;
      },
      "Which packed entries are free: driven by forces, not functions of time.");
  model.def(
      "initial_state",
      [](const ModelHandle& m) {
        return StateHandle{std::make_shared<State>(initial_state(*m.model)), body_table(*m.model)};
      },
      R"(The state at which a run of this model begins.

>>> vinci.Scene.load(scenes / "stack.yaml").compile().initial_state().time
0.0)");
  model.def(
      "energy",
      [](const ModelHandle& m, const StateHandle& s) {
        if (s.state->poses.size() != m.model->bodies.size() ||
            s.state->velocities.size() != m.model->velocity_count)
          throw Error("the state belongs to another scene", "state");
        const Energy sum = energy(*m.model, *s.state);
        return py::make_tuple(sum.kinetic, sum.potential);
      },
      "state"_a, R"(Kinetic and potential energy, J; potential zero at the world's origin.

>>> model = vinci.Scene.load(scenes / "stack.yaml").compile()
>>> model.energy(model.initial_state())[0]
0.0)");
  model.def("__repr__", [](const ModelHandle& m) {
    return fmt::format("<vinci.Model '{}': {}, {} bodies, {} velocities>", m.model->title,
                       to_string(m.model->world), m.model->bodies.size(), m.model->velocity_count);
  });
}

}  // namespace vinci::python
