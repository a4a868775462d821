// SPDX-License-Identifier: Apache-2.0
// benchmark-plate: what a friction cone costs and what it is worth, in one run. The Circle field of
// experiments/plate with the exact cone (NCP) and with pyramids (LCP): time of a step beside the
// error of the orbit; time of a solve in the run and from zero, and from how many directions on the
// pyramid is dearer; problems of the run beside the solvers of Siconos.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "plate/runs.h"
#include "plate/siconos_race.h"
#include "solvers/cpu_clock.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

constexpr int pyramids[] = {4, 8, 16, 32, 64};
constexpr double step = 1e-4;        // s
constexpr double most_step = 10e-6;  // s of CPU time that a step of the exact cone may take
constexpr double least_gain = 5.0;   // over the best of Siconos
constexpr double dearer = 1.1;       // what counts as more

struct Settings {
  double duration = 5.0;  // s, of each run
  int problems = 12;      // for Siconos
  bool json = false;
};

Json reference(const std::string& name) {
  std::ifstream file(VINCI_SOURCE_DIR "/tests/data/reference/" + name + ".json");
  if (!file) throw Error("no reference " + name);
  return Json::parse(file).at("expected");
}

// The largest distance from listed places at their times.
double distance(const PlateRun& run, const Json& times, const Json& places) {
  double largest = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto frame = static_cast<std::size_t>(std::lround(times[i].get<double>() / frame_time));
    if (frame >= run.places().size()) break;
    const Vector2 want(places[i][0], places[i][1]);
    largest = std::max(largest, (run.places()[frame] - want).norm());
  }
  return largest;
}

std::string name_of(int directions) {
  return directions == 0 ? "exact cone" : fmt::format("{} directions", directions);
}

// The first number of directions that costs more than the exact cone in a column.
std::string crossover(const Json& rows, const char* scene, const char* column) {
  double exact = 0.0;
  for (const Json& row : rows) {
    if (row["scene"] != scene) continue;
    const double cost = row[column];
    if (row["directions"] == 0)
      exact = cost;
    else if (cost > dearer * exact)
      return fmt::format("{} directions", row["directions"].get<int>());
  }
  return "none of these";
}

Json run_all(const Settings& settings, std::vector<ComplementarityProblem>& samples) {
  const Json exact = reference("case06_circle_quadratic"),
             polygons = reference("case06b_circle_pyramid");
  Json rows = Json::array();
  for (const char* scene : {"circle", "tripod"}) {
    std::vector<std::unique_ptr<PlateRun>> runs;
    runs.push_back(std::make_unique<PlateRun>(scene, 0, step, settings.duration));
    for (const int directions : pyramids)
      runs.push_back(std::make_unique<PlateRun>(scene, directions, step, settings.duration));
    take_turns(runs);
    if (!settings.json)
      fmt::print("{:<8} {:<14} {:>5} {:>9} {:>8} {:>11} {:>10} {:>9} {:>7} {:>11} {:>11} {:>9}\n",
                 "scene", "friction", "rows", "us/step", "median", "solve warm", "solve cold",
                 "cold its", "allocs", "error", "at this h", "residual");
    for (const auto& run : runs) {
      const int n = run->directions();
      const Json& own = n == 0 ? exact["xy"] : polygons["n"][std::to_string(n)]["xy"];
      const ColdSolves cold = solve_cold(run->samples());
      const Json row{{"scene", scene},
                     {"directions", n},
                     {"rows", run->rows()},
                     {"step", run->mean_step()},
                     {"step_median", run->median_step()},
                     {"warm", run->median_solve()},
                     {"cold", cold.median},
                     {"cold_iterations", cold.iterations},
                     {"allocations", run->allocations()},
                     {"error", distance(*run, exact["times"], exact["xy"])},
                     {"step_error", distance(*run, exact["times"], own)},
                     {"residual", std::max(run->residual(), cold.residual)}};
      if (!settings.json)
        fmt::print(
            "{:<8} {:<14} {:>5} {:>9.2f} {:>8.2f} {:>11.2f} {:>10.2f} {:>9.1f} {:>7.2f} {:>8.3f} "
            "mm "
            "{:>8.3f} mm {:>9.1e}\n",
            scene, name_of(n), run->rows(), 1e6 * run->mean_step(), 1e6 * run->median_step(),
            1e6 * run->median_solve(), 1e6 * cold.median, cold.iterations, run->allocations(),
            1e3 * row["error"].get<double>(), 1e3 * row["step_error"].get<double>(),
            row["residual"].get<double>());
      rows.push_back(row);
    }
    if (!settings.json)
      fmt::print(
          "dearer than the exact cone by a tenth: a step from {}, a solve in the run from "
          "{}, from zero from {}\n\n",
          crossover(rows, scene, "step"), crossover(rows, scene, "warm"),
          crossover(rows, scene, "cold"));
    std::fflush(stdout);
    samples = runs.front()->samples();  // in the end those of the tripod
  }
  return rows;
}

void print_race(const Json& race) {
  const double ours = race["ours"], single = race["single_seconds"];
  fmt::print(
      "{}, {} problems of the tripod from zero at {:.0e}, {} ways of Siconos\n  auto {:.2f} us; "
      "its "
      "best on each {:.2f} us (mostly {}): {:.2f} times ours, at least {:.2f}\n  its best single "
      "one that solves all {:.2f} us ({}): {:.2f} times ours\n",
      race["form"].get<std::string>(), race["problems"].get<int>(), race["tolerance"].get<double>(),
      race["peers"].get<int>(), 1e6 * ours, 1e6 * race["theirs"].get<double>(),
      race["most_used"].get<std::string>(), race["ratio"].get<double>(),
      race["least_ratio"].get<double>(), 1e6 * single, race["single"].get<std::string>(),
      single / ours);
  std::fflush(stdout);
}

Json race_all(const Settings& settings, const std::vector<ComplementarityProblem>& samples) {
  const std::size_t every = std::max<std::size_t>(1, samples.size() / settings.problems);
  std::vector<const ComplementarityProblem*> chosen;
  for (std::size_t i = every / 2; i < samples.size(); i += every) chosen.push_back(&samples[i]);
  Json result = Json::array();
  for (const RaceForm form : {RaceForm::velocities, RaceForm::condensed})
    for (const double tolerance : {1e-8, 1e-10}) {
      const SiconosRace found = race_siconos(chosen, form, tolerance);
      const bool whole = form == RaceForm::velocities;
      if (found.peers == 0) {
        if (!settings.json) fmt::print("Siconos was not found when this was built\n");
        return result;
      }
      result.push_back({{"form", whole ? "as posed, with velocities" : "W and q given to both"},
                        {"tolerance", tolerance},
                        {"problems", chosen.size()},
                        {"peers", found.peers},
                        {"ours", found.ours},
                        {"theirs", found.theirs},
                        {"ratio", found.ratio},
                        {"least_ratio", found.least},
                        {"most_used", found.most_used},
                        {"single", found.single_name},
                        {"single_seconds", found.single}});
      if (!settings.json) print_race(result.back());
    }
  return result;
}

void print_goals(const Json& rows, const Json& races) {
  std::map<int, double> steps;
  for (const Json& row : rows)
    if (row["scene"] == "tripod") steps[row["directions"]] = row["step"];
  const auto line = [](const std::string& goal, bool met, const std::string& found) {
    fmt::print("{:<76} {:<4} {}\n", goal, met ? "yes" : "no", found);
  };
  fmt::print("\n");
  line("a step of the exact cone on three feet takes at most 10 us", steps[0] <= most_step,
       fmt::format("{:.2f} us", 1e6 * steps[0]));
  line("and no more than one of 8 directions", steps[0] <= steps[8],
       fmt::format("{:.2f} of it", steps[0] / steps[8]));
  const double slope = (steps[64] - steps[32]) / (steps[32] - steps[16]);
  line("from 32 to 64 directions as much is added per direction as from 16 to 32", slope < 2.5,
       fmt::format("{:.2f} times", 0.5 * slope));
  for (const Json& race : races)
    line(fmt::format("Siconos takes at least 5 times as long, {}, at {:.0e}",
                     race["form"].get<std::string>(), race["tolerance"].get<double>()),
         race["ratio"] >= least_gain, fmt::format("{:.2f} times", race["ratio"].get<double>()));
}

}  // namespace
}  // namespace vinci

int main(int argc, char** argv) {
  CLI::App app("The Circle field of a vibrating plate: exact cone, pyramids, Siconos");
  vinci::Settings settings;
  bool quick = false;
  app.add_flag("--quick", quick, "A tenth of the time, three problems for Siconos");
  app.add_flag("--json", settings.json, "Print one document for programs");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    settings.duration = 0.5;
    settings.problems = 3;
  }
  std::vector<vinci::ComplementarityProblem> samples;
  const vinci::Json rows = vinci::run_all(settings, samples);
  const vinci::Json races = vinci::race_all(settings, samples);
  if (settings.json)
    fmt::print("{}\n", vinci::Json{{"runs", rows}, {"siconos", races}}.dump(1));
  else
    vinci::print_goals(rows, races);
  return 0;
}
