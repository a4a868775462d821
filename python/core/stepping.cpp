// SPDX-License-Identifier: Apache-2.0
// Steppers written in Python, and what a step gives them to work with.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "python/core/code.h"
#include "vinci/formulation/contact_frame.h"
#include "vinci/stepping/step_forces.h"

namespace vinci::python {
namespace {

// The context of one step; what it points to is there during the step only.
struct StepHandle {
  StepContext* context = nullptr;
  Owner owner;
  std::shared_ptr<TimeStepper> inner;  // the built-in method, for advance()
  StepReport report;                   // what the step will say of itself
  std::vector<SolvedContact> solved;   // for contacts and recordings

  StepContext& get() const {
    if (context == nullptr) throw Error("the step that this belongs to is over", "context");
    return *context;
  }
};

State& own(const StateHandle& handle) {
  if (!handle.writable) throw Error("is read-only", "state");
  return *handle.state;
}

void check_fit(const Model& model, const State& state) {
  if (state.poses.size() != model.bodies.size() || state.velocities.size() != model.velocity_count)
    throw Error("belongs to another scene", "state");
}

py::array detect(StepHandle& step, const py::object& poses, const py::object& reach) {
  StepContext& context = step.get();
  const Model& model = *context.in.model;
  State state;
  state.poses.resize(model.bodies.size());
  set_poses(state, poses);
  for (const Pose& pose : state.poses)
    if (!pose.position.allFinite() || !(std::abs(pose.rotation.norm() - 1.0) <= 1e-6))
      throw Error("accepted: finite positions and unit quaternions", "poses");
  const py::object numbers =
      py::module_::import("numpy").attr("broadcast_to")(reach, py::make_tuple(model.bodies.size()));
  const VectorX distances = vector_of(numbers, "reach");
  if (!(distances.array() >= 0.0).all() || !distances.allFinite())
    throw Error("accepted: finite distances in m, not negative", "reach");
  context.in.detector->detect(model, state.poses,
                              {distances.data(), static_cast<std::size_t>(distances.size())},
                              context.work.contacts);
  std::vector<SolvedContact> rows;
  for (const Contact& contact : context.work.contacts) {
    const ContactFrame frame = contact_frame(model.world, contact.normal);
    SolvedContact row{contact, frame.tangent_1, frame.tangent_2};
    row.friction = row.friction_2 =
        model.surface_between(contact.key.shape_a(), contact.key.shape_b()).friction;
    rows.push_back(row);
    step.report.penetration = std::max(step.report.penetration, -contact.gap);
  }
  step.report.contact_count = static_cast<int>(rows.size());
  const auto count = static_cast<py::ssize_t>(rows.size());
  return owning(solved_contact_type(), {count}, std::move(rows));
}

Answer solve_in_step(StepHandle& step, const ProblemHandle& problem, const py::object& guess) {
  StepContext& context = step.get();
  Answer answer = solved_by(*context.in.solver, *problem.problem, guess);
  step.report.solve = answer.report;
  context.work.problem = *problem.problem;
  context.work.solution = answer.solution;
  return answer;
}

py::array forces(StepHandle& step, const StateHandle& state, double h) {
  check_fit(*step.get().in.model, *state.state);
  VectorX numbers;
  step_forces(step.get(), *state.state, h, numbers);
  return copied(numbers);
}

StepReport advance(StepHandle& step, const StateHandle& handle, double h) {
  State& state = own(handle);
  check_fit(*step.get().in.model, state);
  if (!(h > 0.0)) throw Error(fmt::format("is {}; accepted: a positive time in s", h), "h");
  {
    py::gil_scoped_release release;
    step.report = step.inner->step(step.get(), state, h);
  }
  step.solved = step.get().out.contacts;
  return step.report;
}

void set_contacts(StepHandle& step, const py::object& rows) {
  const py::array array = py::module_::import("numpy").attr("ascontiguousarray")(
      rows, "dtype"_a = solved_contact_type());
  const auto* from = static_cast<const SolvedContact*>(array.data());
  step.solved.assign(from, from + array.size());
  const int bodies = static_cast<int>(step.get().in.model->bodies.size());
  for (const SolvedContact& row : step.solved)
    for (const int body : {row.contact.body_a, row.contact.body_b})
      if (body < 0 || body >= bodies)
        throw Error(fmt::format("names body {}; accepted: 0 to {}", body, bodies - 1), "contacts");
  step.report.active_count = static_cast<int>(
      std::count_if(step.solved.begin(), step.solved.end(),
                    [](const SolvedContact& row) { return !row.impulse.isZero(0.0); }));
  step.report.contact_count = static_cast<int>(step.solved.size());
}

int first_not_finite(const Model& model, const State& state) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (!state.poses[b].position.allFinite() || !state.poses[b].rotation.coeffs().allFinite() ||
        !state.velocities.segment(body.velocity_offset, body.velocity_size).allFinite())
      return static_cast<int>(b);
  }
  return -1;
}

// Takes over what the Python code made of a copy of the state: an exception leaves all as it was.
class PythonStepper : public TimeStepper {
 public:
  PythonStepper(Held object, Owner owner, const OptionValues& options)
      : object_(std::move(object)), owner_(std::move(owner)) {
    py::gil_scoped_acquire gil;
    if (!py::hasattr(*object_, "step")) throw Error("has no method 'step'", code_name(*object_));
    inner_ = known_plugins()->steppers.make(inner_stepper, options);
  }

  std::string why_not(const Model& model) const override {
    py::gil_scoped_acquire gil;
    if (!py::hasattr(*object_, "why_not")) return {};
    const py::object reason = object_->attr("why_not")(model_handle(owner_, model));
    return reason.is_none() ? "" : py::str(reason).cast<std::string>();
  }

  ComplementarityProblem probe(const Model&) const override { return {}; }
  // Steps made of parts of the built-in method have its impacts.
  std::string why_not_law(const Model& model, const ImpactLaw& law,
                          const Solver& solver) const override {
    return inner_->why_not_law(model, law, solver);
  }

  StepReport step(StepContext& context, State& state, double h) override {
    py::gil_scoped_acquire gil;
    auto handle = std::make_shared<StepHandle>();
    handle->context = &context;
    handle->owner = owner_;
    handle->inner = inner_;
    handle->report.solve.status = SolveStatus::solved;  // where there is nothing to solve
    context.out.controls = state.controls;
    const StateHandle next{std::make_shared<State>(state), body_table(*context.in.model)};
    const std::vector<SolvedContact> before = context.out.contacts;
    try {
      object_->attr("step")(handle, next, h);
      check_rotations(*context.in.model, *next.state);
    } catch (...) {
      handle->context = nullptr;
      context.out.contacts = before;
      throw;
    }
    handle->context = nullptr;
    return take(context, *handle, *next.state, state);
  }

 private:
  void check_rotations(const Model& model, const State& state) const {
    check_fit(model, state);
    for (std::size_t b = 0; b < state.poses.size(); ++b)
      if (std::abs(state.poses[b].rotation.norm() - 1.0) > 1e-9)
        throw Error("the step left a rotation that is not a unit quaternion", model.bodies[b].name);
  }

  static StepReport take(StepContext& context, StepHandle& handle, const State& next,
                         State& state) {
    state.poses = next.poses;
    state.velocities = next.velocities;
    state.memory = next.memory;
    state.memory.sort();
    state.controls = context.out.controls;
    context.out.contacts = std::move(handle.solved);
    handle.report.diverged_body = first_not_finite(*context.in.model, state);
    return handle.report;
  }

  Held object_;
  Owner owner_;
  std::shared_ptr<TimeStepper> inner_;
};

}  // namespace

std::unique_ptr<TimeStepper> python_stepper(const Held& object, const Owner& owner,
                                            const OptionValues& options) {
  return std::make_unique<PythonStepper>(object, owner, options);
}

void add_stepping(py::module_& module) {
  py::class_<StepHandle, std::shared_ptr<StepHandle>> step(
      module, "StepContext", R"(What a Stepper works with during one step.

It is of no use after the step. See `Stepper` for an example.)");
  step.def_property_readonly(
      "model", [](const StepHandle& s) { return model_handle(s.owner, *s.get().in.model); });
  step.def("detect", &detect, "poses"_a, "reach"_a,
           R"(Contacts of bodies at these poses (bodies x 7) that are near each other.

`reach` is how far the surface of each body may travel in the step (m), one number or one per body:
contacts whose gap is at most the sum of two are found. The array has the fields of
`Simulation.contacts`; impulses and velocities are zero, to be filled in.)");
  step.def("solve", &solve_in_step, "problem"_a, "guess"_a = py::none(),
           "Solves a problem with the solver of the run; gives an Answer, which the step reports.");
  step.def("forces", &forces, "state"_a, "h"_a,
           "Applied forces, packed as velocities (N, N m): gravity, the scene's and those of the "
           "controllers, whose memory advances. To be called once per step.");
  step.def("advance", &advance, "state"_a, "h"_a,
           "Advances the state by h seconds with the built-in method 'stewart-trinkle' and the "
           "solver of the run; for steps made of parts. Gives a StepReport.");
  step.def_property(
      "contacts",
      [](const StepHandle& s) {
        return owning(solved_contact_type(), {static_cast<py::ssize_t>(s.solved.size())}, s.solved);
      },
      &set_contacts, "What `Simulation.contacts` and recordings will show of this step.");
}

}  // namespace vinci::python
