// SPDX-License-Identifier: Apache-2.0
// Solving, timing and judging one problem.
#include "apps/solve_answer.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "vinci/complementarity/certificate.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/proofs/all_solutions.h"

namespace vinci {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Json attempt_json(const Attempt& attempt) {
  return {{"solver", attempt.solver},
          {"status", to_string(attempt.status)},
          {"residual", attempt.residual},
          {"iterations", attempt.iterations},
          {"seconds", attempt.seconds}};
}

// The verdict that can be stood for: solved and no_solution are checked, not believed.
void check_verdict(const ComplementarityProblem& problem, const VectorX* certificate,
                   double tolerance, SolveReport& report) {
  if (report.status == SolveStatus::solved && !(report.residual.relative <= tolerance)) {
    report.status = SolveStatus::inaccurate;
  } else if (report.status == SolveStatus::no_solution) {
    const bool proved = certificate && infeasibility(problem, *certificate).proves_no_solution;
    if (!proved) report.status = SolveStatus::inaccurate;
    report.note = proved ? "certificate checked" : "no solution was claimed, but not proved";
  }
}

// The keys that say what the problem is.
Json begun(const std::string& file, const ComplementarityProblem& problem,
           const std::string& solver) {
  Json json = empty_answer(file);
  json["class"] = problem_class(problem);
  json["size"] = problem.rows();
  json["solver"] = solver;
  json["status"] = to_string(SolveStatus::refused);
  return json;
}

// u and w follow from λ, whatever the solver left in u.
AnswerFile answer_file(const Json& json, const ComplementarityProblem& problem,
                       const Solution& solution, double tolerance) {
  Judge judge;
  AnswerFile file;
  file.source = json["file"];
  file.solver = json["solver"];
  file.status = json["status"];
  file.residual = judge(problem, solution).relative;
  file.tolerance = tolerance;
  file.solution = {judge.u(), solution.lambda};
  file.w = judge.w();
  return file;
}

}  // namespace

Json empty_answer(const std::string& file) {
  return {{"file", file},
          {"class", nullptr},
          {"size", nullptr},
          {"solver", nullptr},
          {"status", "unreadable"},
          {"residual", nullptr},
          {"iterations", 0},
          {"cpu_seconds", nullptr},
          {"tried", Json::array()},
          {"by", ""},
          {"note", ""}};
}

// One solver on one problem, from zero; the median time of the repetitions, each with a new solver.
Answer solve_by(const SolverRegistry::Entry& entry, const std::string& file,
                const ComplementarityProblem& problem, const SolveWishes& wishes) {
  Answer answer{.json = begun(file, problem, entry.name)};
  Json& json = answer.json;
  OptionValues options(entry.options);
  if (entry.options.find("tolerance")) options.set("tolerance", wishes.tolerance);
  if (const std::string why = entry.make(options)->why_not(problem); !why.empty()) {
    json["note"] = why;
    return answer;
  }
  std::unique_ptr<Solver> solver;
  std::vector<double> seconds;
  SolveReport report;
  Solution solution;
  for (int i = 0; i < wishes.repeat; ++i) {
    solver = entry.make(options);
    solver->limit_time(wishes.time_limit);
    solution = {VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
    const double start = cpu_seconds();
    report = solver->solve(problem, solution);
    seconds.push_back(cpu_seconds() - start);
  }
  report.residual = residual(problem, solution);
  check_verdict(problem, solver->certificate(), wishes.tolerance, report);
  answer.status = report.status;
  json["status"] = to_string(report.status);
  json["residual"] = report.residual.relative;
  json["iterations"] = report.iterations;
  json["cpu_seconds"] = median(seconds);
  for (const Attempt& attempt : solver->attempts()) json["tried"].push_back(attempt_json(attempt));
  if (json["tried"].empty())
    json["tried"].push_back(attempt_json({report.solver, report.status, report.residual.relative,
                                          report.iterations, median(seconds)}));
  json["by"] = report.solver;
  json["note"] = report.note;

  answer.files.push_back(answer_file(json, problem, solution, wishes.tolerance));
  if (report.status == SolveStatus::no_solution)
    answer.files.back().certificate = *solver->certificate();
  return answer;
}

Answer enumerate(const std::string& file, const ComplementarityProblem& problem,
                 const SolveWishes& wishes) {
  Answer answer{.json = begun(file, problem, "all-solutions")};
  Json& json = answer.json;
  json["solutions"] = Json::array();
  json["complete"] = false;
  AllSolutionsLimits limits;
  limits.tolerance = wishes.tolerance;
  limits.seconds = std::min(limits.seconds, wishes.time_limit);
  AllSolutions found;
  const double start = cpu_seconds();
  try {
    found = all_solutions(problem, limits);
  } catch (const Error& error) {
    json["note"] = error.message();
    return answer;
  }
  json["cpu_seconds"] = cpu_seconds() - start;
  json["iterations"] = found.pieces;
  json["by"] = "all-solutions";
  json["complete"] = found.complete;
  json["note"] = found.note;
  // Without a solution: a complete search is a proof, another one says nothing.
  answer.status = !found.solutions.empty() ? SolveStatus::solved
                  : found.complete         ? SolveStatus::no_solution
                                           : SolveStatus::limit;
  json["status"] = to_string(answer.status);
  double worst = 0.0;
  for (const FoundSolution& one : found.solutions) {
    answer.files.push_back(answer_file(json, problem, one.solution, wishes.tolerance));
    const double measured = answer.files.back().residual;
    worst = std::max(worst, measured);
    const VectorX& lambda = one.solution.lambda;
    json["solutions"].push_back({{"modes", to_string(one.modes)},
                                 {"dimension", one.dimension},
                                 {"residual", measured},
                                 {"lambda", std::vector<double>(lambda.begin(), lambda.end())}});
  }
  if (!found.solutions.empty()) json["residual"] = worst;
  return answer;
}

}  // namespace vinci
