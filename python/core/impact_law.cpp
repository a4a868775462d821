// SPDX-License-Identifier: Apache-2.0
// Impact laws written in Python, and the impact that they are given.
#include <fmt/format.h>

#include "python/core/code.h"

namespace vinci::python {
namespace {

// One impact; the solver is there while the law works on it.
struct ImpactHandle {
  ImpactProblem impact;
  ProblemHandle problem;
  Solver* solver = nullptr;
  ImpactReport report;  // the worst of what was solved
};

Answer solve_in_impact(ImpactHandle& handle, const ProblemHandle& problem,
                       const py::object& guess) {
  if (handle.solver == nullptr) throw Error("the impact that this belongs to is over", "impact");
  Answer answer = solved_by(*handle.solver, *problem.problem, guess);
  const int iterations = handle.report.solve.iterations + answer.report.iterations;
  if (!(answer.report.residual.relative < handle.report.solve.residual.relative))
    handle.report.solve = answer.report;
  handle.report.solve.iterations = iterations;
  return answer;
}

class PythonImpactLaw : public ImpactLaw {
 public:
  PythonImpactLaw(Held object, std::string name)
      : object_(std::move(object)), name_(std::move(name)) {
    py::gil_scoped_acquire gil;
    if (!py::hasattr(*object_, "apply")) throw Error("has no method 'apply'", name_);
  }

  ImpactReport apply(const ImpactProblem& impact, Solver& solver, Solution& answer) override {
    py::gil_scoped_acquire gil;
    const auto handle = std::make_shared<ImpactHandle>();
    handle->impact = impact;
    handle->problem.problem = std::make_shared<ComplementarityProblem>(impact.inelastic);
    handle->solver = &solver;
    handle->report.solve.status = SolveStatus::solved;  // where nothing is solved
    py::object given;
    try {
      given = object_->attr("apply")(handle);
    } catch (...) {
      handle->solver = nullptr;
      throw;
    }
    handle->solver = nullptr;
    const std::string where = fmt::format("{}.apply: impulses", name_);
    if (py::isinstance<Answer>(given))
      answer.lambda = given.cast<const Answer&>().solution.lambda;
    else
      answer.lambda = vector_of(given, where);
    if (answer.lambda.size() != impact.inelastic.rows())
      throw Error(fmt::format("has {} numbers; accepted: {}", answer.lambda.size(),
                              impact.inelastic.rows()),
                  where);
    if (!answer.lambda.allFinite()) throw Error("accepted: finite numbers", where);
    return handle->report;
  }

 private:
  Held object_;
  std::string name_;
};

template <class Number, class Of>
py::array column(const ImpactHandle& handle, Of of) {
  py::array_t<Number> numbers(static_cast<py::ssize_t>(handle.impact.contacts.size()));
  Number* to = numbers.mutable_data();
  for (const ImpactContact& contact : handle.impact.contacts) *to++ = of(contact);
  return numbers;
}

py::array velocities_before(const ImpactHandle& handle) {
  const auto count = static_cast<py::ssize_t>(handle.impact.contacts.size());
  py::array_t<double> numbers({count, py::ssize_t{3}});
  double* to = numbers.mutable_data();
  for (const ImpactContact& contact : handle.impact.contacts)
    for (int i = 0; i < 3; ++i) *to++ = contact.before[i];
  return numbers;
}

}  // namespace

std::unique_ptr<ImpactLaw> python_impact_law(const Held& object, const std::string& name) {
  return std::make_unique<PythonImpactLaw>(object, name);
}

void add_impact_laws(py::module_& module) {
  py::class_<ImpactHandle, std::shared_ptr<ImpactHandle>> impact(
      module, "Impact", R"(An impact at fixed poses, as an ImpactLaw is given it.

All contacts that touch at that instant take part. See `ImpactLaw` for an example.)");
  impact.def_property_readonly(
      "problem", [](const ImpactHandle& i) { return i.problem; },
      "Of an inelastic impact: 0 = M u - J' impulse - p with p = M u before; J u + b are the "
      "relative velocities after (m/s).");
  impact.def_property_readonly(
      "u", [](const ImpactHandle& i) { return copied(i.impact.before); },
      "Velocities before, of the problem's unknowns: m/s, rad/s.");
  impact.def_property_readonly(
      "rows",
      [](const ImpactHandle& i) {
        return column<int>(i, [](const ImpactContact& c) { return c.row; });
      },
      "Normal row of every contact in the problem.");
  impact.def_property_readonly(
      "sizes",
      [](const ImpactHandle& i) {
        return column<int>(i, [](const ImpactContact& c) { return c.size; });
      },
      "Number of rows of every contact: the normal one, then those of friction.");
  impact.def_property_readonly(
      "restitution",
      [](const ImpactHandle& i) {
        return column<double>(i, [](const ImpactContact& c) { return c.restitution; });
      },
      "Coefficient e of every contact.");
  impact.def_property_readonly(
      "friction",
      [](const ImpactHandle& i) {
        return column<double>(i, [](const ImpactContact& c) { return c.friction; });
      },
      "Coefficient of friction of every contact.");
  impact.def_property_readonly("velocity", &velocities_before,
                               "Relative velocities before, contacts x 3: normal (negative: "
                               "closing), tangent 1, tangent 2, m/s.");
  impact.def_property_readonly(
      "pyramid", [](const ImpactHandle& i) { return i.impact.pyramid; },
      "Whether the rows of friction are the directions of a pyramid, and its slack.");
  impact.def("solve", &solve_in_impact, "problem"_a, "guess"_a = py::none(),
             "Solves a problem with the solver of the run; gives an Answer. The step reports the "
             "worst of them.");
}

}  // namespace vinci::python
