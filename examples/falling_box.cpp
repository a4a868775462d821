// SPDX-License-Identifier: Apache-2.0
// A scene built in code, stepped to the end: a box falls 0.5 m onto the floor and comes to rest.
#include <cinttypes>
#include <cmath>
#include <cstdio>

#include "vinci/simulation/simulation.h"

int main() {
  const vinci::Scene scene = vinci::Scene::parse(R"(
    world: spatial
    materials: {wood: {friction: 0.5}}
    bodies:
      floor: {freedom: fixed, shapes: [{half-space: {}, material: wood}]}
      box:
        shapes: [{box: [0.2, 0.2, 0.2], material: wood, density: 500}]
        position: [0, 0, 0.6]
    run: {step: 1 ms, duration: 1 s}
  )");
  vinci::Simulation simulation(scene);
  const int box = simulation.model().find_body("box");
  double landed = -1.0;
  while (!simulation.finished()) {
    simulation.step();
    if (landed < 0.0 && simulation.report().active_count > 0) landed = simulation.state().time;
  }
  const double height = simulation.state().poses[static_cast<std::size_t>(box)].position.z();
  std::printf("landed at %.3f s (free fall: %.3f s)\n", landed, std::sqrt(2 * 0.5 / 9.81));
  std::printf("rests at %.6f m; last step: %s\n", height,
              to_string(simulation.report().solve.status).c_str());
  std::printf("state hash %016" PRIx64 "\n", hash(simulation.state()));
  return simulation.diverged() ? 1 : 0;
}
