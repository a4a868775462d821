// SPDX-License-Identifier: Apache-2.0
// Prints the hash of the last state of scenes: state_hashes DURATION SCENE... Part of the program
// whose every source is compiled without optimisation; see CMakeLists.txt.
#include <cinttypes>
#include <cstdio>
#include <exception>

#include "vinci/simulation/simulation.h"

int main(int count, char** arguments) {
  try {
    for (int i = 2; i < count; ++i) {
      vinci::RunOverrides overrides;
      overrides.options["duration"] = arguments[1];
      vinci::Simulation simulation(vinci::Scene::load(arguments[i]), overrides);
      while (!simulation.finished()) simulation.step();
      std::printf("%016" PRIx64 "\n", hash(simulation.state()));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
