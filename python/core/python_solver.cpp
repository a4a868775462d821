// SPDX-License-Identifier: Apache-2.0
// Solvers written in Python. The judge grades their answers: what they say of themselves is not
// asked.
#include <set>

#include <fmt/format.h>

#include "python/core/code.h"

namespace vinci::python {
namespace {

// Reports name solvers by pointers of static storage.
const char* lasting(const std::string& name) {
  static std::set<std::string> names;  // touched only while the GIL is held
  return names.insert(name).first->c_str();
}

class PythonSolver : public Solver {
 public:
  PythonSolver(Held object, const std::string& name) : object_(std::move(object)) {
    py::gil_scoped_acquire gil;
    name_ = lasting(name);
    if (!py::hasattr(*object_, "solve")) throw Error("has no method 'solve'", name);
  }

  std::string why_not(const ComplementarityProblem& problem) const override {
    py::gil_scoped_acquire gil;
    if (!py::hasattr(*object_, "why_not")) return {};
    const py::object reason = object_->attr("why_not")(handle(problem));
    return reason.is_none() ? "" : py::str(reason).cast<std::string>();
  }

  SolveReport solve(const ComplementarityProblem& problem, Solution& solution) override {
    py::gil_scoped_acquire gil;
    read_answer(object_->attr("solve")(handle(problem), copied(solution.lambda)), problem,
                solution);
    const double tolerance = attribute(*object_, "tolerance", 1e-8, name_);
    SolveReport report;
    report.solver = name_;
    report.residual = judge_(problem, solution);
    // The velocities follow from the impulses wherever M can be inverted.
    solution.u = judge_.u();
    report.status = SolveStatus::inaccurate;
    conclude(report, {tolerance});
    report.iterations = attribute(*object_, "iterations", 0, name_);
    return report;
  }

 private:
  static ProblemHandle handle(const ComplementarityProblem& problem) {
    return {std::make_shared<ComplementarityProblem>(problem)};
  }

  void read_answer(const py::object& answer, const ComplementarityProblem& problem,
                   Solution& solution) const {
    if (py::isinstance<Answer>(answer)) {
      solution = answer.cast<const Answer&>().solution;
    } else if (py::isinstance<py::tuple>(answer) && py::len(answer) == 2) {
      const auto pair = answer.cast<py::tuple>();
      solution.u = vector_of(pair[0], where("u"));
      solution.lambda = vector_of(pair[1], where("impulse"));
    } else {
      solution.lambda = vector_of(answer, where("the answer"));
    }
    check("impulse", solution.lambda.size(), problem.rows());
    if (solution.u.size() != problem.unknowns()) check("u", solution.u.size(), problem.unknowns());
  }

  std::string where(const char* what) const { return fmt::format("{}.solve: {}", name_, what); }

  void check(const char* what, Eigen::Index size, int wanted) const {
    if (size != wanted)
      throw Error(fmt::format("has {} numbers; accepted: {}", size, wanted), where(what));
  }

  Held object_;
  const char* name_ = "";
  Judge judge_;
};

}  // namespace

std::unique_ptr<Solver> python_solver(const Held& object, const std::string& name) {
  return std::make_unique<PythonSolver>(object, name);
}

}  // namespace vinci::python
