// SPDX-License-Identifier: Apache-2.0
// benchmark-small: CPU time and error of a step of one body, beside the peers that are found. Every
// round makes all worlds anew; the engines take turns, and the best round of each counts.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include <fmt/format.h>

#include "planar/cpu_watch.h"
#include "small/building.h"
#include "small/engine.h"
#include "vinci/base/error.h"

namespace vinci {
namespace {

using Json = nlohmann::ordered_json;
using Kind = SmallCase::Kind;

struct Settings {
  int rounds = 40, steps = 500;
  bool json = false;
};

struct Contender {
  const char* name;
  std::function<std::unique_ptr<SmallEngine>(const SmallCase&)> make;
  double microseconds = 0.0;  // a step, of the best round
  double error = 0.0;         // m at the end
};

std::vector<SmallCase> cases() {
  std::vector<SmallCase> all;
  for (const bool planar : {true, false}) {
    all.push_back({.name = "block slides", .kind = Kind::slides, .planar = planar, .speed = 2.0});
    all.push_back({.name = "incline holds",
                   .kind = Kind::holds,
                   .planar = planar,
                   .friction = 0.5,
                   .slope = M_PI / 9.0});
    all.push_back({.name = planar ? "disc rolls" : "ball rolls",
                   .kind = Kind::rolls,
                   .planar = planar,
                   .speed = 1.0});
    all.push_back({.name = "plate carries",
                   .kind = Kind::rides,
                   .planar = planar,
                   .friction = 0.5,
                   .speed = 0.04 * M_PI,
                   .amplitude = 4e-3,
                   .rate = 10.0 * M_PI});
  }
  return all;
}

std::vector<Contender> contenders(const SmallCase& what) {
  std::vector<Contender> all{{"Vinci", make_small_vinci}};
#ifdef VINCI_WITH_CHIPMUNK
  if (what.planar) all.push_back({"Chipmunk", make_small_chipmunk});
#endif
#ifdef VINCI_WITH_BOX2D
  if (what.planar) all.push_back({"Box2D", make_small_box2d});
#endif
#ifdef VINCI_WITH_BULLET
  if (!what.planar) all.push_back({"Bullet", make_small_bullet});
#endif
  return all;
}

void measure(const SmallCase& what, const Settings& settings, std::vector<Contender>& all) {
  for (int round = 0; round < settings.rounds; ++round)
    for (Contender& one : all) {
      const std::unique_ptr<SmallEngine> engine = one.make(what);
      CpuWatch watch;
      for (int i = 0; i < settings.steps; ++i) engine->step();
      const double taken = 1e6 * watch.lap() / settings.steps;
      one.microseconds = round == 0 ? taken : std::min(one.microseconds, taken);
      one.error = std::abs(engine->place() - what.place(settings.steps * small_step));
    }
}

void run(const Settings& settings) {
  Json rows = Json::array();
  if (!settings.json)
    fmt::print("{:<24} {:<9} {:>9} {:>10} {:>12}\n", "case", "engine", "us/step", "ours/peer",
               "error, m");
  for (const SmallCase& what : cases()) {
    std::vector<Contender> all = contenders(what);
    measure(what, settings, all);
    for (const Contender& one : all) {
      const double ratio = all[0].microseconds / one.microseconds;
      const std::string name = (what.planar ? "planar, " : "spatial, ") + what.name;
      if (!settings.json)
        fmt::print("{:<24} {:<9} {:>9.2f} {:>10} {:>12.1e}\n", name, one.name, one.microseconds,
                   &one == &all[0] ? "" : fmt::format("{:.2f}", ratio), one.error);
      rows.push_back({{"case", name},
                      {"engine", one.name},
                      {"microseconds", one.microseconds},
                      {"ours_over_peer", ratio},
                      {"error", one.error}});
    }
  }
  Json building = Json::array();
  if (!settings.json) fmt::print("\n{:<24} {:<14} {:>9}\n", "scene", "made anew", "us");
  const std::string folder = VINCI_SOURCE_DIR;
  for (const auto& [file, parameter] : {std::pair{"/benchmarks/small/block.yaml", "mu"},
                                        std::pair{"/experiments/grasp/grasp.yaml", "mu_table"}})
    for (const BuildingRow& row : measure_building(folder + file, parameter, settings.rounds)) {
      if (!settings.json)
        fmt::print("{:<24} {:<14} {:>9.2f}\n", row.scene, row.what, row.microseconds);
      building.push_back(
          {{"scene", row.scene}, {"what", row.what}, {"microseconds", row.microseconds}});
    }
  if (settings.json)
    fmt::print("{}\n", Json{{"step", small_step}, {"rows", rows}, {"building", building}}.dump(2));
}

}  // namespace
}  // namespace vinci

int main(int argc, char** argv) {
  CLI::App app("CPU time and error of a step of one body, beside the peers");
  vinci::Settings settings;
  bool quick = false;
  app.add_flag("--quick", quick, "A quarter of the rounds");
  app.add_flag("--json", settings.json, "Print one JSON document instead of the table");
  CLI11_PARSE(app, argc, argv);
  if (quick) settings.rounds /= 4;
  try {
    vinci::run(settings);
  } catch (const vinci::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
