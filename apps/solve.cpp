// SPDX-License-Identifier: Apache-2.0
// `vinci solve`: stored problems, solved by one solver or by all of them side by side, each judged.
#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/text.h"
#include "vinci/complementarity/problem_file.h"

namespace vinci {
namespace {

struct SolveFlags {
  std::vector<std::string> files, libraries;
  std::string solver = "auto";
  double tolerance = 1e-8;
  int repeat = 1;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// One solver on one problem, from zero; the median time of the repetitions, each with a new solver.
Json solve_once(const std::string& file, const ComplementarityProblem& problem,
                const SolverRegistry::Entry& entry, const SolveFlags& flags) {
  Json answer{{"file", file},
              {"class", problem_class(problem)},
              {"size", problem.rows()},
              {"solver", entry.name}};
  OptionValues options(entry.options);
  if (entry.options.find("tolerance")) options.set("tolerance", flags.tolerance);
  if (const std::string why = entry.make(options)->why_not(problem); !why.empty()) {
    answer["status"] = to_string(SolveStatus::refused);
    answer["note"] = why;
    return answer;
  }
  std::vector<double> seconds;
  SolveReport report;
  for (int i = 0; i < flags.repeat; ++i) {
    const auto solver = entry.make(options);
    Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
    const double start = cpu_seconds();
    report = solver->solve(problem, solution);
    seconds.push_back(cpu_seconds() - start);
    report.residual = residual(problem, solution);
  }
  std::sort(seconds.begin(), seconds.end());
  answer["status"] = to_string(report.status);
  answer["residual"] = report.residual.relative;
  answer["iterations"] = report.iterations;
  answer["cpu_seconds"] = seconds[seconds.size() / 2];
  answer["by"] = report.solver;
  answer["note"] = report.note;
  return answer;
}

void print_header(std::size_t width) {
  fmt::print("{}  class   rows  {}  status        residual  iterations    cpu ms\n",
             padded("file", width), padded("solver", 20));
}

void print_row(const Json& answer, std::size_t width) {
  const bool refused = !answer.contains("residual");
  fmt::print("{}  {:5}  {:5}  {}  {}", padded(shortened(answer["file"], width), width),
             answer["class"].get<std::string>(), answer["size"].get<int>(),
             padded(answer["solver"], 20), padded(answer["status"], 11));
  if (refused)
    fmt::print("  {}\n", answer["note"].get<std::string>());
  else
    fmt::print("  {:>9}  {:10}  {:8.3f}\n", short_number(answer["residual"]),
               answer["iterations"].get<int>(), 1e3 * answer["cpu_seconds"].get<double>());
}

int run_solve(const SolveFlags& flags, const Command& command) {
  const auto plugins = plugins_of(flags.libraries);
  std::vector<const SolverRegistry::Entry*> solvers;
  if (flags.solver == "all")
    for (const auto& entry : plugins->solvers.entries()) solvers.push_back(&entry);
  else
    solvers.push_back(&plugins->solvers.at(flags.solver));
  std::size_t width = 4;
  for (const std::string& file : flags.files) width = std::max(width, columns(file));
  width = std::min<std::size_t>(width, 44);

  int code = exit_good;
  if (!command.json) print_header(width);
  for (const std::string& file : flags.files) {
    const ComplementarityProblem problem = load_problem(file);
    bool solved = false;
    for (const SolverRegistry::Entry* entry : solvers) {
      const Json answer = solve_once(file, problem, *entry, flags);
      solved = solved || answer["status"] == to_string(SolveStatus::solved);
      if (command.json)
        fmt::print("{}\n", answer.dump());
      else
        print_row(answer, width);
    }
    if (!solved) code = exit_failed;
  }
  return code;
}

}  // namespace

void add_solve(CLI::App& app, Command& command) {
  auto flags = std::make_shared<SolveFlags>();
  CLI::App* subcommand =
      add_subcommand(app, "solve", "Solve stored problems and judge the answers.");
  subcommand
      ->add_option("problem", flags->files,
                   "Problem files: FCLib, LCP, MLCP or our own layout (HDF5).")
      ->type_name("")
      ->required();
  subcommand->add_option("--solver", flags->solver, "A solver's name, or 'all'. [auto]")
      ->type_name("NAME");
  subcommand->add_option("--tol", flags->tolerance, "Relative residual asked for. [1e-8]")
      ->type_name("NUMBER")
      ->check(CLI::Range(0.0, 1.0));
  subcommand->add_option("--repeat", flags->repeat, "Repetitions; the median time counts. [1]")
      ->type_name("INTEGER")
      ->check(CLI::Range(1, 1000000));
  add_plugin_flag(*subcommand, flags->libraries);
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return run_solve(*flags, command); };
  });
}

}  // namespace vinci
