// SPDX-License-Identifier: Apache-2.0
// Contacts and forces of a step, and a parameter changed between steps: a block that sticks on an
// incline until its friction is lowered.
#include <cinttypes>
#include <cmath>
#include <cstdio>

#include "vinci/simulation/simulation.h"

int main() {
  vinci::Simulation simulation(vinci::Scene::parse(R"(
    world: planar
    parameters: {mu: 0.6}
    materials: {wood: {friction: mu}}
    bodies:
      incline: {freedom: fixed, shapes: [{half-plane: {angle: 20 deg}, material: wood}]}
      block: {shapes: [{box: [0.2, 0.1], material: wood, density: 50}], pose: {on: incline, at: 0}}
    run: {step: 1 ms, duration: 1 s}
  )"));
  auto forces = [&] {
    double normal = 0.0, friction = 0.0;  // N on the block, along the contact's axes
    for (const vinci::SolvedContact& contact : simulation.contacts()) {
      normal += contact.impulse[0] / simulation.step_size();
      friction += contact.impulse[1] / simulation.step_size();
    }
    std::printf("t = %.3f s: %zu contacts, normal %.4f N, friction %.4f N, speed %.4f m/s\n",
                simulation.state().time, simulation.contacts().size(), normal, std::abs(friction),
                simulation.state().velocities.head<2>().norm());
  };
  for (int i = 0; i < 500; ++i) simulation.step();
  forces();
  simulation.set_parameter("mu", 0.2);
  for (int i = 0; i < 500; ++i) simulation.step();
  forces();
  std::printf("state hash %016" PRIx64 "\n", hash(simulation.state()));
}
