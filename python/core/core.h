// SPDX-License-Identifier: Apache-2.0
// What the files of the module share: views of C++ memory as NumPy arrays, objects that may be
// dropped without the interpreter's lock (GIL), and one function a file that adds its classes.
//
// The GIL is released in every long computation. HDF5 of Debian knows no threads, so every call of
// it is made while the GIL is held; that keeps h5py out, too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "vinci/simulation/simulation.h"

namespace vinci::python {

namespace py = pybind11;
using namespace py::literals;

void add_errors(py::module_& module);
void add_portable(py::module_& module);
void add_scene(py::module_& module);
void add_model(py::module_& module);
void add_state(py::module_& module);
void add_problem(py::module_& module);
void add_solve(py::module_& module);
void add_plugins(py::module_& module);
void add_stepping(py::module_& module);
void add_impact_laws(py::module_& module);
void add_report(py::module_& module);
void add_simulation(py::module_& module);
void add_recorder(py::module_& module);
void add_recording(py::module_& module);
void add_planning(py::module_& module);
void add_viewing(py::module_& module);
void add_grasp(py::module_& module);
void add_kinematics(py::module_& module);
void add_systems(py::module_& module);
void add_analysis(py::module_& module);
void add_certify(py::module_& module);
void add_study(py::module_& module);

// A Python object that C++ code may copy and drop in any thread, with or without the GIL.
class Held {
 public:
  Held() = default;
  explicit Held(py::object object)
      : object_(new py::object(std::move(object)), [](py::object* held) {
          py::gil_scoped_acquire gil;
          delete held;
        }) {}
  const py::object& operator*() const { return *object_; }
  const py::object* operator->() const { return object_.get(); }

 private:
  std::shared_ptr<py::object> object_;
};

// Fields of a structured array, described by where they lie in a sample of the C++ struct.
class RowType {
 public:
  explicit RowType(std::size_t size) : size_(size) {}
  // `format` as NumPy spells it: "f8", "(3,)f8".
  RowType& field(const char* name, const char* format, std::ptrdiff_t offset);
  py::dtype dtype() const;

 private:
  std::size_t size_;
  py::list names_, formats_, offsets_;
};

// Where a member lies in its object, bytes.
template <class Object, class Member>
std::ptrdiff_t offset_in(const Object& object, const Member& member) {
  return reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&object);
}

// An array over memory that `base` keeps alive.
py::array view(const py::dtype& type, std::vector<py::ssize_t> shape, const void* data,
               py::handle base, bool writable);
py::array view(const VectorX& vector, py::handle base, bool writable);
// The same with a vector that the array owns from now on.
template <class Row>
py::array owning(const py::dtype& type, std::vector<py::ssize_t> shape, std::vector<Row> rows) {
  auto* held = new std::vector<Row>(std::move(rows));
  const py::capsule base(held, [](void* data) { delete static_cast<std::vector<Row>*>(data); });
  return view(type, std::move(shape), held->data(), base, true);
}
py::array copied(const VectorX& vector);
py::array copied(const Vector3& vector);
py::array copied(const Quaternion& rotation);  // w x y z
// One-dimensional, any real numbers; `what` names it in messages.
VectorX vector_of(const py::handle& object, const std::string& what);

// An attribute that may be missing, as a number; Error where it is none.
template <class Number>
Number attribute(const py::handle& object, const char* name, Number fallback,
                 const std::string& where) {
  if (!py::hasattr(object, name)) return fallback;
  try {
    return object.attr(name).cast<Number>();
  } catch (const py::cast_error&) {
    throw Error(std::string(name) + " is not a number of its kind", where);
  }
}

// Rows of Simulation::contacts, and of the contacts of a recording.
const py::dtype& solved_contact_type();
const py::dtype& contact_row_type();

// Names of the bodies of a state and where their velocities lie.
struct BodyTable {
  std::vector<std::string> names;
  std::vector<int> offsets, sizes;
};
using Bodies = std::shared_ptr<const BodyTable>;
Bodies body_table(const Model& model);

// A state that Python owns, or one that lies in a simulation and is only looked at.
struct StateHandle {
  std::shared_ptr<State> state;
  Bodies bodies;
  bool writable = true;
};
py::array poses_of(const State& state);  // bodies x 7, a copy
// Throws Error unless the array has one row of seven finite numbers per body.
void set_poses(State& state, const py::handle& array);

struct ModelHandle {
  std::shared_ptr<const Model> model;
};
// By name or number; throws Error.
int body_index(const std::vector<std::string>& names, const py::handle& body);

struct ProblemHandle {
  std::shared_ptr<const ComplementarityProblem> problem;
};

// What a solve gave; see solve.cpp.
struct Answer {
  SolveReport report;
  Solution solution;
  VectorX w, certificate;
  std::string solver, note;
  std::vector<Attempt> attempts;
  double seconds = 0.0;
};

// The answer of a solver of a run, judged; the guess is one of its impulses, or None.
Answer solved_by(Solver& solver, const ComplementarityProblem& problem, const py::object& guess);

// Everything that can be chosen by name in this process, shared libraries included.
std::shared_ptr<const Plugins> known_plugins();

// Text of a file or a message of it; bytes that are no UTF-8 become "\xff".
py::str readable(const std::string& text);

// Raises KeyboardInterrupt where Ctrl-C was pressed; for use without the GIL.
void check_signals();

}  // namespace vinci::python
