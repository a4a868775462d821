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
#include <set>

#include <Eigen/SVD>
#include <fmt/format.h>
#include <unistd.h>

#include "solvers/cpu_clock.h"
#include "solvers/local_form.h"
#include "solvers/race.h"
#include "vinci/base/error.h"
#include "vinci/complementarity/condense.h"
#include "vinci/complementarity/problem_file.h"

namespace vinci {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Settings {
  std::vector<std::string> paths;
  std::string filter, json;
  RaceLimits limits;
  double patience = 10.0;  // times the peer's best so far that another of its solvers is given
  std::vector<std::string> looser;  // TEXT=TOL: another tolerance where the name contains TEXT
  bool ours_only = false, auto_only = false;

  double tolerance_for(const std::string& name) const {
    for (const std::string& rule : looser) {
      const auto split = rule.find('=');
      if (name.find(rule.substr(0, split)) != std::string::npos)
        return std::max(limits.tolerance, std::stod(rule.substr(split + 1)));
    }
    return limits.tolerance;
  }
};

// Our own corpus, and the third-party problems where they are found.
std::vector<std::string> default_paths() {
  std::vector<std::string> paths{VINCI_SOURCE_DIR "/problems"};
  const char* const given = std::getenv("VINCI_PROBLEMS");
  const std::string others = given ? given : VINCI_SOURCE_DIR "/../shared/problems";
  if (fs::is_directory(others))
    paths.push_back(others);
  else
    fmt::print(stderr, "no third-party problems found; set VINCI_PROBLEMS to their folder\n");
  return paths;
}

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

  void meet(const std::string& name, const RaceResult& result, double charged = 0.0) {
    if (result.finish != Finish::accepted || result.seconds + charged >= seconds) return;
    solver = name;
    seconds = result.seconds + charged;
  }
};

// Solvers that are slower than `patience` times the best are of no interest to the best; 20 ms are
// always given, so that small problems see all of them.
RaceLimits with_patience(RaceLimits limits, const Settings& settings, double best) {
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

// Singular values of W: how many are above rounding, and the span of those. Null where W cannot be
// had or is too large for it.
Json conditioning(const ComplementarityProblem& problem) {
  const std::optional<LocalForm> form = local_form(problem);
  if (!form || problem.rows() > 2000) return nullptr;
  const VectorX values = Eigen::BDCSVD<MatrixX>(MatrixX(form->W)).singularValues();
  const double rounding = values[0] * 2.2e-16 * static_cast<double>(values.size());
  const long rank = (values.array() > rounding).count();
  return {{"rank", rank}, {"condition", rank > 0 ? values[0] / values[rank - 1] : 0.0}};
}

Best meet_siconos(const ComplementarityProblem& problem, const RaceLimits& limits,
                  const Settings& settings, double condensing, Json& runs) {
  constexpr double storage_gain = 3.0;  // another storage of the matrix is not worth more
  Best best;
  std::set<std::string> hopeless;  // families
  for (const auto& contender : siconos_contenders(problem)) {
    if (hopeless.contains(contender->family())) continue;
    const RaceResult result =
        race(problem, *contender, with_patience(limits, settings, best.seconds));
    best.meet(contender->name(), result, contender->condensed() ? condensing : 0.0);
    runs.push_back(to_json("Siconos", contender->name(), result));
    runs.back()["condensed"] = contender->condensed();
    const bool close =
        result.finish == Finish::accepted && result.seconds < storage_gain * best.seconds;
    if (!close && result.finish != Finish::crashed) hopeless.insert(contender->family());
  }
  return best;
}

Json measure(const std::string& file, const Settings& settings) {
  const ComplementarityProblem problem = load_problem(file);
  const std::string name = fs::path(file).stem();
  RaceLimits limits = settings.limits;
  limits.tolerance = settings.tolerance_for(name);
  const double condensing = condense_seconds(problem);
  Json runs = Json::array();
  RaceResult ours;
  Best ours_best, peer;
  for (const auto& contender : vinci_contenders(problem)) {
    const std::string solver = contender->name();
    if (settings.auto_only && solver != "auto") continue;
    const RaceResult result = race(problem, *contender, limits);
    if (solver == "auto") ours = result;
    ours_best.meet(solver, result);
    runs.push_back(to_json("Vinci", solver, result));
  }
  if (!settings.ours_only) peer = meet_siconos(problem, limits, settings, condensing, runs);
  print_row(name, problem_class(problem), problem.rows(), ours, ours_best, peer);
  Json answer{{"name", name},
              {"class", problem_class(problem)},
              {"rows", problem.rows()},
              {"unknowns", problem.unknowns()},
              {"tolerance", limits.tolerance},
              {"condense_seconds", condensing},
              {"runs", runs}};
  if (ours.finish != Finish::accepted) answer["conditioning"] = conditioning(problem);
  return answer;
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
  app.add_option(
      "problem", settings.paths,
      "Problem files, or folders of them [our corpus, and the third-party problems if found]");
  app.add_option("--tol", settings.limits.tolerance, "Relative residual asked for")
      ->capture_default_str();
  app.add_option("--tol-for", settings.looser,
                 "TEXT=TOL: ask for no more than TOL where the name contains TEXT")
      ->check([](const std::string& rule) {
        const auto split = rule.find('=');
        char* end = nullptr;
        if (split == std::string::npos || split + 1 == rule.size() ||
            (std::strtod(rule.c_str() + split + 1, &end), *end != '\0'))
          return std::string("expected TEXT=TOL, for example granular=1e-6");
        return std::string();
      });
  app.add_option("--time-limit", settings.limits.seconds, "CPU time of a solve in s")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--patience", settings.patience,
                 "End a solver of the peer at this multiple of the peer's best time so far")
      ->check(CLI::Range(1.0, 1e9))
      ->capture_default_str();
  app.add_option("--filter", settings.filter, "Only files whose path contains this text");
  app.add_option("--json", settings.json, "Write every run into this file");
  bool only_auto = false, quick = false;
  app.add_flag("--ours", settings.ours_only, "Only our solvers");
  app.add_flag("--auto", only_auto, "Only `auto`");
  app.add_flag("--quick", quick, "Time limit 2 s, patience 2");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    settings.limits.seconds = 2.0;
    settings.patience = 2.0;
  }
  settings.auto_only = only_auto;
  settings.ours_only = settings.ours_only || only_auto;
  try {
    if (settings.paths.empty()) settings.paths = vinci::default_paths();
    vinci::run(settings);
  } catch (const vinci::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
