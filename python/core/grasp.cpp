// SPDX-License-Identifier: Apache-2.0
// Grasps: force closure, and how jaws turn parts.
#include "vinci/grasp/grasp.h"

#include <fmt/format.h>

#include "python/core/simulation.h"
#include "vinci/grasp/grasp_functions.h"

namespace vinci::python {
namespace {

Vector2 pair_of(const py::handle& object, const std::string& what) {
  const VectorX vector = vector_of(object, what);
  if (vector.size() != 2)
    throw Error(fmt::format("has {} numbers; accepted: 2", vector.size()), what);
  return vector;
}

std::vector<Vector2> vertices_of(const py::handle& object) {
  std::vector<Vector2> vertices;
  for (const py::handle vertex : py::iter(object))
    vertices.push_back(pair_of(vertex, fmt::format("vertices[{}]", vertices.size())));
  return vertices;
}

std::string contact_text(const GraspContact& contact) {
  return fmt::format("Contact(position=[{:g}, {:g}], normal=[{:g}, {:g}], friction={:g})",
                     contact.position.x(), contact.position.y(), contact.normal.x(),
                     contact.normal.y(), contact.friction);
}

void add_contact(py::module_& module) {
  py::class_<GraspContact>(module, "GraspContact",
                           R"(A finger on a body: where (m), the normal into the body, and friction.

>>> vinci.grasp.Contact([0.05, 0], normal=[-1, 0], friction=0.3)
Contact(position=[0.05, 0], normal=[-1, 0], friction=0.3))")
      .def(
          py::init([](const py::object& position, const py::object& normal, double friction) {
            return GraspContact{pair_of(position, "position"), pair_of(normal, "normal"), friction};
          }),
          "position"_a, "normal"_a, "friction"_a = 0.0)
      .def_property_readonly(
          "position", [](const GraspContact& c) { return copied(VectorX(c.position)); },
          "On the body, m.")
      .def_property_readonly(
          "normal", [](const GraspContact& c) { return copied(VectorX(c.normal)); },
          "Into the body.")
      .def_readonly("friction", &GraspContact::friction, "Coulomb's coefficient.")
      .def("__repr__", &contact_text);
}

void add_closure(py::module_& module) {
  using Contacts = std::vector<GraspContact>;
  module.def(
      "force_closure", [](const Contacts& contacts) { return force_closure(contacts); },
      "contacts"_a, R"(Whether fingers at these contacts resist every force and torque.

A grasp on the very limit is not closed.

>>> left, right = [-0.05, 0], [0.05, 0.01]
>>> contacts = [vinci.grasp.Contact(left, [1, 0], 0.3), vinci.grasp.Contact(right, [-1, 0], 0.3)]
>>> vinci.grasp.force_closure(contacts)
True)");
  module.def(
      "friction_required", [](const Contacts& contacts) { return friction_required(contacts); },
      "contacts"_a, R"(The friction above which fingers at these contacts close the grasp.

0 where any friction does or none is needed, infinity where none does. The contacts' own friction
is not looked at.

>>> left, right = [-0.05, 0], [0.05, 0.01]
>>> contacts = [vinci.grasp.Contact(left, [1, 0]), vinci.grasp.Contact(right, [-1, 0])]
>>> round(vinci.grasp.friction_required(contacts), 12)
0.1)");
  module.def(
      "grasp_contacts",
      [](const SimulationHandle& handle, const py::object& body) {
        const Simulation& simulation = handle.get();
        const int index = body_index(body_table(simulation.model())->names, body);
        return grasp_contacts(simulation.contacts(), index);
      },
      "simulation"_a, "body"_a, R"(The loaded contacts of a body in the last step of a planar run.

Its supports on the table are left out.

>>> simulation = vinci.Simulation(scenes / "block_on_incline.yaml")
>>> _ = simulation.step(10)
>>> len(vinci.grasp.contacts(simulation, "block"))
2)");
}

void add_functions(py::module_& module) {
  using Extremum = JawFunction::Extremum;
  py::class_<Extremum>(module, "JawExtremum", "A minimum or maximum of a JawFunction.")
      .def_readonly("angle", &Extremum::angle, "Of the jaw's normal in the part's frame, rad.")
      .def_readonly("value", &Extremum::value, "Of the function there, m.")
      .def_readonly("edge", &Extremum::edge,
                    "At a minimum the edge that lies flush, by its first vertex; -1 at a maximum.")
      .def("__repr__", [](const Extremum& e) {
        return fmt::format("JawExtremum(angle={:g}, value={:g}, edge={})", e.angle, e.value,
                           e.edge);
      });
  py::class_<JawFunction>(
      module, "JawFunction",
      R"(The width of a part between jaws, over the direction of the jaw's normal in its frame.

Made by squeeze_function and push_function. Call it for its value at an angle.)")
      .def_property_readonly("period", &JawFunction::period, "rad.")
      .def("__call__", &JawFunction::value, "angle"_a, "Its value, m.")
      .def_property_readonly("minima", &JawFunction::minima, "Stable orientations, by angle.")
      .def_property_readonly("maxima", &JawFunction::maxima, "Where the outcome changes, by angle.")
      .def("outcome", &JawFunction::outcome, "angle"_a,
           "The stable orientation, rad, that a part in this one comes to.");
  module.def(
      "squeeze_function",
      [](const py::object& vertices) { return squeeze_function(vertices_of(vertices)); },
      "vertices"_a, R"(The diameter of a polygon, and how two closing frictionless jaws turn it.

>>> box = [[0, 0], [0.08, 0], [0.08, 0.04], [0, 0.04]]
>>> diameter = vinci.grasp.squeeze_function(box)
>>> [(round(np.degrees(rest.angle)), round(rest.value, 6)) for rest in diameter.minima]
[(0, 0.08), (90, 0.04)]
>>> round(np.degrees(diameter.outcome(np.radians(50))))
90)");
  module.def(
      "push_function",
      [](const py::object& vertices, const py::object& center) {
        const std::vector<Vector2> points = vertices_of(vertices);
        if (center.is_none()) return push_function(points);
        return push_function(points, pair_of(center, "center"));
      },
      "vertices"_a, "center"_a = py::none(),
      R"(The radius of a polygon, and how one frictionless jaw turns it that pushes it over a table.

`center` is the centre of its friction with the table: the centroid if not given.

>>> radius = vinci.grasp.push_function([[0, 0], [0.08, 0], [0.03, 0.06]])
>>> [(round(np.degrees(rest.angle), 1), rest.edge) for rest in radius.minima]
[(39.8, 1), (153.4, 2), (270.0, 0)])");
}

}  // namespace

void add_grasp(py::module_& module) {
  add_contact(module);
  add_closure(module);
  add_functions(module);
}

}  // namespace vinci::python
