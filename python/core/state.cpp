// SPDX-License-Identifier: Apache-2.0
// States: all that continues a run.
#include <cstring>

#include <fmt/format.h>

#include "python/core/core.h"
#include "vinci/base/hash.h"

namespace vinci::python {
namespace {

constexpr int pickle_version = 5;

// The types live as long as the process: their arrays may outlive the module.
template <class Record>
const py::dtype& record_type();

template <class Record>
RowType keyed(const Record& record) {
  RowType type(sizeof record);
  type.field("kind", "u4", offset_in(record, record.key.kind))
      .field("key", "(4,)u4", offset_in(record, record.key.ids));
  return type;
}

template <>
const py::dtype& record_type<ImpulseMemory>() {
  const ImpulseMemory m{};
  static const py::dtype* const type =
      new py::dtype(keyed(m)
                        .field("point", "i8", offset_in(m, m.point))
                        .field("impulse", "(3,)f8", offset_in(m, m.impulse))
                        .field("sliding", "f8", offset_in(m, m.sliding))
                        .field("moment", "(3,)f8", offset_in(m, m.moment))
                        .dtype());
  return *type;
}

template <>
const py::dtype& record_type<ReboundMemory>() {
  const ReboundMemory m{};
  static const py::dtype* const type =
      new py::dtype(keyed(m)
                        .field("speed", "f8", offset_in(m, m.speed))
                        .field("energy", "f8", offset_in(m, m.energy))
                        .dtype());
  return *type;
}

template <>
const py::dtype& record_type<LayerMemory>() {
  const LayerMemory m{};
  static const py::dtype* const type =
      new py::dtype(keyed(m)
                        .field("point", "i8", offset_in(m, m.point))
                        .field("deformation_a", "(3,)f8", offset_in(m, m.deformation_a))
                        .field("deformation_b", "(3,)f8", offset_in(m, m.deformation_b))
                        .field("energy", "f8", offset_in(m, m.energy))
                        .field("turn_a", "(3,)f8", offset_in(m, m.turn_a))
                        .field("turn_b", "(3,)f8", offset_in(m, m.turn_b))
                        .field("normal", "(3,)f8", offset_in(m, m.normal))
                        .dtype());
  return *type;
}

State& changeable(const StateHandle& handle) {
  if (!handle.writable)
    throw Error(
        "belongs to a simulation and is read-only; change a copy() and give it to "
        "set_state()",
        "state");
  return *handle.state;
}

py::array positions(const py::object& self) {
  const auto& handle = self.cast<const StateHandle&>();
  const State& state = *handle.state;
  const auto count = static_cast<py::ssize_t>(state.poses.size());
  const double* data = count > 0 ? state.poses.front().position.data() : nullptr;
  py::array_t<double> array({count, py::ssize_t{3}}, {sizeof(Pose), sizeof(double)}, data, self);
  if (!handle.writable)
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

// An array of another size would move the memory that views show.
void assign(VectorX& to, const py::handle& array, const char* what) {
  const VectorX numbers = vector_of(array, what);
  if (numbers.size() != to.size())
    throw Error(fmt::format("has {} numbers; accepted: {}", numbers.size(), to.size()), what);
  to = numbers;
}

template <class Record>
py::array array_of(const std::vector<Record>& records) {
  return owning(record_type<Record>(), {static_cast<py::ssize_t>(records.size())}, records);
}

template <class Record>
void set_records(std::vector<Record>& records, const py::object& rows) {
  const py::array array = py::module_::import("numpy").attr("ascontiguousarray")(
      rows, "dtype"_a = record_type<Record>());
  const auto* from = static_cast<const Record*>(array.data());
  std::vector<Record> given;
  if (array.size() > 0) given.assign(from, from + array.size());
  records = std::move(given);
}

template <class Record>
py::bytes raw(const std::vector<Record>& records) {
  return {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record)};
}

// False if the bytes are not whole records.
template <class Record>
bool set_raw(std::vector<Record>& records, const py::handle& from) {
  const auto bytes = from.cast<std::string>();
  if (bytes.size() % sizeof(Record) != 0) return false;
  records.resize(bytes.size() / sizeof(Record));
  if (!bytes.empty()) std::memcpy(static_cast<void*>(records.data()), bytes.data(), bytes.size());
  return true;
}

// Raw numbers, so that every bit comes back.
py::tuple pickled_state(const StateHandle& handle) {
  const State& state = *handle.state;
  const BodyTable& bodies = *handle.bodies;
  return py::make_tuple(pickle_version, state.step, state.time, poses_of(state),
                        copied(state.velocities), raw(state.memory.impulses),
                        raw(state.memory.rebounds), raw(state.memory.layers),
                        copied(state.controls), bodies.names, bodies.offsets, bodies.sizes,
                        copied(state.joint_positions), copied(state.joint_rates),
                        copied(state.coupling_offsets));
}

StateHandle unpickled_state(const py::tuple& parts) {
  if (parts.size() != 15 || parts[0].cast<int>() != pickle_version)
    throw Error("was pickled by another version of vinci", "State");
  auto state = std::make_shared<State>();
  state->step = parts[1].cast<std::int64_t>();
  state->time = parts[2].cast<double>();
  state->poses.resize(static_cast<std::size_t>(py::len(parts[3])));
  set_poses(*state, parts[3]);
  state->velocities = vector_of(parts[4], "velocities");
  const BodyTable bodies{parts[9].cast<std::vector<std::string>>(),
                         parts[10].cast<std::vector<int>>(), parts[11].cast<std::vector<int>>()};
  int entries = 0;
  for (const int size : bodies.sizes) entries += size;
  if (!set_raw(state->memory.impulses, parts[5]) || !set_raw(state->memory.rebounds, parts[6]) ||
      !set_raw(state->memory.layers, parts[7]) || bodies.names.size() != state->poses.size() ||
      bodies.offsets.size() != bodies.names.size() || bodies.sizes.size() != bodies.names.size() ||
      entries != state->velocities.size())
    throw Error("was pickled by another version of vinci", "State");
  state->controls = vector_of(parts[8], "controls");
  state->joint_positions = vector_of(parts[12], "joint_positions");
  state->joint_rates = vector_of(parts[13], "joint_rates");
  state->coupling_offsets = vector_of(parts[14], "coupling_offsets");
  return {state, std::make_shared<BodyTable>(bodies)};
}

std::string hash_text(const StateHandle& handle) {
  return fmt::format("{:016x}", hash(*handle.state));
}

StateHandle copy_of(const StateHandle& handle) {
  return {std::make_shared<State>(*handle.state), handle.bodies};
}

const Pose& pose_at(const StateHandle& handle, const py::object& body) {
  const int index = body_index(handle.bodies->names, body);
  return handle.state->poses[static_cast<std::size_t>(index)];
}

py::array velocity_of(const StateHandle& handle, const py::object& body) {
  const auto index = static_cast<std::size_t>(body_index(handle.bodies->names, body));
  return copied(VectorX(handle.state->velocities.segment(handle.bodies->offsets[index],
                                                         handle.bodies->sizes[index])));
}

void add_numbers(py::class_<StateHandle>& state) {
  state.def_property(
      "step", [](const StateHandle& s) { return s.state->step; },
      [](const StateHandle& s, std::int64_t step) { changeable(s).step = step; },
      "Steps done since the run began.");
  state.def_property(
      "time", [](const StateHandle& s) { return s.state->time; },
      [](const StateHandle& s, double time) { changeable(s).time = time; }, "s.");
  state.def_property(
      "poses",
      [](const StateHandle& s) {
        py::array array = poses_of(*s.state);
        array.attr("setflags")("write"_a = false);
        return array;
      },
      [](const StateHandle& s, const py::object& array) { set_poses(changeable(s), array); },
      "Poses of the body frames, bodies x 7: x y z in m, then the unit quaternion w x y z. A "
      "read-only copy; assign a whole array to change them.");
  state.def_property(
      "positions", &positions,
      [](const StateHandle& s, const py::object& array) {
        py::object(py::cast(s)).attr("positions").attr("__setitem__")(py::ellipsis(), array);
      },
      "Positions of the body frames, bodies x 3, m; a view, writable if the state is.");
  state.def_property(
      "velocities",
      [](const py::object& self) {
        const auto& s = self.cast<const StateHandle&>();
        return view(s.state->velocities, self, s.writable);
      },
      [](const StateHandle& s, const py::object& array) {
        assign(changeable(s).velocities, array, "velocities");
      },
      "Packed velocities: of the centre of mass in m/s and angular in rad/s, `Body.velocity` says "
      "where; a view, writable if the state is.");
  state.def_property(
      "impulses", [](const StateHandle& s) { return array_of(s.state->memory.impulses); },
      [](const StateHandle& s, const py::object& rows) {
        set_records(changeable(s).memory.impulses, rows);
      },
      "Impulses of the last step, by which the next one begins, sorted by key: `kind` (0 contact, "
      "1 "
      "support, 2 element), `key`, `point` of a contact's patch, `impulse` (N s along normal and "
      "tangents). A copy.");
  state.def_property(
      "rebounds", [](const StateHandle& s) { return array_of(s.state->memory.rebounds); },
      [](const StateHandle& s, const py::object& rows) {
        set_records(changeable(s).memory.rebounds, rows);
      },
      "Impacts whose rebound is still due, sorted by key: `kind`, `key`, `speed` (m/s). A copy.");
  state.def_property(
      "layers", [](const StateHandle& s) { return array_of(s.state->memory.layers); },
      [](const StateHandle& s, const py::object& rows) {
        set_records(changeable(s).memory.layers, rows);
      },
      "Layers of compliant contacts, sorted by key and point: `kind`, `key`, `point`, "
      "`deformation_a`, `deformation_b` (m along normal and tangent, and the tilt of the patch in "
      "rad; in space m along normal, tangent 1 and tangent 2), `energy` (J); in space `turn_a`, "
      "`turn_b` (rad: twist about the normal, tilts along the tangents) and `normal`, to which "
      "these "
      "axes belong. A copy.");
  state.def_property_readonly(
      "joint_positions",
      [](const py::object& self) {
        const auto& s = self.cast<const StateHandle&>();
        return view(s.state->joint_positions, self, false);
      },
      "Coordinates of all joints, in the order of the scene; read-only.");
  state.def_property_readonly(
      "joint_rates",
      [](const py::object& self) {
        const auto& s = self.cast<const StateHandle&>();
        return view(s.state->joint_rates, self, false);
      },
      "Rates of all joints; read-only.");
  state.def_property(
      "controls",
      [](const py::object& self) {
        const auto& s = self.cast<const StateHandle&>();
        return view(s.state->controls, self, s.writable);
      },
      [](const StateHandle& s, const py::object& array) {
        assign(changeable(s).controls, array, "controls");
      },
      "Memory of the controllers, one after the other; a view, writable if the state is.");
}

}  // namespace

py::array poses_of(const State& state) {
  py::array_t<double> array({state.poses.size(), std::size_t{7}});
  double* to = array.mutable_data();
  for (const Pose& pose : state.poses) {
    const Vector3& x = pose.position;
    const Quaternion& q = pose.rotation;
    for (const double number : {x.x(), x.y(), x.z(), q.w(), q.x(), q.y(), q.z()}) *to++ = number;
  }
  return array;
}

void set_poses(State& state, const py::handle& rows) {
  using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
  const auto array = Doubles::ensure(rows);
  if (!array) PyErr_Clear();
  const auto count = static_cast<py::ssize_t>(state.poses.size());
  if (!array || array.ndim() != 2 || array.shape(0) != count || array.shape(1) != 7)
    throw Error(fmt::format("accepted: an array of {} x 7 numbers", count), "poses");
  const double* from = array.data();
  for (Pose& pose : state.poses) {
    pose = {Vector3(from[0], from[1], from[2]), Quaternion(from[3], from[4], from[5], from[6])};
    from += 7;
  }
}

void add_state(py::module_& module) {
  py::class_<StateHandle> state(module, "State", R"(All that is needed to continue a run.

`Simulation.state` shows the present one and follows the run, read-only; `copy()` keeps it, may be
changed, given to `Simulation.set_state`, compared and pickled, bit for bit.

>>> sim = vinci.Simulation(scenes / "bouncing_ball.yaml")
>>> start = sim.state.copy()
>>> _ = sim.step(10)
>>> later = sim.state.copy()
>>> sim.set_state(start)
>>> _ = sim.step(10)
>>> sim.state == later
True)");
  add_numbers(state);
  state.def("copy", &copy_of, R"(A state of its own, which may be changed.

>>> state = vinci.Simulation(scenes / "bouncing_ball.yaml").state.copy()
>>> state.velocities[0] = 1.0)");
  state.def("__copy__", &copy_of);
  state.def("__deepcopy__", [](const StateHandle& s, const py::dict&) { return copy_of(s); });
  state.def(
      "position",
      [](const StateHandle& s, const py::object& body) {
        return copied(pose_at(s, body).position);
      },
      "body"_a, R"(Position of a body's frame, by the body's name or number, m; a copy.

>>> vinci.Simulation(scenes / "stack.yaml").state.position("box-01").tolist()
[0.0, 0.05, 0.0])");
  state.def(
      "rotation",
      [](const StateHandle& s, const py::object& body) {
        return copied(pose_at(s, body).rotation);
      },
      "body"_a, "Unit quaternion w x y z of a body's frame, by its name or number; a copy.");
  state.def("velocity", &velocity_of, "body"_a,
            "Packed velocity of a body, by its name or number: (vx, vy, wz) of a planar one, (vx, "
            "vy, vz, wx, wy, wz) of a spatial one, m/s and rad/s; a copy.");
  state.def_property_readonly("hash", &hash_text,
                              "Fingerprint of every bit, 16 hexadecimal digits.");
  state.def_property_readonly(
      "writable", [](const StateHandle& s) { return s.writable; },
      "False for the state that lies in a simulation.");
  state.def(
      "__eq__",
      [](const StateHandle& a, const py::object& b) -> py::object {
        if (!py::isinstance<StateHandle>(b))
          return py::reinterpret_borrow<py::object>(Py_NotImplemented);
        return py::bool_(*a.state == *b.cast<const StateHandle&>().state);
      },
      py::is_operator());
  state.attr("__hash__") = py::none();
  state.def("__repr__", [](const StateHandle& s) {
    return fmt::format("<vinci.State step {}, {:.6g} s, {} bodies, hash {}>", s.state->step,
                       s.state->time, s.state->poses.size(), hash_text(s));
  });
  state.def(py::pickle(&pickled_state, &unpickled_state));
}

}  // namespace vinci::python
