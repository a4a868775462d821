// SPDX-License-Identifier: Apache-2.0
// Simulations: making them, stepping them, looking at them.
#include "python/core/simulation.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "python/core/code.h"
#include "vinci/model/controller.h"
#include "vinci/model/element.h"
#include "vinci/model/joint_columns.h"

namespace vinci::python {

SimulationHandle::SimulationHandle(std::shared_ptr<Simulation> simulation)
    : simulation_(std::move(simulation)), bodies_(body_table(simulation_->model())) {
  // A long solve inside of a step hears Ctrl-C; the step is then not done.
  simulation_->stop_when([] {
    check_signals();
    return false;
  });
}

Simulation& SimulationHandle::get() const {
  if (stepping_)
    throw Error(
        "is in the middle of a step: another thread steps it, or code that takes part in "
        "the step asks for it",
        "simulation");
  return *simulation_;
}

// The time in which the simulation steps and the GIL is free. Contacts that arrays show are put
// aside, and come back where no step was done.
class SimulationHandle::Turn {
 public:
  explicit Turn(SimulationHandle& handle)
      : handle_(handle), simulation_(handle.get()), before_(simulation_.state().step) {
    if ((lent_ = handle.lent_.lock())) lent_->rows = simulation_.take_contacts();
    handle_.stepping_ = true;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    handle_.stepping_ = false;
    if (lent_ && simulation_.state().step == before_ && simulation_.contacts().empty())
      simulation_.give_contacts(std::move(lent_->rows));
    else
      handle_.lent_.reset();
  }
  Simulation& operator*() { return simulation_; }

 private:
  SimulationHandle& handle_;
  Simulation& simulation_;
  std::int64_t before_;
  std::shared_ptr<LentContacts> lent_;
};

StepReport SimulationHandle::step(std::int64_t count) {
  if (count < 1) throw Error(fmt::format("is {}; accepted: at least 1", count), "count");
  Turn turn(*this);
  py::gil_scoped_release release;
  Stopwatch watch;
  for (std::int64_t i = 0; i < count; ++i) {
    (*turn).step();
    if (count > 1 && watch.seconds() > 0.05) watch.lap(), check_signals();
  }
  return (*turn).report();
}

namespace {

// The statistics of a part of a run.
struct Statistics : StepWatcher, RunStatistics {
  explicit Statistics(double accepted) : accept(accepted) {}
  void after_step(const Simulation& simulation) override { add(step_note(simulation, accept)); }
  double accept;
};

}  // namespace

Advance SimulationHandle::advance(std::int64_t last_step, double seconds, RecorderHandle* handle) {
  RunLoop loop{.last_step = last_step, .recorder = handle == nullptr ? nullptr : &handle->get()};
  Turn turn(*this);
  Statistics part((*turn).options().real("accept"));
  loop.watchers = {&part};
  loop.with_files = [](const std::function<void()>& use) {
    py::gil_scoped_acquire gil;
    use();
  };
  const Stopwatch watch;
  loop.go_on = [&] { return watch.seconds() <= seconds; };
  py::gil_scoped_release release;
  const bool more = !run_steps(*turn, loop);
  return {more, part.worst_residual, part.inexact_steps};
}

void SimulationHandle::set_state(const State& state) {
  Simulation& simulation = get();
  auto lent = lent_.lock();
  if (lent) lent->rows = simulation.take_contacts();
  try {
    simulation.set_state(state);
  } catch (...) {
    if (lent) simulation.give_contacts(std::move(lent->rows));
    throw;
  }
  lent_.reset();
}

void SimulationHandle::set_parameters(const std::map<std::string, double>& values) {
  get().set_parameter(values);
}

StateHandle SimulationHandle::state() const {
  auto& state = const_cast<State&>(simulation_->state());  // the handle is read-only
  return {std::shared_ptr<State>(simulation_, &state), bodies_, false};
}

py::array SimulationHandle::contacts() {
  const Simulation& simulation = get();
  std::shared_ptr<LentContacts> lent = lent_.lock();
  if (!lent) lent_ = lent = std::make_shared<LentContacts>(LentContacts{simulation_, {}});
  const py::capsule base(new std::shared_ptr<LentContacts>(lent), [](void* data) {
    delete static_cast<std::shared_ptr<LentContacts>*>(data);
  });
  const auto& rows = simulation.contacts();
  return view(solved_contact_type(), {static_cast<py::ssize_t>(rows.size())}, rows.data(), base,
              false);
}

namespace {

std::string body_name(const Simulation& simulation, int body) {
  return body < 0 ? "" : simulation.model().bodies[static_cast<std::size_t>(body)].name;
}

py::dict options_of(const Simulation& simulation) {
  const auto add = [](py::dict& to, const std::string& prefix, const OptionValues& values) {
    for (const OptionSpec& spec : values.table().specs())
      to[py::str(prefix + spec.name)] = py::cast(values.value(spec.name));
  };
  py::dict options;
  add(options, "", simulation.options());
  for (const auto& [kind, values] : simulation.plugin_options()) add(options, kind + ".", values);
  return options;
}

void add_looks(py::class_<SimulationHandle>& simulation) {
  simulation.def_property_readonly("state", &SimulationHandle::state,
                                   "The present state, read-only; it follows the run, `copy()` "
                                   "keeps it.");
  simulation.def_property_readonly(
      "elements",
      [](const SimulationHandle& handle) {
        const Model& model = handle.get().model();
        VectorX numbers;
        read_elements(model, handle.get().state(), numbers);
        py::dict result;
        int i = 0;
        for (const auto& element : model.elements)
          for (const ElementColumn& column : element->columns())
            result[py::str(element->name() + "." + column.name)] = numbers[i++];
        return result;
      },
      "Numbers of springs and the like at the present state, by `element.column`, in SI units.");
  simulation.def_property_readonly(
      "joints",
      [](const SimulationHandle& handle) {
        VectorX numbers;
        handle.get().read_joints(numbers);
        py::dict result;
        int i = 0;
        for (const std::string& column : joint_columns(handle.get().model()))
          result[py::str(column.substr(0, column.rfind(" [")))] = numbers[i++];
        return result;
      },
      "Numbers of joints at the present state, by `joint.column`, in SI units: position, rate, and "
      "motor, friction, limit, force_x to moment_z as means over the last step.");
  simulation.def_property_readonly(
      "controls",
      [](const SimulationHandle& handle) {
        const VectorX& numbers = handle.get().state().controls;
        py::dict result;
        int i = 0;
        for (const std::string& column : control_columns(handle.get().controllers()))
          result[py::str(column.substr(0, column.rfind(" [")))] = numbers[i++];
        return result;
      },
      "What controllers remember at the present state, by `controller.column`, in SI units: of "
      "those of joints effort, reference and error per joint at the last sample.");
  simulation.def_property_readonly(
      "contacts", &SimulationHandle::contacts,
      R"(The contacts of the last step, a structured array without a copy.

Fields: `kind` (0 contact, 1 support), `key` (shapes and features, or body and support), `bodies`
(numbers of a and b), `point_a`, `point_b` (m, world), `normal` (from a to b), `tangent_1`, `tangent_2`, `impulse` (N s on b: normal, tangent 1, tangent 2),
`velocity` (m/s of b relative to a after the step, same axes), `gap` (m at the start of the step,
negative: overlap), `friction` (along tangent 1) and `friction_2` (along tangent 2); of contacts with
moments `moment` (N m s on b, about normal, tangent 1, tangent 2) and `turning` (rad/s of b relative
to a after the step, same axes). The array is read-only and stays as it is when the run goes on.

>>> sim = vinci.Simulation(scenes / "stack.yaml")
>>> _ = sim.step()
>>> bool((sim.contacts["impulse"][:, 0] > 0).all())
True)");
  simulation.def_property_readonly(
      "model", [](const SimulationHandle& s) { return ModelHandle{s.get().shared_model()}; },
      "The present model; a change of parameters makes another one.");
  simulation.def_property_readonly(
      "report", [](const SimulationHandle& s) { return StepReport(s.get().report()); },
      "What the last step said of itself.");
  simulation.def_property_readonly(
      "ending",
      [](const SimulationHandle& s) {
        const StepReport& report = s.get().report();
        return ending_words(report.ending, report.shortage,
                            body_name(s.get(), report.shortage.body));
      },
      "Why there is no next state, with the body that lacks a force; '' if there is one.");
  simulation.def_property_readonly(
      "problem",
      [](const SimulationHandle& s) {
        return ProblemHandle{std::make_shared<ComplementarityProblem>(s.get().problem())};
      },
      "The complementarity problem of the last step, a copy.");
  simulation.def_property_readonly(
      "solution",
      [](const SimulationHandle& s) {
        const Solution& solution = s.get().solution();
        return py::make_tuple(copied(solution.u), copied(solution.lambda));
      },
      "(u, impulse) of the last step's problem: velocities in m/s and rad/s, impulses in N s; "
      "copies.");
  simulation.def_property_readonly(
      "energy",
      [](const SimulationHandle& s) {
        const Energy sum = energy(s.get().model(), s.get().state());
        return py::make_tuple(sum.kinetic, sum.potential);
      },
      "(kinetic, potential) energy, J; potential zero at the world's origin.");
  simulation.def_property_readonly(
      "scene", [](const SimulationHandle& s) { return Scene(s.get().scene()); });
  simulation.def_property_readonly(
      "options", [](const SimulationHandle& s) { return options_of(s.get()); },
      "All options of the run and its plugins, by name ('step', 'solver.tolerance').");
  simulation.def_property_readonly(
      "code", [](const SimulationHandle& s) { return s.get().code_names(); },
      "Names of the caller's code that takes part.");
  simulation.def_property_readonly(
      "step_size", [](const SimulationHandle& s) { return s.get().step_size(); }, "s.");
  simulation.def_property_readonly(
      "total_steps", [](const SimulationHandle& s) { return s.get().total_steps(); },
      "Steps of the whole duration.");
  simulation.def_property_readonly(
      "output_every", [](const SimulationHandle& s) { return s.get().output_every(); },
      "Steps between recorded frames.");
  simulation.def_property_readonly(
      "finished", [](const SimulationHandle& s) { return s.get().finished(); },
      "The duration is reached, the run diverged, or the motion model has no next state.");
  simulation.def_property_readonly(
      "diverged",
      [](const SimulationHandle& s) -> py::object {
        if (!s.get().diverged()) return py::none();
        return py::str(body_name(s.get(), s.get().report().diverged_body));
      },
      "Name of the body whose numbers are not finite any more, or None.");
}

}  // namespace

void add_simulation(py::module_& module) {
  py::class_<SimulationHandle> simulation(module, "Simulation");
  simulation.def(py::init(&make_simulation), "scene"_a, "options"_a, "parameters"_a,
                 "controllers"_a, "motions"_a, "solver"_a, "stepper"_a, "impact_law"_a);
  simulation.def("step", &SimulationHandle::step, "count"_a = 1,
                 R"(Performs one step, or several, and reports on the last one.

An exception in code that takes part (a controller, say) leaves the state of the step before.

>>> vinci.Simulation(scenes / "stack.yaml").step().status
'solved')");
  simulation.def(
      "_advance",
      [](SimulationHandle& s, std::int64_t last_step, double seconds, RecorderHandle* recorder) {
        const Advance done = s.advance(last_step, seconds, recorder);
        return std::make_tuple(done.more, done.worst_residual, done.inexact);
      },
      "last_step"_a, "seconds"_a, "recorder"_a.none(true));
  simulation.def(
      "set_state",
      [](SimulationHandle& s, const StateHandle& state) {
        const State copy = *state.state;  // it may be the simulation's own
        s.set_state(copy);
      },
      "state"_a, R"(Continues from a state of the same scene and step size.

>>> sim = vinci.Simulation(scenes / "stack.yaml")
>>> start = sim.state.copy()
>>> _ = sim.step(5)
>>> sim.set_state(start)
>>> sim.state.step
0)");
  simulation.def("_parameters", [](const SimulationHandle& s) { return s.get().parameters(); });
  simulation.def("_set_parameters", &SimulationHandle::set_parameters, "values"_a);
  add_looks(simulation);
}

}  // namespace vinci::python
