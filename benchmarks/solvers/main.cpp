// SPDX-License-Identifier: Apache-2.0
// benchmark-solvers: each of our solvers and each of Siconos's on the same stored problems, from
// zero, one thread, CPU time, judged by our judge. report.py makes tables and a picture of the
// JSON that this writes. See benchmarks/README.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include "solvers/cpu_clock.h"
#include "solvers/race.h"
#include "vinci/base/error.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/solvers/condense.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Settings {
  std::vector<std::string> paths;
  std::string filter, json;
  RaceLimits limits;
  double patience = 10.0;  // times the peer's best so far that another of its solvers is given
  bool ours_only = false, auto_only = false;
};

std::vector<std::string> problem_files(const Settings& settings) {
  std::vector<std::string> files;
  for (const std::string& path : settings.paths) {
    if (fs::is_directory(path)) {
      for (const auto& entry : fs::recursive_directory_iterator(path))
        if (entry.path().extension() == ".h5") files.push_back(entry.path());
    } else {
      files.push_back(path);
    }
  }
  std::erase_if(files, [&](const std::string& file) {
    return file.find(settings.filter) == std::string::npos;
  });
  // The small ones first: most of the picture is there after a minute.
  std::sort(files.begin(), files.end(), [](const std::string& a, const std::string& b) {
    return std::pair(fs::file_size(a), a) < std::pair(fs::file_size(b), b);
  });
  return files;
}

Json to_json(const std::string& side, const std::string& solver, const RaceResult& result) {
  return {{"side", side},
          {"solver", solver},
          {"finish", to_string(result.finish)},
          {"status", result.status},
          {"residual", result.residual},
          {"rounding", result.rounding},
          {"cpu_seconds", result.seconds},
          {"repetitions", result.repetitions},
          {"asked", result.tolerance}};
}

struct Best {
  std::string solver;
  double seconds = std::numeric_limits<double>::infinity();

  void meet(const std::string& name, const RaceResult& result) {
    if (result.finish != Finish::accepted || result.seconds >= seconds) return;
    solver = name;
    seconds = result.seconds;
  }
};

// Solvers that are slower than `patience` times the best are of no interest to the best; 20 ms are
// always given, so that small problems see all of them.
RaceLimits with_patience(const Settings& settings, double best) {
  RaceLimits limits = settings.limits;
  limits.seconds = std::min(limits.seconds, std::max(0.02, settings.patience * best));
  return limits;
}

void print_row(const std::string& name, const std::string& kind, int rows, const RaceResult& ours,
               const Best& ours_best, const Best& peer) {
  const double ratio = ours.finish == Finish::accepted ? ours.seconds / peer.seconds
                                                       : std::numeric_limits<double>::infinity();
  fmt::print("{:5} {:44} {:5}  {:11} {:8.1e} {:11.3e}  {:11.3e} {:22}  {:11.3e} {:28} {:8.3f}\n",
             kind, name.substr(0, 44), rows, to_string(ours.finish), ours.residual, ours.seconds,
             ours_best.seconds, ours_best.solver, peer.seconds, peer.solver, ratio);
  std::fflush(stdout);
}

// CPU time of eliminating u: what a contender that was given W would have had to spend first.
double condense_seconds(const ComplementarityProblem& problem) {
  if (problem.unknowns() == 0) return 0.0;
  std::vector<double> seconds;
  for (int i = 0; i < 5; ++i) {
    Condensation condensation;
    const double start = cpu_seconds();
    condensation.condense(problem);
    seconds.push_back(cpu_seconds() - start);
  }
  return median(seconds);
}

Json measure(const std::string& file, const Settings& settings) {
  const ComplementarityProblem problem = load_problem(file);
  Json runs = Json::array();
  RaceResult ours;
  Best ours_best, peer;
  for (const auto& contender : vinci_contenders(problem)) {
    const std::string name = contender->name();
    if (settings.auto_only && name != "auto") continue;
    const RaceResult result = race(problem, *contender, settings.limits);
    if (name == "auto") ours = result;
    ours_best.meet(name, result);
    runs.push_back(to_json("Vinci", name, result));
  }
  if (!settings.ours_only)
    for (const auto& contender : siconos_contenders(problem)) {
      const RaceResult result = race(problem, *contender, with_patience(settings, peer.seconds));
      peer.meet(contender->name(), result);
      runs.push_back(to_json("Siconos", contender->name(), result));
    }
  const std::string name = fs::path(file).stem();
  print_row(name, problem_class(problem), problem.rows(), ours, ours_best, peer);
  return {{"name", name},
          {"class", problem_class(problem)},
          {"rows", problem.rows()},
          {"unknowns", problem.unknowns()},
          {"tolerance", settings.limits.tolerance},
          {"condense_seconds", condense_seconds(problem)},
          {"runs", runs}};
}

void run(const Settings& settings) {
  Json problems = Json::array();
  for (const std::string& file : problem_files(settings)) {
    problems.push_back(measure(file, settings));
    if (settings.json.empty()) continue;
    std::ofstream out(settings.json);  // after every problem: a run of an hour may be interrupted
    out << Json{{"problems", problems}}.dump(1) << '\n';
    if (!out) throw Error("cannot write " + settings.json);
  }
}

// OpenBLAS, which Siconos calls, reads this when it is loaded: before main.
void one_thread(char** argv) {
  if (std::getenv("OPENBLAS_NUM_THREADS")) return;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace
}  // namespace vinci

int main(int argc, char** argv) {
  vinci::one_thread(argv);
  CLI::App app("Every solver on every problem: CPU time of a solve from zero, answers judged");
  vinci::Settings settings;
  app.add_option("problem", settings.paths, "Problem files, or folders of them")->required();
  app.add_option("--tol", settings.limits.tolerance, "Relative residual asked for")
      ->capture_default_str();
  app.add_option("--time-limit", settings.limits.seconds, "CPU time of a solve in s")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--patience", settings.patience,
                 "End a solver of the peer at this multiple of the peer's best time so far")
      ->check(CLI::Range(1.0, 1e9))
      ->capture_default_str();
  app.add_option("--filter", settings.filter, "Only files whose path contains this text");
  app.add_option("--json", settings.json, "Write every run into this file");
  app.add_flag("--ours", settings.ours_only, "Only our solvers");
  app.add_flag("--auto", settings.auto_only, "Of ours only `auto`");
  CLI11_PARSE(app, argc, argv);
  try {
    vinci::run(settings);
  } catch (const vinci::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
