// SPDX-License-Identifier: Apache-2.0
// benchmark-events: a ball that bounces, CPU time beside the error of its height after 3 s: motion
// through events, our time-stepping, and Siconos's event-driven and time-stepping integrators, in
// one run and in turns.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include <fmt/format.h>

#include "events/ball.h"
#include "solvers/cpu_clock.h"
#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

using Json = nlohmann::json;

struct Entry {
  std::string method, setting;
  std::function<BallRun()> run;
  double exact = 0.0;  // the height that its own law leads to
  std::vector<double> seconds = {};
  BallRun last = {};

  double error() const { return std::abs(last.height - exact); }
};

BallRun vinci_run(double step, const std::map<std::string, std::string>& options,
                  const std::map<std::string, std::string>& of_stepper) {
  static const Scene scene = Scene::load(VINCI_SOURCE_DIR "/benchmarks/events/ball.yaml");
  RunOverrides overrides;
  overrides.options = options;
  overrides.options["step"] = fmt::format("{:.17g}", step);
  overrides.options["duration"] = fmt::format("{:.17g}", ball_until);
  for (const auto& [name, value] : of_stepper) overrides.plugin_options[{"stepper", name}] = value;
  Simulation simulation(scene, overrides);
  BallRun run;
  const double start = cpu_seconds();
  while (!simulation.finished()) run.good &= simulation.step().solve.status == SolveStatus::solved;
  run.seconds = cpu_seconds() - start;
  run.height = simulation.state().poses.back().position.y() - 0.1;
  return run;
}

void add_events(std::vector<Entry>& entries, double accuracy, double time_scale,
                const std::string& method, double exact) {
  entries.push_back({method, fmt::format("accuracy {:.0e}", accuracy),
                     [=] {
                       return vinci_run(ball_stop, {{"stepper", "event-driven"}},
                                        {{"accuracy", fmt::format("{:.17g}", accuracy)},
                                         {"time-scale", fmt::format("{:.17g}", time_scale)}});
                     },
                     exact});
}

std::vector<Entry> all_entries(bool quick) {
  std::vector<Entry> entries;
  const double rigid = rigid_height();
  const std::vector<double> accuracies =
      quick ? std::vector<double>{1e-4, 1e-8}
            : std::vector<double>{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  const double contact = 5e-3;
  const double soft = stabilised_height(restituting(ball_restitution, contact));
  for (const double accuracy : accuracies)
    add_events(entries, accuracy, contact, "event-driven, 5 ms", soft);
  // As rigid as it is accurate, down to impacts whose times are still resolved.
  for (const double accuracy : accuracies)
    add_events(entries, accuracy, std::max(accuracy, 1e-7), "event-driven, rigid", rigid);
  const std::vector<double> steps =
      quick ? std::vector<double>{1e-2, 1e-3} : std::vector<double>{1e-2, 1e-3, 1e-4, 1e-5};
  for (const double step : steps)
    entries.push_back({"Stewart-Trinkle", fmt::format("step {:.0e} s", step),
                       [=] {
                         return vinci_run(step, {{"stepper", "stewart-trinkle"}}, {});
                       },
                       rigid});
  // Between impacts bodies fly on exact parabolas there: only their times count.
  for (const double accuracy : accuracies)
    entries.push_back({"... impacts found", fmt::format("tolerance {:.0e} m", accuracy),
                       [=] {
                         return vinci_run(
                             1e-2, {{"stepper", "stewart-trinkle"}, {"impact-time", "bisect"}},
                             {{"impact-tolerance", fmt::format("{:.17g}", accuracy)}});
                       },
                       rigid});
  if (!has_siconos()) return entries;
  for (const double accuracy : accuracies)
    entries.push_back({"Siconos, events", fmt::format("tolerance {:.0e}", accuracy),
                       [=] { return siconos_events(accuracy); }, rigid});
  for (const double step : steps)
    entries.push_back({"Siconos, Moreau-Jean", fmt::format("step {:.0e} s", step),
                       [=] { return siconos_steps(step); }, rigid});
  return entries;
}

// The least CPU time of a method's settings with an error of at most this.
double least_seconds(const std::vector<Entry>& entries, const std::string& method, double error) {
  double least = infinity;
  for (const Entry& entry : entries)
    if (entry.method == method && entry.last.good && entry.error() <= error)
      least = std::min(least, median(entry.seconds));
  return least;
}

void print(const std::vector<Entry>& entries) {
  const double rigid = rigid_height();
  fmt::print("{:<22} {:<18} {:>10} {:>11} {:>15}\n", "method", "setting", "CPU ms", "error, m",
             "from rigid, m");
  std::vector<std::string> methods;
  for (const Entry& entry : entries) {
    if (methods.empty() || methods.back() != entry.method) methods.push_back(entry.method);
    fmt::print("{:<22} {:<18} {:>10.3f} {:>11.1e} {:>15.1e}{}\n", entry.method, entry.setting,
               1e3 * median(entry.seconds), entry.error(), std::abs(entry.last.height - rigid),
               entry.last.good ? "" : "  failed");
  }
  const std::vector<double> targets = {1e-2, 1e-4, 1e-6, 1e-8};
  fmt::print("\nCPU time for an error of at most ..., over that of event-driven, 5 ms\n{:<22}", "");
  for (const double target : targets) fmt::print(" {:>9.0e} m", target);
  fmt::print("\n");
  for (const std::string& method : methods) {
    fmt::print("{:<22}", method);
    for (const double target : targets) {
      const double ours = least_seconds(entries, methods.front(), target);
      const double own = least_seconds(entries, method, target);
      if (std::isfinite(own) && std::isfinite(ours))
        fmt::print(" {:>11.3g}", own / ours);
      else
        fmt::print(" {:>11}", "-");
    }
    fmt::print("\n");
  }
  if (!has_siconos()) fmt::print("Siconos was not found when this was built\n");
}

}  // namespace
}  // namespace vinci

int main(int argc, char** argv) {
  CLI::App app("A bouncing ball: CPU time beside errors of event-driven motion and of others");
  bool quick = false, json = false;
  int rounds = 7;
  app.add_flag("--quick", quick, "Fewer settings");
  app.add_flag("--json", json, "Print one document for programs");
  app.add_option("--rounds", rounds, "Runs of each setting, of which the median counts")
      ->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  std::vector<vinci::Entry> entries = vinci::all_entries(quick);
  for (int round = 0; round < rounds; ++round)
    for (vinci::Entry& entry : entries) {
      // What takes long is measured well enough by few runs.
      if (round >= 2 && vinci::median(entry.seconds) > 0.5) continue;
      entry.last = entry.run();
      entry.seconds.push_back(entry.last.seconds);
    }
  if (!json) {
    vinci::print(entries);
    return 0;
  }
  vinci::Json document = vinci::Json::array();
  for (const vinci::Entry& entry : entries)
    document.push_back({{"method", entry.method},
                        {"setting", entry.setting},
                        {"seconds", vinci::median(entry.seconds)},
                        {"error", entry.error()},
                        {"from_rigid", std::abs(entry.last.height - vinci::rigid_height())},
                        {"good", entry.last.good}});
  fmt::print("{}\n", document.dump(1));
  return 0;
}
