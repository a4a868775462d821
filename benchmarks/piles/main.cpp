// SPDX-License-Identifier: Apache-2.0
// benchmark-piles: what boxes cost that land in a bin, and that lie there, beside the peers, at the
// tolerance that is asked for.
//
// Time is that of the processor, of the steps alone. Our own run may be cut by the time budget of
// its scene; the peers then take as many steps. See benchmarks/README.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "step/engine.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

struct Settings {
  double tolerance = 1e-8;
  double budget = 10.0;  // s of processor time of ours, for landing, settling and lying each
  bool quick = false;    // fewer boxes, less time
  bool sleep = false;    // peers let bodies at rest sleep
  std::string json, filter;
};

constexpr int land_steps = 120, settle_steps = 500, lie_steps = 100;

struct Row {
  std::string scene, phase, engine;
  bool planar = true;
  int boxes = 0;
  double friction = 0.0;
  int contacts = 0, steps = 0;
  bool whole = true;          // the budget did not cut the phase, nor what comes before
  double microseconds = 0.0;  // of processor time a step, mean
  double worst = 0.0;         // the longest step, microseconds
  double ratio = 0.0;         // ours over this peer's
  double penetration = 0.0;   // m, deepest in the phase
  double drift = 0.0;         // m, largest displacement of a box in the phase
  int still = 0;              // boxes whose centre the last step did not move at all
  double residual = -1.0;     // worst in the phase, by our judge; negative: not applicable
  int above = 0;              // steps whose residual is above the tolerance
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// One engine through the phases of a scene.
class Runner {
 public:
  Runner(std::unique_ptr<Engine> engine, double tolerance)
      : engine_(std::move(engine)), tolerance_(tolerance) {}
  // Up to so many steps, at least one, within so many seconds.
  Row run(int steps, double budget) {
    Row row;
    row.engine = engine_->name();
    engine_->positions(start_);
    double spent = 0.0;
    while (row.steps < steps && (row.steps == 0 || spent < budget)) {
      engine_->positions(before_);
      const double before = processor_seconds();
      engine_->step();
      const double taken = processor_seconds() - before;
      spent += taken;
      ++row.steps;
      row.worst = std::max(row.worst, 1e6 * taken);
      row.penetration = std::max(row.penetration, engine_->penetration());
      row.residual = std::max(row.residual, engine_->residual());
      row.above += engine_->residual() > tolerance_ ? 1 : 0;
    }
    row.microseconds = 1e6 * spent / row.steps;
    row.contacts = engine_->contacts();
    engine_->positions(end_);
    for (std::size_t i = 0; i < end_.size(); ++i)
      row.drift = std::max(row.drift, (end_[i] - start_[i]).norm());
    for (std::size_t i = 0; i < end_.size(); ++i) row.still += end_[i] == before_[i] ? 1 : 0;
    return row;
  }

 private:
  std::unique_ptr<Engine> engine_;
  double tolerance_;
  std::vector<Vector3> start_, before_, end_;
};

std::vector<Runner> runners_of(const Layout& layout, const Settings& settings) {
  std::vector<Runner> runners;
  const auto add = [&](std::unique_ptr<Engine> engine) {
    runners.emplace_back(std::move(engine), settings.tolerance);
  };
  add(make_vinci(layout, {.tolerance = settings.tolerance}));
#ifdef VINCI_WITH_BOX2D
  if (layout.planar) add(make_box2d(layout, settings.sleep));
#endif
#ifdef VINCI_WITH_CHIPMUNK
  if (layout.planar) add(make_chipmunk(layout, settings.sleep));
#endif
#ifdef VINCI_WITH_BULLET
  if (!layout.planar) add(make_bullet(layout, settings.sleep));
#endif
#ifdef VINCI_WITH_ODE
  if (!layout.planar) add(make_ode(layout, settings.sleep));
#endif
  return runners;
}

void print_header() {
  fmt::print(
      "{:<8} {:<15} {:>3} {:<8} {:<8} {:>8} {:>6} {:>11} {:>11} {:>10} {:>9} {:>9} {:>5} {:>9} "
      "{:>5}\n",
      "world", "scene", "mu", "phase", "engine", "contacts", "steps", "us/step", "worst us",
      "ours/peer", "overlap", "drift", "still", "residual", "above");
}

void print_row(const Row& row) {
  fmt::print(
      "{:<8} {:<15} {:>3} {:<8} {:<8} {:>8} {:>6} {:>11.1f} {:>11.1f} {:>10} {:>9.1e} {:>9.1e} "
      "{:>5} {:>9} {:>5}\n",
      row.planar ? "planar" : "spatial", row.scene, row.friction, row.phase, row.engine,
      row.contacts, fmt::format("{}{}", row.steps, row.whole ? "" : "*"), row.microseconds,
      row.worst, row.ratio > 0.0 ? fmt::format("{:.2f}", row.ratio) : "", row.penetration,
      row.drift, row.still, row.residual < 0.0 ? "" : fmt::format("{:.1e}", row.residual),
      row.residual < 0.0 ? "" : fmt::format("{}", row.above));
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const Row& row) {
  return {{"world", row.planar ? "planar" : "spatial"},
          {"scene", row.scene},
          {"boxes", row.boxes},
          {"friction", row.friction},
          {"phase", row.phase},
          {"engine", row.engine},
          {"contacts", row.contacts},
          {"steps", row.steps},
          {"whole", row.whole},
          {"microseconds_mean", row.microseconds},
          {"microseconds_worst", row.worst},
          {"ours_over_peer", row.ratio},
          {"penetration", row.penetration},
          {"drift", row.drift},
          {"still", row.still},
          {"residual", row.residual},
          {"steps_above", row.above}};
}

struct Phase {
  const char* name;
  int steps;
  bool shown;
};

// Heaps land, settle and lie; layers that are laid settle and lie.
std::vector<Row> run(const Layout& layout, bool lands, const Settings& settings) {
  const Phase phases[] = {{"landing", land_steps, true},
                          {"settling", settle_steps, false},
                          {lands ? "settled" : "dense", lie_steps, true}};
  std::vector<Runner> runners = runners_of(layout, settings);
  std::vector<Row> rows;
  bool whole = true;
  for (const Phase& phase : phases) {
    if (!lands && phase.name == phases[0].name) continue;
    int steps = phase.steps;
    double ours = 0.0;
    for (std::size_t i = 0; i < runners.size(); ++i) {
      Row row = runners[i].run(steps, i == 0 ? settings.budget : infinity);
      if (i == 0) {
        whole = whole && row.steps == phase.steps;
        steps = row.steps;
        ours = row.microseconds;
      } else {
        row.ratio = ours / row.microseconds;
      }
      row.whole = whole;
      row.scene = layout.name;
      row.planar = layout.planar;
      row.boxes = static_cast<int>(layout.boxes.size());
      row.friction = layout.friction;
      row.phase = phase.name;
      if (!phase.shown) continue;
      print_row(row);
      rows.push_back(row);
    }
  }
  return rows;
}

struct Case {
  Layout layout;
  bool lands;
};

std::vector<Case> cases(bool quick) {
  std::vector<Case> all;
  const auto add = [&](Layout layout, bool lands, double friction) {
    layout.step = 0.01;
    layout.friction = friction;
    all.push_back({std::move(layout), lands});
  };
  const std::vector<int> counts =
      quick ? std::vector<int>{50, 100, 200} : std::vector<int>{50, 100, 200, 500, 1000, 2000};
  for (const bool planar : {true, false}) {
    for (const int count : counts) add(heap(planar, count), true, 0.5);
    for (const double friction : {0.0, 0.1, 1.0}) add(heap(planar, 100), true, friction);
    for (const int count : counts) add(bin(planar, count), false, 0.5);
  }
  return all;
}

// The slope of log time over log count, by least squares; only phases that were not cut.
void print_growth(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<std::pair<double, double>>> series;
  for (const Row& row : rows)
    if (row.whole && row.friction == 0.5)
      series[fmt::format("{}, {}, {}", row.planar ? "planar" : "spatial", row.phase, row.engine)]
          .emplace_back(std::log(row.boxes), std::log(row.microseconds));
  for (const auto& [name, points] : series) {
    if (points.size() < 2) continue;
    double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (const auto& [at, value] : points)
      n += 1.0, x += at, y += value, xx += at * at, xy += at * value;
    fmt::print("{:<32} cost grows as N^{:.2f}, {:.0f} to {:.0f} boxes\n", name,
               (n * xy - x * y) / (n * xx - x * x), std::exp(points.front().first),
               std::exp(points.back().first));
  }
}

void run_all(const Settings& settings) {
  std::vector<Row> rows;
  print_header();
  for (const Case& scene : cases(settings.quick)) {
    const std::string name =
        fmt::format("{}, {}, mu {}", scene.layout.planar ? "planar" : "spatial", scene.layout.name,
                    scene.layout.friction);
    if (name.find(settings.filter) == std::string::npos) continue;
    for (Row& row : run(scene.layout, scene.lands, settings)) rows.push_back(std::move(row));
  }
  if (!settings.json.empty()) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Row& row : rows) all.push_back(to_json(row));
    std::ofstream(settings.json)
        << nlohmann::ordered_json{{"tolerance", settings.tolerance}, {"rows", all}}.dump(2) << '\n';
  }
  print_growth(rows);
  if (std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.whole; }))
    fmt::print("* cut by the time budget, here or before: the pile is on its way (--budget)\n");
}

}  // namespace
}  // namespace vinci

int main(int argc, char** argv) {
  CLI::App app("Processor time, overlap, drift and residual of boxes that land and lie in a bin");
  vinci::Settings settings;
  app.add_flag("--quick", settings.quick, "Up to 200 boxes, a quarter of the time");
  app.add_flag("--sleep", settings.sleep, "Let the peers' bodies at rest sleep");
  app.add_option("--json", settings.json, "Write the table as JSON to this file too");
  app.add_option("--tolerance", settings.tolerance, "Relative residual asked of our solver")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--filter", settings.filter,
                 "Only scenes whose name contains this text, as 'planar, 100 boxes, mu 0.5'");
  app.add_option("--budget", settings.budget, "Processor time in s of ours, a scene and phase")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (settings.quick) settings.budget /= 4.0;
  try {
    vinci::run_all(settings);
  } catch (const vinci::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
