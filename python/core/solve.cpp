// SPDX-License-Identifier: Apache-2.0
// Solving problems outside of a simulation.
#include <fmt/format.h>

#include "python/core/code.h"
#include "vinci/complementarity/certificate.h"
#include "vinci/proofs/all_solutions.h"

namespace vinci::python {
namespace {

// An option as a command line would spell it.
std::string option_text(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  return py::str(value).cast<std::string>();
}

std::unique_ptr<Solver> chosen_solver(const py::object& solver, double tolerance,
                                      const py::kwargs& options) {
  if (!py::isinstance<py::str>(solver)) {
    if (!options.empty())
      throw Error("a solver written in Python has no options; set its attributes",
                  std::string(py::str(options.begin()->first)));
    const std::string name = code_name(solver);
    const bool is_class = PyType_Check(solver.ptr()) != 0;
    return python_solver(Held(is_class ? solver() : solver), name);
  }
  const std::shared_ptr<const Plugins> plugins = known_plugins();
  const SolverRegistry::Entry& entry = plugins->solvers.at(solver.cast<std::string>());
  OptionValues values(entry.options);
  if (entry.options.find("tolerance")) values.set("tolerance", tolerance);
  for (const auto& [key, value] : options) {
    auto name = key.cast<std::string>();
    std::replace(name.begin(), name.end(), '_', '-');
    values.set_text(name, option_text(value));
  }
  return entry.make(values);
}

Solution first_guess(const ComplementarityProblem& problem, const py::object& guess) {
  Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
  if (guess.is_none()) return solution;
  if (py::isinstance<Answer>(guess)) {
    solution = guess.cast<const Answer&>().solution;
  } else if (py::isinstance<py::tuple>(guess) && py::len(guess) == 2) {
    const auto pair = guess.cast<py::tuple>();
    solution = {vector_of(pair[0], "guess: u"), vector_of(pair[1], "guess: impulse")};
  } else {
    solution.lambda = vector_of(guess, "guess");
  }
  if (solution.lambda.size() != problem.rows() || solution.u.size() != problem.unknowns())
    throw Error(fmt::format("has {} impulses; the problem has {} rows", solution.lambda.size(),
                            problem.rows()),
                "guess");
  return solution;
}

// Verdicts are checked, not believed.
void check_verdict(const ComplementarityProblem& problem, const VectorX* certificate,
                   double tolerance, Answer& answer) {
  SolveReport& report = answer.report;
  if (report.status == SolveStatus::solved && !(report.residual.relative <= tolerance)) {
    report.status = SolveStatus::inaccurate;
  } else if (report.status == SolveStatus::no_solution) {
    const bool proved = certificate && infeasibility(problem, *certificate).proves_no_solution;
    if (proved) answer.certificate = *certificate;
    if (!proved) report.status = SolveStatus::inaccurate;
    answer.note = proved ? "certificate checked" : "no solution was claimed, but not proved";
  }
}

Answer solve_problem(const ProblemHandle& handle, const py::object& solver, double tolerance,
                     const std::optional<double>& time_limit, const py::object& guess,
                     const py::kwargs& options) {
  if (!(tolerance >= 0.0 && tolerance <= 1.0))
    throw Error(fmt::format("is {}; accepted: 0 to 1", tolerance), "tolerance");
  if (time_limit && !(*time_limit > 0.0))
    throw Error(fmt::format("is {}; accepted: a positive number of seconds", *time_limit),
                "time_limit");
  const std::shared_ptr<const ComplementarityProblem> problem = handle.problem;
  const std::unique_ptr<Solver> method = chosen_solver(solver, tolerance, options);
  Answer answer;
  answer.solution = first_guess(*problem, guess);
  py::gil_scoped_release release;
  const std::string reason = method->why_not(*problem);
  method->stop_when([] {
    check_signals();
    return false;
  });
  if (time_limit) method->limit_time(*time_limit);
  const Stopwatch watch;
  if (reason.empty()) answer.report = method->solve(*problem, answer.solution);
  answer.seconds = watch.seconds();
  Judge judge;
  answer.report.residual = judge(*problem, answer.solution);
  answer.w = judge.w();
  answer.solution.u = judge.u();
  answer.solver = answer.report.solver;
  answer.note = reason.empty() ? answer.report.note : reason;
  for (const Attempt& attempt : method->attempts()) answer.attempts.push_back(attempt);
  check_verdict(*problem, method->certificate(), tolerance, answer);
  return answer;
}

Residual measured(const ProblemHandle& handle, const py::object& impulse, const py::object& u) {
  const ComplementarityProblem& problem = *handle.problem;
  Solution solution{VectorX::Zero(problem.unknowns()), vector_of(impulse, "impulse")};
  if (!u.is_none()) solution.u = vector_of(u, "u");
  if (solution.lambda.size() != problem.rows() || solution.u.size() != problem.unknowns())
    throw Error(
        fmt::format("there are {} impulses and {} unknowns; the problem has {} and {}",
                    solution.lambda.size(), solution.u.size(), problem.rows(), problem.unknowns()),
        "residual");
  return residual(problem, solution);
}

AllSolutions every_solution(const ProblemHandle& handle, double tolerance, double time_limit) {
  Interruption interruption([] {
    check_signals();
    return false;
  });
  AllSolutionsLimits limits;
  limits.tolerance = tolerance;
  limits.seconds = time_limit;
  limits.interruption = &interruption;
  py::gil_scoped_release release;
  return all_solutions(*handle.problem, limits);
}

py::list attempts_of(const Answer& answer) {
  py::list list;
  for (const Attempt& attempt : answer.attempts)
    list.append(py::dict("solver"_a = attempt.solver, "status"_a = to_string(attempt.status),
                         "residual"_a = attempt.residual, "iterations"_a = attempt.iterations,
                         "seconds"_a = attempt.seconds));
  return list;
}

void add_answer(py::module_& module) {
  py::class_<Answer> answer(module, "Answer", R"(What a solve gave.

>>> answer = vinci.solve(vinci.Problem.lcp([[1]], [-1]))
>>> answer.solved, answer.impulse.tolist()
(True, [1.0]))");
  answer.def_property_readonly(
      "status", [](const Answer& a) { return to_string(a.report.status); },
      "'solved', 'inaccurate', 'no solution', 'limit' or 'refused'.");
  answer.def_property_readonly(
      "solved", [](const Answer& a) { return a.report.status == SolveStatus::solved; },
      "The judge measured at most the tolerance.");
  answer.def_property_readonly(
      "u", [](const py::object& s) { return view(s.cast<const Answer&>().solution.u, s, false); },
      "Unknowns: velocities in a step (m/s, rad/s).");
  answer.def_property_readonly(
      "impulse",
      [](const py::object& s) { return view(s.cast<const Answer&>().solution.lambda, s, false); },
      "One number per row: N s in a step.");
  answer.def_property_readonly(
      "w", [](const py::object& s) { return view(s.cast<const Answer&>().w, s, false); },
      "J u + C impulse + b: m/s in a step.");
  answer.def_property_readonly(
      "residual", [](const Answer& a) { return a.report.residual.relative; },
      "Relative residual that the judge measured.");
  answer.def_property_readonly("iterations", [](const Answer& a) { return a.report.iterations; });
  answer.def_readonly("solver", &Answer::solver, "Who gave the answer.");
  answer.def_readonly("note", &Answer::note, "The reason, where there is something to say.");
  answer.def_property_readonly("attempts", &attempts_of, "What was tried, in order.");
  answer.def_property_readonly(
      "certificate",
      [](const Answer& a) -> py::object {
        if (a.certificate.size() == 0) return py::none();
        return copied(a.certificate);
      },
      "A checked proof that there is no solution, one number per row, or None.");
  answer.def_readonly("seconds", &Answer::seconds, "Wall time of the solve, s.");
  answer.def("__repr__", [](const Answer& a) {
    return fmt::format("<vinci.Answer {}{}{}, residual {:.2g}, {} iterations{}{}>",
                       to_string(a.report.status), a.solver.empty() ? "" : " by ", a.solver,
                       a.report.residual.relative, a.report.iterations, a.note.empty() ? "" : ": ",
                       a.note);
  });
}

void add_measures(py::module_& module) {
  py::class_<Residual> measure(module, "Residual", "How far an answer is from a solution.");
  measure.def_readonly("relative", &Residual::relative, "Decides; inf if a number is not finite.");
  measure.def_readonly("velocity", &Residual::velocity, "In the unit of w: m/s in a step.");
  measure.def_readonly("impulse", &Residual::impulse,
                       "In the unit of the impulses: N s in a step.");
  measure.def_readonly("rounding", &Residual::rounding,
                       "The part of `relative` that rounding can make by itself.");
  measure.def("__float__", [](const Residual& r) { return r.relative; });
  measure.def("__repr__", [](const Residual& r) {
    return fmt::format("<vinci.Residual {:.3g}: {:.3g} in w, {:.3g} in impulse>", r.relative,
                       r.velocity, r.impulse);
  });
  module.def("residual", &measured, "problem"_a, "impulse"_a, "u"_a = py::none(),
             R"(Measures an answer; u follows from the impulses unless M is singular.

>>> float(vinci.residual(vinci.Problem.lcp([[1]], [-1]), [1.0]))
0.0)");
}

void add_all(py::module_& module) {
  py::class_<FoundSolution> found(module, "FoundSolution", "One solution, or a set of them.");
  found.def_property_readonly("u", [](const FoundSolution& f) { return copied(f.solution.u); });
  found.def_property_readonly("impulse",
                              [](const FoundSolution& f) { return copied(f.solution.lambda); });
  found.def_property_readonly("residual",
                              [](const FoundSolution& f) { return f.residual.relative; });
  found.def_property_readonly(
      "modes", [](const FoundSolution& f) { return to_string(f.modes); },
      "Of the blocks: 'open', 'stick', 'slide', ...");
  found.def_readonly("dimension", &FoundSolution::dimension,
                     "0 for an isolated one, otherwise of the set that it stands for.");
  found.def("__repr__", [](const FoundSolution& f) {
    return fmt::format("<vinci.FoundSolution {}, dimension {}>", to_string(f.modes), f.dimension);
  });
  py::class_<AllSolutions> all(module, "AllSolutions", "The solutions of a small problem.");
  all.def_readonly("solutions", &AllSolutions::solutions);
  all.def_readonly("complete", &AllSolutions::complete, "There are no others.");
  all.def_readonly("note", &AllSolutions::note, "Why it is not complete.");
  all.def_readonly("seconds", &AllSolutions::seconds, "Wall time, s.");
  all.def("__len__", [](const AllSolutions& a) { return a.solutions.size(); });
  all.def("__iter__",
          [](const AllSolutions& a) { return py::cast(a.solutions).attr("__iter__")(); });
  all.def("__repr__", [](const AllSolutions& a) {
    return fmt::format("<vinci.AllSolutions: {}{}>", a.solutions.size(),
                       a.complete ? "" : ", not complete: " + a.note);
  });
  module.def("all_solutions", &every_solution, "problem"_a, "tolerance"_a = 1e-8,
             "time_limit"_a = 60.0,
             R"(Every solution of a problem of at most 24 rows; `time_limit` in s.

>>> both = vinci.all_solutions(vinci.Problem.lcp([[-1]], [1]))
>>> sorted(one.impulse[0] for one in both)
[0.0, 1.0])");
}

}  // namespace

Answer solved_by(Solver& solver, const ComplementarityProblem& problem, const py::object& guess) {
  Answer answer;
  const int rows = problem.rows();
  answer.solution = {VectorX::Zero(problem.unknowns()),
                     guess.is_none() ? VectorX(VectorX::Zero(rows)) : vector_of(guess, "guess")};
  if (answer.solution.lambda.size() != rows)
    throw Error(fmt::format("has {} numbers; accepted: {}", answer.solution.lambda.size(), rows),
                "guess");
  {
    py::gil_scoped_release release;
    const Stopwatch watch;
    answer.report = solver.solve(problem, answer.solution);
    answer.seconds = watch.seconds();
  }
  answer.solver = answer.report.solver;
  answer.note = answer.report.note;
  for (const Attempt& attempt : solver.attempts()) answer.attempts.push_back(attempt);
  Judge judge;
  judge(problem, answer.solution);
  answer.w = judge.w();
  return answer;
}

void add_solve(py::module_& module) {
  add_answer(module);
  add_measures(module);
  add_all(module);
  module.def("solve", &solve_problem, "problem"_a, "solver"_a = py::str("auto"),
             "tolerance"_a = 1e-8, "time_limit"_a = py::none(), "guess"_a = py::none(),
             R"(Solves a problem by a solver's name, or by an object with a method `solve`.

`tolerance` is the relative residual asked for, `time_limit` the wall time in s, `guess` impulses,
(u, impulses) or an Answer to start from. Further keywords are options of the solver, with _ for -.
The answer says whether it is a solution: whatever the solver claims, the judge measured it.

>>> vinci.solve(vinci.Problem.lcp([[1]], [-1]), solver="lemke", max_iterations=10).status
'solved')");
}

}  // namespace vinci::python
