// SPDX-License-Identifier: Apache-2.0
#include "small/building.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "planar/cpu_watch.h"
#include "vinci/simulation/simulation.h"

namespace vinci {

std::vector<BuildingRow> measure_building(const std::string& file, const std::string& parameter,
                                          int rounds) {
  constexpr int turn = 100;
  const Scene scene = Scene::load(file);
  const double value = scene.parameters().at(parameter);
  int count = 0;
  // Another value every time.
  const auto next = [&] {
    return std::map<std::string, double>{{parameter, value * (1.0 + 1e-9 * ++count)}};
  };
  Simulation kept(scene);
  const std::pair<const char*, std::function<void()>> ways[] = {
      {"compile", [&] { scene.compile(next()); }},
      {"set_parameter", [&] { kept.set_parameter(next()); }},
      {"restart", [&] { kept.restart(next()); }},
      {"simulation", [&] {
         RunOverrides overrides;
         overrides.parameters = next();
         Simulation(scene, overrides);
       }}};
  std::vector<BuildingRow> rows;
  for (const auto& [what, make] : ways) {
    double best = 0.0;
    for (int round = 0; round < rounds; ++round) {
      CpuWatch watch;
      for (int i = 0; i < turn; ++i) make();
      const double taken = 1e6 * watch.lap() / turn;
      best = round == 0 ? taken : std::min(best, taken);
    }
    rows.push_back({std::filesystem::path(file).stem().string(), what, best});
  }
  return rows;
}

}  // namespace vinci
