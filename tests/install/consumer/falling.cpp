// SPDX-License-Identifier: Apache-2.0
// The ten-line program of a user: a ball of radius 0.1 m falls on the floor and stays there.
#include <cmath>
#include <cstdio>

#include "vinci/simulation/simulation.h"

int main() {
  vinci::Simulation simulation(vinci::Scene::parse(R"(
world: spatial
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}}]}
  ball: {shapes: [{sphere: 0.1, density: 1000}], position: [0, 0, 0.5]}
run: {step: 1 ms, duration: 1 s}
)"));
  while (!simulation.finished()) simulation.step();
  const int ball = simulation.model().find_body("ball");
  const double height = simulation.state().poses[ball].position.z();
  std::printf("height %.12f m, residual %.1e\n", height,
              simulation.report().solve.residual.relative);
  return std::abs(height - 0.1) < 1e-9 ? 0 : 1;
}
