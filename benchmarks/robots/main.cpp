// SPDX-License-Identifier: Apache-2.0
// benchmark-robots: time of a step beside the error of the motion, of robots in Vinci, MuJoCo and
// DART, in one run. Every engine is given the same compiled scene; energies and accelerations at
// the start have to agree before anything is timed. Free mechanisms are compared with a fine
// motion, a hand with the rest that its forces allow.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include <fmt/format.h>

#include "robots/cases.h"
#include "solvers/cpu_clock.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;

constexpr double same = 1e-10;  // relative, of energies at the start
// Of accelerations there: M of a hundred links loses six digits and more.
constexpr double same_motion = 1e-8;
constexpr double slower = 1.5;       // times MuJoCo, at the same step
constexpr double usual_step = 1e-3;  // s, of that comparison

struct Settings {
  bool quick = false, json = false;
  std::string filter;
  int rounds = 5;
};

// An engine with one step size.
struct Run {
  std::string engine;
  double step = 0.0;     // s
  double cpu = 0.0;      // s, median per step
  double error = 0.0;    // rad or m: of coordinates at the end, or how far the object got
  double energy = 0.0;   // relative
  double overlap = 0.0;  // m, deepest
  double excess = 0.0;   // of friction beyond its cone, over the mean of what friction may bear
  double residual = -1.0;
  int contacts = 0;
  double per_second() const { return cpu / step; }
};

std::vector<EngineMaker> makers(const RobotCase& robot) {
  std::vector<EngineMaker> all = vinci_engines(robot);
#ifdef VINCI_WITH_MUJOCO
  for (const EngineMaker maker : mujoco_engines(robot)) all.push_back(maker);
#endif
#ifdef VINCI_WITH_DART
  for (const EngineMaker maker : dart_engines(robot)) all.push_back(maker);
#endif
  return all;
}

bool is(const std::string& engine, const char* family) {
  return engine.rfind(family, 0) == 0;
}

// Energy and accelerations at the start, against ours.
void check_same(const RobotCase& robot) {
  double energy = 0.0;
  VectorX wanted, found;
  start_accelerations_of(*robot.model, wanted);
  for (const EngineMaker maker : makers(robot)) {
    const auto engine = maker(robot, usual_step);
    const double own = engine->start_energy();
    if (is(engine->name(), "Vinci")) energy = own;
    engine->start_accelerations(found);
    const double size = 1.0 + wanted.lpNorm<Eigen::Infinity>();
    const double off = (found - wanted).lpNorm<Eigen::Infinity>() / size;
    if (!(std::abs(own - energy) <= same * (1.0 + std::abs(energy))) || !(off <= same_motion))
      throw Error(fmt::format("{}: another mechanism than ours: energy {} and {} J, accelerations "
                              "{:.1e} off",
                              engine->name(), own, energy, off),
                  robot.name);
  }
}

double coordinate_error(const RobotState& found, const RobotState& wanted) {
  return (found.positions - wanted.positions).lpNorm<Eigen::Infinity>();
}

// One pass that is looked at: errors, overlaps, loads.
void look(const RobotCase& robot, const FineMotion* fine, RobotEngine& engine, Run& run) {
  const auto steps = std::llround(robot.duration / run.step);
  const auto every = std::max<long long>(1, steps / 100);
  RobotState start, state;
  std::vector<ContactLoad> loads;
  engine.reset();
  engine.read(start);
  for (long long i = 1; i <= steps; ++i) {
    engine.step();
    if (robot.object < 0 || (i % every != 0 && i != steps)) continue;
    engine.read(state);
    run.overlap = std::max(run.overlap, overlap_of(robot, state));
    engine.loads(loads);
    double sum = 0.0;
    for (const ContactLoad& load : loads) sum += load.normal;
    const double friction = robot.model->surfaces.front().friction;
    const double mean = friction * sum / std::max<double>(1.0, static_cast<double>(loads.size()));
    for (const ContactLoad& load : loads)
      run.excess = std::max(run.excess, (load.tangent - friction * load.normal) / mean);
    run.contacts = static_cast<int>(loads.size());
  }
  engine.read(state);
  run.residual = engine.residual();
  if (fine) {
    run.error = coordinate_error(state, fine->end);
    const double at_start = energy_of(*robot.model, start);
    // Relative to what a fall from the start to the end has turned over.
    const double moving = energy_of(*robot.model, {state.positions, state.rates, {}}) -
                          energy_of(*robot.model, {state.positions, 0.0 * state.rates, {}});
    run.energy = std::abs(energy_of(*robot.model, state) - at_start) / moving;
  } else {
    const double turn = state.object.rotation.angularDistance(start.object.rotation);
    run.error = (state.object.position - start.object.position).norm() + 0.05 * turn;
  }
}

double time_of(const RobotCase& robot, RobotEngine& engine, double step) {
  const auto steps = std::llround(robot.duration / step);
  engine.reset();
  const double start = cpu_seconds();
  for (long long i = 0; i < steps; ++i) engine.step();
  return (cpu_seconds() - start) / static_cast<double>(steps);
}

std::vector<Run> race(const RobotCase& robot, const FineMotion* fine, const Settings& settings) {
  std::vector<Run> runs;
  for (const double step : robot.steps) {
    std::vector<std::unique_ptr<RobotEngine>> engines;
    for (const EngineMaker maker : makers(robot)) engines.push_back(maker(robot, step));
    std::vector<std::vector<double>> times(engines.size());
    const std::size_t first = runs.size();
    for (const auto& engine : engines) {
      runs.push_back({.engine = engine->name(), .step = step});
      look(robot, fine, *engine, runs.back());
    }
    for (int round = 0; round < settings.rounds; ++round)
      for (std::size_t i = 0; i < engines.size(); ++i)
        times[i].push_back(time_of(robot, *engines[i], step));
    for (std::size_t i = 0; i < engines.size(); ++i) runs[first + i].cpu = median(times[i]);
  }
  return runs;
}

// CPU seconds per second of motion at this error: between the steps around it, in logarithms. None:
// no step is that good.
struct Cost {
  double seconds = 0.0;
  std::string engine;
  double step = 0.0;
};
std::optional<Cost> cost_at(const std::vector<Run>& runs, const char* family, double error) {
  std::optional<Cost> best;
  std::vector<std::string> names;
  for (const Run& run : runs)
    if (is(run.engine, family) && std::find(names.begin(), names.end(), run.engine) == names.end())
      names.push_back(run.engine);
  for (const std::string& name : names) {
    const Run* before = nullptr;
    for (const Run& run : runs) {
      if (run.engine != name) continue;
      if (!(run.error <= error)) {
        before = &run;
        continue;
      }
      double share = 1.0;
      if (before && std::isfinite(before->error) && run.error > 0.0)
        share = std::log(error / before->error) / std::log(run.error / before->error);
      const double from = before ? before->per_second() : run.per_second();
      const double seconds = from * std::pow(run.per_second() / from, share);
      const double step =
          before ? before->step * std::pow(run.step / before->step, share) : run.step;
      if (!best || seconds < best->seconds) best = Cost{seconds, name, step};
      break;
    }
  }
  return best;
}

void print_runs(const RobotCase& robot, const std::vector<Run>& runs) {
  const bool held = robot.object >= 0;
  if (held)
    fmt::print("{:<18} {:<16} {:>8} {:>9} {:>9} {:>8} {:>11} {:>11} {:>9} {:>9}\n", "mechanism",
               "engine", "step", "us/step", "ours/it", "contacts", "creep", "overlap", "cone",
               "residual");
  else
    fmt::print("{:<18} {:<16} {:>8} {:>9} {:>9} {:>11} {:>10} {:>9}\n", "mechanism", "engine",
               "step", "us/step", "ours/it", "error", "energy", "residual");
  double ours = 0.0;
  for (const Run& run : runs) {
    if (is(run.engine, "Vinci") && run.engine == runs.front().engine) ours = run.cpu;
    const std::string ratio =
        run.engine == runs.front().engine ? "" : fmt::format("{:.2f}", ours / run.cpu);
    const std::string residual = run.residual < 0.0 ? "" : fmt::format("{:.1e}", run.residual);
    if (held)
      fmt::print(
          "{:<18} {:<16} {:>5.3g} ms {:>9.2f} {:>9} {:>8} {:>9.1e} m {:>9.1e} m {:>9.1e} {:>9}\n",
          robot.name, run.engine, 1e3 * run.step, 1e6 * run.cpu, ratio, run.contacts, run.error,
          run.overlap, run.excess, residual);
    else
      fmt::print("{:<18} {:<16} {:>5.3g} ms {:>9.2f} {:>9} {:>11.2e} {:>10.1e} {:>9}\n", robot.name,
                 run.engine, 1e3 * run.step, 1e6 * run.cpu, ratio, run.error, run.energy, residual);
  }
}

void print_equal(const std::vector<Run>& runs, const std::vector<double>& errors) {
  fmt::print("at equal error, ms of CPU per second of motion:\n");
  for (const double error : errors) {
    const auto ours = cost_at(runs, "Vinci", error);
    std::string line = fmt::format("  {:>7.0e}", error);
    for (const char* family : {"Vinci", "MuJoCo", "DART"}) {
      const auto cost = cost_at(runs, family, error);
      line += cost ? fmt::format("  {:>9.3f} by {} at {:.3g} ms", 1e3 * cost->seconds, cost->engine,
                                 1e3 * cost->step)
                   : fmt::format("  {} not within these steps", family);
      if (cost && ours && cost->engine != ours->engine)
        line += fmt::format(" (ours/it {:.2f})", ours->seconds / cost->seconds);
    }
    fmt::print("{}\n", line);
  }
}

// Of the goals of this benchmark, as measured.
void print_goals(const RobotCase& robot, const std::vector<Run>& runs,
                 const std::vector<double>& errors) {
  const auto line = [](const std::string& goal, bool met, const std::string& found) {
    fmt::print("{:<72} {:<4} {}\n", goal, met ? "yes" : "no", found);
  };
  if (robot.object < 0) {
    double ours = 0.0, theirs = 0.0;
    for (const Run& run : runs)
      if (run.step == usual_step) {
        if (run.engine == runs.front().engine) ours = run.cpu;
        if (run.engine == "MuJoCo Euler") theirs = run.cpu;
      }
    if (theirs > 0.0)
      line(fmt::format("{}: at most 1.5 times MuJoCo Euler at 1 ms", robot.name),
           ours <= slower * theirs, fmt::format("{:.2f} times", ours / theirs));
  }
  for (const char* family : {"MuJoCo", "DART"}) {
    int won = 0, of = 0;
    double worst = 0.0;
    for (const double error : errors) {
      const auto ours = cost_at(runs, "Vinci", error), theirs = cost_at(runs, family, error);
      if (!ours && !theirs) continue;
      ++of;
      if (ours && (!theirs || ours->seconds < theirs->seconds)) ++won;
      if (ours && theirs) worst = std::max(worst, ours->seconds / theirs->seconds);
      if (!ours) worst = std::numeric_limits<double>::infinity();
    }
    if (of > 0)
      line(fmt::format("{}: at equal error ahead of {}", robot.name, family), won == of,
           fmt::format("{} of {} errors, at worst {:.2f} of its time", won, of, worst));
  }
  fmt::print("\n");
}

Json to_json(const RobotCase& robot, const std::vector<Run>& runs) {
  Json rows = Json::array();
  for (const Run& run : runs)
    rows.push_back({{"mechanism", robot.name},
                    {"engine", run.engine},
                    {"step", run.step},
                    {"cpu", run.cpu},
                    {"error", run.error},
                    {"energy", run.energy},
                    {"overlap", run.overlap},
                    {"cone", run.excess},
                    {"contacts", run.contacts},
                    {"residual", run.residual}});
  return rows;
}

// Engines that step finely have to agree with the reference, or it is none.
void check_reference(const RobotCase& robot, const FineMotion& fine, const Settings& settings) {
  constexpr double agreed = 1e-6;
  if (!settings.json)
    fmt::print("{}: the fine motion is settled to {:.1e}", robot.name, fine.error / 15.0);
#ifdef VINCI_WITH_MUJOCO
  const double step = 0.5 * robot.steps.back();
  const auto engine = mujoco_engines(robot).back()(robot, step);
  const auto steps = std::llround(robot.duration / step);
  RobotState state;
  engine->reset();
  for (long long i = 0; i < steps; ++i) engine->step();
  engine->read(state);
  const double apart = coordinate_error(state, fine.end);
  if (!settings.json)
    fmt::print("; {} at {} ms is {:.1e} from it", engine->name(), 1e3 * step, apart);
  if (!(apart <= agreed)) throw Error("the references disagree", robot.name);
#else
  (void)agreed;
#endif
  if (!settings.json) fmt::print("\n");
}

Json compare(RobotCase robot, const Settings& settings) {
  if (settings.quick) {
    robot.steps = {1e-2, 2e-3, 1e-3};
    robot.duration = 0.2;
  }
  check_same(robot);
  std::optional<FineMotion> fine;
  if (robot.object < 0) {
    fine = fine_motion(robot, 2e-4);
    check_reference(robot, *fine, settings);
  }
  const std::vector<Run> runs = race(robot, fine ? &*fine : nullptr, settings);
  const std::vector<double> errors =
      fine ? std::vector<double>{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}
           : std::vector<double>{1e-3, 1e-4, 1e-5, 1e-6, 1e-8};
  if (!settings.json) {
    print_runs(robot, runs);
    print_equal(runs, errors);
    print_goals(robot, runs, errors);
    std::fflush(stdout);
  }
  return to_json(robot, runs);
}

int run(int argc, char** argv) {
  CLI::App app("Robots beside MuJoCo and DART: times of steps and their errors");
  Settings settings;
  app.add_flag("--quick", settings.quick, "A fifth of the time, three step sizes, two rounds");
  app.add_flag("--json", settings.json, "Print one document for programs");
  app.add_option("--filter", settings.filter, "Only mechanisms whose name holds this");
  CLI11_PARSE(app, argc, argv);
  if (settings.quick) settings.rounds = 2;
  Json rows = Json::array();
  for (RobotCase (*make)() : {+[] { return six_joint_arm(); }, +[] { return seven_joint_arm(); },
                              +[] { return chain(100); }, +[] { return hand(); }}) {
    RobotCase robot = make();
    if (robot.name.find(settings.filter) == std::string::npos) continue;
    for (Json& row : compare(std::move(robot), settings)) rows.push_back(std::move(row));
  }
  if (settings.json) fmt::print("{}\n", rows.dump(1));
  return 0;
}

}  // namespace
}  // namespace vinci

int main(int argc, char** argv) {
  try {
    return vinci::run(argc, argv);
  } catch (const vinci::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
