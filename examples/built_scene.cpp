// SPDX-License-Identifier: Apache-2.0
// A scene built key by key, and run with a hundred coefficients of friction: a block slides to a
// stop. The scene is checked once; every run takes microseconds to begin.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "vinci/scene/scene_builder.h"
#include "vinci/simulation/run_settings.h"

int main() {
  vinci::SceneBuilder builder(vinci::World::planar);
  builder.parameters().set("mu", 0.3).set("speed", 1.0);
  builder.material("wood").set("friction", "mu");
  builder.body("floor").set("freedom", "fixed");
  builder.shape("floor", "half-plane", {}).set("material", "wood");
  builder.body("block").set("position", {0, 0.05}).set("velocity", {"speed", 0});
  builder.shape("block", "box", {0.1, 0.1}).set("material", "wood");
  const vinci::Scene scene = builder.build("block");

  vinci::RunSettings settings;
  settings.set("step", 1e-3).set("duration", 1.0).set("solver", "tolerance", 1e-10);
  vinci::Simulation simulation(scene, settings);
  const auto block = static_cast<std::size_t>(simulation.model().find_body("block"));
  double worst = 0.0;
  for (int i = 0; i < 100; ++i) {
    const double mu = 0.2 + 0.004 * i;
    simulation.restart({{"mu", mu}});
    while (!simulation.finished()) simulation.step();
    const double way = simulation.state().poses[block].position.x();
    worst = std::max(worst, std::abs(way - 1.0 / (2.0 * mu * 9.81)));
  }
  // A step of 1 ms ends its slide at most v h/2 short.
  std::printf("100 slides, each within %.1f mm of v^2/(2 mu g)\n", 1e3 * worst);
  return worst < 0.51e-3 ? 0 : 1;
}
