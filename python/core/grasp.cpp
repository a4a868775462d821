// SPDX-License-Identifier: Apache-2.0
// Grasps: force closure, and how jaws turn parts.
#include "vinci/grasp/grasp.h"

#include <fmt/format.h>

#include "python/core/simulation.h"
#include "vinci/grasp/closing_run.h"
#include "vinci/grasp/closure.h"
#include "vinci/grasp/grasp_functions.h"
#include "vinci/grasp/holding.h"
#include "vinci/grasp/quality.h"
#include "vinci/grasp/recorded_grasp.h"
#include "vinci/kinematics/joint_tree.h"

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

// A contact that knows whether it was given two numbers a vector or three.
struct Finger {
  GraspContact contact;
  World world = World::spatial;
};

Finger finger_of(const py::object& position, const py::object& normal, double friction,
                 const py::dict& more) {
  Finger finger;
  const VectorX place = vector_of(position, "position");
  if (place.size() != 2 && place.size() != 3)
    throw Error(fmt::format("has {} numbers; accepted: 2 in the plane, 3 in space", place.size()),
                "position");
  finger.world = place.size() == 2 ? World::planar : World::spatial;
  const auto vector = [&](const py::handle& object, const char* name) {
    const VectorX given = vector_of(object, name);
    if (given.size() != place.size())
      throw Error(
          fmt::format("has {} numbers; accepted: {}, as position has", given.size(), place.size()),
          name);
    Vector3 result = Vector3::Zero();
    result.head(given.size()) = given;
    return result;
  };
  GraspContact& contact = finger.contact;
  contact.position = vector(position, "position");
  contact.normal = vector(normal, "normal");
  contact.friction = friction;
  if (!more["friction_across"].is_none())
    contact.friction_2 = more["friction_across"].cast<double>();
  if (!more["tangent"].is_none()) contact.tangent = vector(more["tangent"], "tangent");
  contact.moments = {more["rolling"].cast<double>(), more["torsion"].cast<double>(),
                     more["radius"].cast<double>()};
  return finger;
}

py::array numbers_of(World world, const Vector3& vector) {
  return copied(VectorX(vector.head(world == World::planar ? 2 : 3)));
}

py::array copied_rows(const MatrixX& matrix) {
  py::array_t<double> array({matrix.rows(), matrix.cols()});
  auto entries = array.mutable_unchecked<2>();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index k = 0; k < matrix.cols(); ++k) entries(i, k) = matrix(i, k);
  return array;
}

std::string contact_text(const Finger& finger) {
  const auto vector = [&](const Vector3& v) {
    return finger.world == World::planar ? fmt::format("[{:g}, {:g}]", v.x(), v.y())
                                         : fmt::format("[{:g}, {:g}, {:g}]", v.x(), v.y(), v.z());
  };
  return fmt::format("Contact(position={}, normal={}, friction={:g})",
                     vector(finger.contact.position), vector(finger.contact.normal),
                     finger.contact.friction);
}

void add_contact(py::module_& module) {
  py::class_<Finger>(module, "GraspContact",
                     R"(A finger on a body: where (m), the normal into the body, and friction.

Two numbers a vector in the plane, three in space. `friction_across` holds across `tangent`;
`torsion`, `rolling` (m) are moments per N of normal force, `radius` the arm of a patch (m).

>>> vinci.grasp.Contact([0.05, 0], normal=[-1, 0], friction=0.3)
Contact(position=[0.05, 0], normal=[-1, 0], friction=0.3))")
      .def(py::init([](const py::object& position, const py::object& normal, double friction,
                       const py::object& across, const py::object& tangent, double rolling,
                       double torsion, double radius) {
             return finger_of(
                 position, normal, friction,
                 py::dict("friction_across"_a = across, "tangent"_a = tangent,
                          "rolling"_a = rolling, "torsion"_a = torsion, "radius"_a = radius));
           }),
           "position"_a, "normal"_a, "friction"_a = 0.0, py::kw_only(),
           "friction_across"_a = py::none(), "tangent"_a = py::none(), "rolling"_a = 0.0,
           "torsion"_a = 0.0, "radius"_a = 0.0)
      .def_property_readonly(
          "position", [](const Finger& f) { return numbers_of(f.world, f.contact.position); },
          "On the body, m.")
      .def_property_readonly(
          "normal", [](const Finger& f) { return numbers_of(f.world, f.contact.normal); },
          "Into the body.")
      .def_property_readonly(
          "friction", [](const Finger& f) { return f.contact.friction; }, "Coulomb's coefficient.")
      .def_property_readonly(
          "friction_across",
          [](const Finger& f) { return f.contact.friction_2.value_or(f.contact.friction); },
          "The same across the tangent.")
      .def_property_readonly(
          "axes",
          [](const Finger& f) {
            const ContactAxesOfGrasp axes = axes_of(f.world, f.contact);
            MatrixX rows(3, 3);
            rows << axes.normal.transpose(), axes.tangent_1.transpose(), axes.tangent_2.transpose();
            return copied_rows(rows);
          },
          "Unit normal and tangents, as rows: forces are given along them.")
      .def_property_readonly(
          "torsion", [](const Finger& f) { return f.contact.moments.torsion; }, "m.")
      .def_property_readonly(
          "rolling", [](const Finger& f) { return f.contact.moments.rolling; }, "m.")
      .def_property_readonly(
          "radius", [](const Finger& f) { return f.contact.moments.radius; }, "Arm of a patch, m.")
      .def("__repr__", &contact_text);
}

std::vector<Finger> fingers_of(const Grasp& grasp) {
  std::vector<Finger> fingers;
  for (const GraspContact& contact : grasp.contacts) fingers.push_back({contact, grasp.world});
  return fingers;
}

// `center` and `length` may be None.
Grasp grasp_from(const std::vector<Finger>& fingers, const py::object& center,
                 const py::object& length) {
  Grasp grasp;
  if (!fingers.empty()) grasp.world = fingers[0].world;
  for (const Finger& finger : fingers) {
    if (finger.world != grasp.world)
      throw Error("some have 2 numbers a vector and some 3; accepted: all the same", "contacts");
    grasp.contacts.push_back(finger.contact);
  }
  if (!center.is_none()) {
    const VectorX given = vector_of(center, "center");
    const int size = grasp.world == World::planar ? 2 : 3;
    if (given.size() != size)
      throw Error(fmt::format("has {} numbers; accepted: {}", given.size(), size), "center");
    grasp.center.head(size) = given;
  }
  if (!length.is_none()) {
    grasp.length = length.cast<double>();
    if (!(grasp.length > 0.0)) throw Error("accepted: more than 0 m", "length");
  }
  return grasp;
}

py::array wrench_numbers(World world, const Vector6& wrench) {
  if (world == World::planar) return copied(VectorX(Vector3(wrench[0], wrench[1], wrench[5])));
  return copied(VectorX(wrench));
}

// Rows of contacts, columns as the class of Python says: forces along the axes, then moments.
py::array loads_array(const std::vector<ContactLoad>& loads) {
  MatrixX rows(static_cast<Eigen::Index>(loads.size()), 6);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const ContactLoad& load = loads[static_cast<std::size_t>(i)];
    rows.row(i) << load.force.transpose(), load.moment.transpose();
  }
  return copied_rows(rows);
}

py::dict closure_dict(const Grasp& grasp) {
  const ClosureProof proof = prove_closure(grasp);
  return py::dict(
      "closed"_a = proof.closed, "proved"_a = proof.proved, "margin"_a = proof.margin,
      "rank"_a = proof.rank, "loads"_a = loads_array(proof.loads), "imbalance"_a = proof.imbalance,
      "direction"_a = wrench_numbers(grasp.world, proof.direction), "push"_a = proof.push);
}

py::dict hold_dict(const Grasp& grasp, const py::object& wrench, const std::string& least) {
  const VectorX given = vector_of(wrench, "wrench");
  const bool planar = grasp.world == World::planar;
  if (given.size() != (planar ? 3 : 6))
    throw Error(fmt::format("has {} numbers; accepted: {}", given.size(), planar ? 3 : 6),
                "wrench");
  Vector6 full = Vector6::Zero();
  if (planar)
    full << given[0], given[1], 0.0, 0.0, 0.0, given[2];
  else
    full = given;
  LeastForces objective = LeastForces::squares;
  if (least == "sum")
    objective = LeastForces::sum_of_normals;
  else if (least == "largest")
    objective = LeastForces::largest_normal;
  else if (least != "squares")
    throw Error(fmt::format("is '{}'; accepted: squares, sum, largest", least), "least");
  const HeldWrench held = hold(grasp, full, objective);
  constexpr const char* names[] = {"held", "impossible", "undecided"};
  return py::dict(
      "status"_a = names[static_cast<int>(held.status)], "loads"_a = loads_array(held.loads),
      "value"_a = held.value, "gap"_a = held.gap, "imbalance"_a = held.imbalance,
      "direction"_a = wrench_numbers(grasp.world, held.direction), "push"_a = held.push);
}

py::dict quality_dict(const Grasp& grasp, const std::string& limit, double tolerance,
                      int directions) {
  if (limit != "sum" && limit != "each")
    throw Error(fmt::format("is '{}'; accepted: sum, each", limit), "limit");
  QualityOptions options;
  options.tolerance = tolerance;
  options.directions = directions;
  Quality quality;
  {
    py::gil_scoped_release free;
    quality = grasp_quality(grasp, limit == "sum" ? ForceLimit::sum : ForceLimit::each, options);
  }
  return py::dict("lower"_a = quality.lower, "upper"_a = quality.upper,
                  "weakest"_a = wrench_numbers(grasp.world, quality.weakest),
                  "settled"_a = quality.settled, "facets"_a = quality.facets);
}

void add_closure(py::module_& module) {
  module.def("_grasp_force_closure", [](const std::vector<Finger>& fingers) {
    return force_closure(grasp_from(fingers, py::none(), py::none()));
  });
  module.def("_grasp_friction_required", [](const std::vector<Finger>& fingers) {
    return friction_required(grasp_from(fingers, py::none(), py::none()));
  });
  module.def("_grasp_closure", [](const std::vector<Finger>& fingers, const py::object& center,
                                  const py::object& length) {
    return closure_dict(grasp_from(fingers, center, length));
  });
  module.def("_grasp_hold",
             [](const std::vector<Finger>& fingers, const py::object& center,
                const py::object& length, const py::object& wrench, const std::string& least) {
               return hold_dict(grasp_from(fingers, center, length), wrench, least);
             });
  module.def("_grasp_quality", [](const std::vector<Finger>& fingers, const py::object& center,
                                  const py::object& length, const std::string& limit,
                                  double tolerance, int directions) {
    return quality_dict(grasp_from(fingers, center, length), limit, tolerance, directions);
  });
  module.def("_grasp_hull", [](const std::vector<Finger>& fingers, const py::object& center,
                               const py::object& length, int directions, bool outside) {
    const Grasp grasp = grasp_from(fingers, center, length);
    const WrenchHull hull = wrench_hull(grasp, directions, outside);
    return py::dict("radius"_a = hull.radius, "volume"_a = hull.volume,
                    "has_origin"_a = hull.has_origin,
                    "weakest"_a = wrench_numbers(grasp.world, hull.weakest));
  });
  module.def("_grasp_recorded", [](const std::string& file, const std::string& object,
                                   const py::object& at, const std::vector<std::string>& by) {
    const Recording recording(file);
    const std::int64_t frame =
        at.is_none() ? recording.frames() - 1 : frame_at(recording, at.cast<double>());
    const NamedGrasp named = recorded_grasp(recording, frame, object, by);
    return py::make_tuple(fingers_of(named.grasp),
                          numbers_of(named.grasp.world, named.grasp.center), named.by, named.time);
  });
  module.def("_grasp_read", [](const std::string& file) {
    const NamedGrasp named = read_grasp(file);
    return py::make_tuple(fingers_of(named.grasp),
                          numbers_of(named.grasp.world, named.grasp.center), named.grasp.length);
  });
  module.def(
      "grasp_contacts",
      [](const SimulationHandle& handle, const py::object& body) {
        const Simulation& simulation = handle.get();
        const int index = body_index(body_table(simulation.model())->names, body);
        return fingers_of(
            grasp_of(simulation.model(), simulation.state(), simulation.contacts(), index));
      },
      "simulation"_a, "body"_a, R"(The loaded contacts of a body in the last step.

Its supports on the table are left out.

>>> simulation = vinci.Simulation(scenes / "block_on_incline.yaml")
>>> _ = simulation.step(10)
>>> len(vinci.grasp.contacts(simulation, "block"))
2)");
}

std::vector<char> counting(const Model& model, const std::vector<std::string>& by) {
  std::vector<char> others;
  for (const std::string& name : by) {
    others.resize(model.bodies.size(), 0);
    others[static_cast<std::size_t>(body_index(body_table(model)->names, py::str(name)))] = 1;
  }
  return others;
}

py::list closed_list(const Model& model, const std::vector<ClosedJoint>& joints) {
  const auto body = [&](int index) -> py::object {
    if (index < 0) return py::none();
    return py::str(model.bodies[static_cast<std::size_t>(index)].name);
  };
  py::list list;
  for (const ClosedJoint& joint : joints)
    list.append(py::make_tuple(model.joints[static_cast<std::size_t>(joint.joint)].name,
                               joint.driven, joint.start, joint.position, to_string(joint.reason),
                               joint.time, body(joint.body), body(joint.other)));
  return list;
}

ClosingRun closing_run(const Simulation& simulation, const py::object& object,
                       const std::vector<std::string>& joints, const std::string& robot,
                       double speed, double effort) {
  if (!(speed > 0.0)) throw Error("accepted: more than 0", "speed");
  if (!(effort >= 0.0)) throw Error("accepted: more than 0", "effort");
  const Model& model = simulation.model();
  const double end = static_cast<double>(simulation.total_steps()) * simulation.step_size();
  ClosingRun run;
  run.joints = closing_joints(model, {joints, robot, speed}, end);
  run.speed = speed;
  run.limit = effort;
  run.object = object.is_none() ? -1 : body_index(body_table(model)->names, object);
  return run;
}

// Fingers that close: nothing else moves, or servos for the simulation.
void add_closing(py::module_& module) {
  module.def("_grasp_close", [](const SimulationHandle& handle, const py::object& object,
                                const std::vector<std::string>& joints, const std::string& robot,
                                double speed, const std::vector<std::string>& by) {
    const Simulation& simulation = handle.get();
    const ClosingRun run = closing_run(simulation, object, joints, robot, speed, 0.0);
    Model model = simulation.model();
    make_tree(model);
    const Closing closing = close_statically(model, simulation.state(), run.joints, speed);
    const std::vector<char> others = counting(model, by);
    const Grasp grasp = touching_grasp(model, closing.state, closing.contacts, run.object, others);
    std::vector<std::string> names;
    for (const TouchingContact& touching : touching_contacts(closing.contacts, run.object, others))
      names.push_back(model.bodies[static_cast<std::size_t>(touching.other)].name);
    return py::make_tuple(
        fingers_of(grasp), numbers_of(grasp.world, grasp.center), names,
        closed_list(model, closing.joints), closing.time,
        StateHandle{std::make_shared<State>(closing.state), body_table(model), true});
  });
  module.def("_grasp_servo_scene", [](const SimulationHandle& handle,
                                      const std::vector<std::string>& joints,
                                      const std::string& robot, double speed, double effort) {
    const Simulation& simulation = handle.get();
    return with_servos(
        simulation.scene(),
        closing_servos(simulation.model(),
                       closing_run(simulation, py::none(), joints, robot, speed, effort)));
  });
  module.def("_grasp_now", [](const SimulationHandle& handle, const py::object& object,
                              const std::vector<std::string>& by) {
    const Simulation& simulation = handle.get();
    const Model& model = simulation.model();
    const int body = body_index(body_table(model)->names, object);
    const std::vector<char> others = counting(model, by);
    const Grasp grasp = grasp_of(model, simulation.state(), simulation.contacts(), body, others);
    std::vector<std::string> names;
    for (const LoadedContact& loaded : loaded_contacts(simulation.contacts(), body, others))
      names.push_back(model.bodies[static_cast<std::size_t>(loaded.other)].name);
    return py::make_tuple(fingers_of(grasp), numbers_of(grasp.world, grasp.center), names);
  });
  // Whether a run rests, asked after every step.
  struct Rest {
    ClosingRun run;
    RestWatcher watcher;
    State start;
  };
  py::class_<Rest>(module, "_GraspRest")
      .def(py::init([](const SimulationHandle& handle, const py::object& object,
                       const std::vector<std::string>& joints, const std::string& robot,
                       double speed, double effort) {
        const Simulation& simulation = handle.get();
        const ClosingRun run = closing_run(simulation, object, joints, robot, speed, effort);
        return Rest{run, RestWatcher(run, simulation.step_size()), simulation.state()};
      }))
      .def("after_step",
           [](Rest& rest, const SimulationHandle& handle) {
             rest.watcher.after_step(handle.get());
             return rest.watcher.at_rest();
           })
      .def("joints", [](const Rest& rest, const SimulationHandle& handle) {
        const Simulation& simulation = handle.get();
        return closed_list(simulation.model(), closed_joints(simulation, rest.run, rest.start));
      });
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
  add_closing(module);
  add_functions(module);
}

}  // namespace vinci::python
