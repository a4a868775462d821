// SPDX-License-Identifier: Apache-2.0
// The steps that step.py takes from Python, taken from C++: reads a scene, waits for a line on its
// input, takes as many steps as the line says, prints the seconds of CPU
// time, and so on.
#include <cstdio>
#include <ctime>
#include <iostream>

#include "vinci/simulation/simulation.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: benchmark-python-step SCENE.yaml, then numbers of steps\n");
    return 2;
  }
  vinci::Simulation simulation(vinci::Scene::load(argv[1]));
  for (long steps = 0; std::cin >> steps;) {
    const std::clock_t start = std::clock();
    for (long i = 0; i < steps; ++i) simulation.step();
    std::printf("%.9g\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    std::fflush(stdout);
  }
}
