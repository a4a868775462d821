// SPDX-License-Identifier: Apache-2.0
// benchmark-step: what a settled step costs and how true it is, ours and a peer's, in one run.
//
// Every scene settles first; then the engines take turns of a few steps each, so that a noisy
// machine disturbs all alike, until the window or the time budget is full. See
// benchmarks/README.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include "step/allocations.h"
#include "step/engine.h"
#include "vinci/base/clock.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

struct Settings {
  int settle_steps = 500;
  int window_steps = 1000;
  double budget = 60.0;  // s of wall time, for settling and for measuring, an engine and scene
  bool json = false;
  bool diagnose = false;  // our own steps with and without it, in the place of the peers
  std::string filter;
};

// One engine on one scene.
struct Measurement {
  std::string scene, engine;
  bool planar = true;
  int boxes = 0, contacts = 0;
  bool settled = true;              // before the budget ended
  int settle_steps = 0, steps = 0;  // taken before, and in the window
  double microseconds = 0.0;        // a step, median over the window
  double mean_microseconds = 0.0;   // a step
  double ratio = 1.0;               // our time over this engine's
  double allocations = 0.0;         // a step
  double penetration = 0.0;         // m, deepest in the window
  double drift = 0.0;               // m, largest displacement of a box over the window
  double residual = -1.0;           // worst in the window; negative: not applicable
};

struct Runner {
  std::unique_ptr<Engine> engine;
  std::vector<double> seconds;  // of every measured step
  std::int64_t allocations = 0;
  std::vector<Vector3> start, end;
  Measurement result;

  void measured_step() {
    const std::int64_t before = allocation_count();
    const Stopwatch watch;
    engine->step();
    const double elapsed = watch.seconds();
    allocations += allocation_count() - before;
    seconds.push_back(elapsed);
    result.penetration = std::max(result.penetration, engine->penetration());
    result.residual = std::max(result.residual, engine->residual());
  }
};

double total(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

// Ours settles first, within the budget; the peers take as many steps.
int settle(std::vector<Runner>& runners, const Settings& settings) {
  int steps = 0;
  const Stopwatch watch;
  for (; steps < settings.settle_steps && (steps == 0 || watch.seconds() < settings.budget);
       ++steps)
    runners.front().engine->step();
  for (std::size_t i = 1; i < runners.size(); ++i)
    for (int step = 0; step < steps; ++step) runners[i].engine->step();
  return steps;
}

void measure(std::vector<Runner>& runners, const Settings& settings) {
  constexpr int turn = 10;  // steps
  const std::vector<double>& ours = runners.front().seconds;
  while (static_cast<int>(ours.size()) < settings.window_steps) {
    const bool spent = !ours.empty() && total(ours) > settings.budget;
    if (spent) break;
    // A slow step ends the turn early, so that the budget holds for the largest scenes too.
    const std::size_t first = ours.size();
    for (int i = 0; i < turn && (i == 0 || total(ours) < settings.budget); ++i)
      runners.front().measured_step();
    const std::size_t taken = ours.size() - first;
    for (std::size_t i = 1; i < runners.size(); ++i)
      for (std::size_t k = 0; k < taken; ++k) runners[i].measured_step();
  }
}

void summarize(Runner& runner, const Layout& layout, int settle_steps) {
  Measurement& result = runner.result;
  result.scene = layout.name;
  result.engine = runner.engine->name();
  result.planar = layout.planar;
  result.boxes = static_cast<int>(layout.boxes.size());
  result.contacts = runner.engine->contacts();
  result.settle_steps = settle_steps;
  result.steps = static_cast<int>(runner.seconds.size());
  result.allocations = static_cast<double>(runner.allocations) / result.steps;
  result.mean_microseconds = 1e6 * total(runner.seconds) / result.steps;
  const auto middle = runner.seconds.begin() + result.steps / 2;
  std::nth_element(runner.seconds.begin(), middle, runner.seconds.end());
  result.microseconds = 1e6 * *middle;
  runner.engine->positions(runner.end);
  for (std::size_t i = 0; i < runner.end.size(); ++i)
    result.drift = std::max(result.drift, (runner.end[i] - runner.start[i]).norm());
}

std::vector<Measurement> run(const Layout& layout, const Settings& settings) {
  std::vector<Runner> runners(1);
  runners[0].engine = make_vinci(layout);
  if (settings.diagnose) runners.emplace_back().engine = make_vinci(layout, {.diagnose = true});
#ifdef VINCI_WITH_BOX2D
  if (layout.planar && !settings.diagnose)
    runners.emplace_back().engine = make_box2d(layout, false);
#endif
#ifdef VINCI_WITH_BULLET
  if (!layout.planar && !settings.diagnose)
    runners.emplace_back().engine = make_bullet(layout, false);
#endif
  const int settle_steps = settle(runners, settings);
  for (Runner& runner : runners) {
    runner.seconds.reserve(static_cast<std::size_t>(settings.window_steps) + 16);
    runner.engine->positions(runner.start);
  }
  measure(runners, settings);

  std::vector<Measurement> results;
  for (Runner& runner : runners) {
    summarize(runner, layout, settle_steps);
    runner.result.settled = settle_steps == settings.settle_steps;
    runner.result.ratio = runners[0].result.microseconds / runner.result.microseconds;
    results.push_back(runner.result);
  }
  return results;
}

std::vector<Layout> layouts() {
  std::vector<Layout> all;
  for (const bool planar : {true, false}) {
    all.push_back(stack(planar, 1));
    all.push_back(stack(planar, 10));
    for (const int count : {100, 500, 2000}) all.push_back(bin(planar, count));
  }
  return all;
}

std::string full_name(const Layout& layout) {
  return (layout.planar ? "planar, " : "spatial, ") + layout.name;
}

void print_header() {
  fmt::print("{:<26} {:<7} {:>8} {:>6} {:>11} {:>10} {:>11} {:>12} {:>10} {:>10}\n", "scene",
             "engine", "contacts", "steps", "us/step", "ours/peer", "allocs/step", "penetration",
             "drift", "residual");
}

void print_row(const Layout& layout, const Measurement& m) {
  fmt::print("{:<26} {:<7} {:>8} {:>6} {:>11.2f} {:>10} {:>11.2f} {:>10.1e} m {:>8.1e} m {:>10}\n",
             full_name(layout), m.engine, m.contacts,
             fmt::format("{}{}", m.steps, m.settled ? "" : "*"), m.microseconds,
             m.engine == "Vinci" ? "" : fmt::format("{:.2f}", m.ratio), m.allocations,
             m.penetration, m.drift, m.residual < 0.0 ? "" : fmt::format("{:.1e}", m.residual));
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const Measurement& m) {
  return {{"scene", m.scene},
          {"world", m.planar ? "planar" : "spatial"},
          {"engine", m.engine},
          {"boxes", m.boxes},
          {"contacts", m.contacts},
          {"settled", m.settled},
          {"settle_steps", m.settle_steps},
          {"steps", m.steps},
          {"microseconds_median", m.microseconds},
          {"microseconds_mean", m.mean_microseconds},
          {"ours_over_peer", m.ratio},
          {"allocations", m.allocations},
          {"penetration", m.penetration},
          {"drift", m.drift},
          {"residual",
           m.residual < 0.0 ? nlohmann::ordered_json() : nlohmann::ordered_json(m.residual)}};
}

void run_all(const Settings& settings) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const bool talk = !settings.json;
#ifndef VINCI_WITH_BOX2D
  std::fputs("Box2D was not found when this was built: no planar peer\n", stderr);
#endif
#ifndef VINCI_WITH_BULLET
  std::fputs("Bullet was not found when this was built: no spatial peer\n", stderr);
#endif
  if (talk) print_header();
  bool all_settled = true;
  std::string costs;
  for (const Layout& layout : layouts()) {
    if (full_name(layout).find(settings.filter) == std::string::npos) continue;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (terminal) fmt::print(stderr, "{} ...\r", full_name(layout));
    for (const Measurement& measurement : run(layout, settings)) {
      rows.push_back(to_json(measurement));
      all_settled = all_settled && measurement.settled;
      if (talk) print_row(layout, measurement);
      if (measurement.engine == "flag")
        costs += fmt::format("{:<26} diagnose: flag over off {:.3f}\n", full_name(layout),
                             1.0 / measurement.ratio);
    }
  }
  if (talk) fmt::print("{}", costs);
  if (talk && !all_settled)
    fmt::print(
        "* the time budget ended before the scene had settled: these are impacts (--budget)\n");
  if (settings.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"step", Layout().step}, {"rows", rows}}.dump(2));
}

}  // namespace
}  // namespace vinci

int main(int argc, char** argv) {
  CLI::App app("Time, allocations, penetration and drift of a settled step, beside the peers");
  vinci::Settings settings;
  bool quick = false;
  app.add_flag("--quick", quick, "A tenth of the steps and a twentieth of the time budget");
  app.add_flag("--json", settings.json, "Print one JSON document instead of the table");
  app.add_flag("--diagnose", settings.diagnose,
               "Instead of the peers our own steps with 'diagnose: flag', and what that costs");
  app.add_option("--filter", settings.filter, "Only scenes whose name contains this text");
  app.add_option("--budget", settings.budget, "Wall time in s to settle, and again to measure")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    settings.settle_steps /= 10;
    settings.window_steps /= 10;
    settings.budget /= 20.0;
  }
  try {
    vinci::run_all(settings);
  } catch (const vinci::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
